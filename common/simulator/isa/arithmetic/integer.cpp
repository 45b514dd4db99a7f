// Integer arithmetic: add, sub, mul, mad, div, rem, min, max, abs, neg, sad, dp2a, dp4a, and the
// packed forms. What carries is in carry.cpp, what works on bits in logic.cpp.
#include <cstdint>
#include <string>
#include <type_traits>

#include "common/simulator/decode/decode.h"
#include "common/simulator/decode/modifiers.h"
#include "common/simulator/decode/operands.h"
#include "common/simulator/isa/arithmetic/float.h"
#include "common/simulator/isa/arithmetic/integer_functions.h"
#include "common/simulator/isa/arithmetic/lanes.h"

namespace gridstride::sim {

namespace {

using ptx::Type;

using integer::Abs;
using integer::Add;
using integer::AddSaturating;
using integer::Div;
using integer::Double;
using integer::Dp2a;
using integer::Dp4a;
using integer::Mad24;
using integer::MadHigh;
using integer::MadHighSaturating;
using integer::MadLow;
using integer::MadWide;
using integer::Max;
using integer::Min;
using integer::Mul24High;
using integer::Mul24Low;
using integer::MulHigh;
using integer::MulLow;
using integer::MulWide;
using integer::Neg;
using integer::Packed;
using integer::Relu;
using integer::Rem;
using integer::Sad;
using integer::Sub;
using integer::SubSaturating;

/// As with_integer, for what leaves the same bits with a sign and without one.
template <class Use>
bool with_unsigned(Type type, Use&& use) {
  return with_integer(type, [&](auto tag) {
    return use(Tag<std::make_unsigned_t<typename decltype(tag)::type>>());
  });
}
/// As with_integer, for what only numbers with a sign have.
template <class Use>
bool with_signed(Type type, Use&& use) {
  return with_integer(type, [&](auto tag) {
    if constexpr (std::is_signed_v<typename decltype(tag)::type>) return use(tag);
    return false;
  });
}
/// As with_integer, for what only numbers of 32 bits have.
template <class Use>
bool with_word(Type type, Use&& use) {
  return with_integer(type, [&](auto tag) {
    if constexpr (sizeof(typename decltype(tag)::type) == 4) return use(tag);
    return false;
  });
}

/// What makes handlers of F on two or three sources of one type: use(Tag<T>()) of the above.
template <class F>
auto on_two(Inst& out) {
  return [&out](auto tag) {
    using T = typename decltype(tag)::type;
    return lanes::set_simple<F, T, T, T>(out);
  };
}
template <class F>
auto on_three(Inst& out) {
  return [&out](auto tag) {
    using T = typename decltype(tag)::type;
    return lanes::set_simple<F, T, T, T, T>(out);
  };
}
template <class F>
bool packed(Type element, Inst& out) {
  using Word = std::uint32_t;
  return element == Type::s16 ? lanes::set_simple<Packed<F, std::int16_t>, Word, Word, Word>(out)
                              : lanes::set_simple<Packed<F, std::uint16_t>, Word, Word, Word>(out);
}
/// Takes .u16x2 or .s16x2; the type of one half, or none.
Type take_packed(Modifiers& modifiers) {
  if (modifiers.take("u16x2")) return Type::u16;
  if (modifiers.take("s16x2")) return Type::s16;
  return Type::none;
}

template <class F, class Saturating>
bool add_or_sub(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  Modifiers modifiers(instruction);
  if (modifiers.take("cc")) return decode_carry(instruction, context, out);
  if (const Type element = take_packed(modifiers); element != Type::none)
    return modifiers.done() && bind(instruction, context, out, Type::b32, {Type::b32, Type::b32}) &&
           packed<F>(element, out);
  const bool saturating = modifiers.take("sat");
  const Type type = modifiers.take_type();
  if (is_float(type)) return decode_float_arithmetic(instruction, context, out);
  if (!modifiers.done() || !bind(instruction, context, out, type, {type, type})) return false;
  if (!saturating) return with_unsigned(type, on_two<F>(out));
  using T = std::int32_t;
  return type == Type::s32 && lanes::set_simple<Saturating, T, T, T>(out);
}

/// The type of twice as many bits.
Type wide_type(Type type) {
  switch (type) {
    case Type::u16:
      return Type::u32;
    case Type::s16:
      return Type::s32;
    case Type::u32:
      return Type::u64;
    case Type::s32:
      return Type::s64;
    default:
      return Type::none;
  }
}
template <class Use>
bool with_narrow_integer(Type type, Use&& use) {
  return wide_type(type) != Type::none && with_integer(type, [&](auto tag) {
           if constexpr (sizeof(typename decltype(tag)::type) <= 4) return use(tag);
           return false;
         });
}

template <class F>
bool divide(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  Modifiers modifiers(instruction);
  const Type type = modifiers.take_type();
  return modifiers.done() && bind(instruction, context, out, type, {type, type}) &&
         with_integer(type, [&](auto tag) {
           using T = typename decltype(tag)::type;
           return lanes::set_each<F, T, T, T>(out);
         });
}

template <class F>
bool min_or_max(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  Modifiers modifiers(instruction);
  const bool relu = modifiers.take("relu");
  if (const Type element = take_packed(modifiers); element != Type::none)
    return modifiers.done() && (!relu || element == Type::s16) &&
           bind(instruction, context, out, Type::b32, {Type::b32, Type::b32}) &&
           (relu ? packed<Relu<F>>(element, out) : packed<F>(element, out));
  const Type type = modifiers.take_type();
  if (is_float(type)) return decode_float_arithmetic(instruction, context, out);
  if (!modifiers.done() || !bind(instruction, context, out, type, {type, type})) return false;
  using T = std::int32_t;
  if (relu) return type == Type::s32 && lanes::set_simple<Relu<F>, T, T, T>(out);
  return with_integer(type, on_two<F>(out));
}

template <class F>
bool sign(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  Modifiers modifiers(instruction);
  const Type type = modifiers.take_type();
  if (is_float(type) || instruction.has("ftz"))
    return decode_float_arithmetic(instruction, context, out);
  return modifiers.done() && bind(instruction, context, out, type, {type}) &&
         with_signed(type, [&](auto tag) {
           using T = typename decltype(tag)::type;
           return lanes::set_simple<F, T, T>(out);
         });
}

/// Calls `use` with the types of the two narrow sources of a dot product.
template <class S, class U, class Use>
bool with_signs(Modifiers& modifiers, Use&& use) {
  const Type a = modifiers.take_type(), b = modifiers.take_type();
  const auto good = [](Type type) { return type == Type::u32 || type == Type::s32; };
  if (!good(a) || !good(b) || !modifiers.done()) return false;
  if (a == Type::s32)
    return b == Type::s32 ? use(Tag<S>(), Tag<std::int8_t>()) : use(Tag<S>(), Tag<std::uint8_t>());
  return b == Type::s32 ? use(Tag<U>(), Tag<std::int8_t>()) : use(Tag<U>(), Tag<std::uint8_t>());
}

}  // namespace

bool decode_add(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  return add_or_sub<Add, AddSaturating>(instruction, context, out);
}

bool decode_sub(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  return add_or_sub<Sub, SubSaturating>(instruction, context, out);
}

bool decode_mul(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  Modifiers modifiers(instruction);
  const bool low = modifiers.take("lo"), high = modifiers.take("hi");
  const bool wide = modifiers.take("wide");
  const Type type = modifiers.take_type();
  if (is_float(type)) return decode_float_arithmetic(instruction, context, out);
  if (!modifiers.done() || low + high + wide != 1) return false;
  if (!bind(instruction, context, out, wide ? wide_type(type) : type, {type, type})) return false;
  if (low) return with_unsigned(type, on_two<MulLow>(out));
  if (high) return with_integer(type, on_two<MulHigh>(out));
  return with_narrow_integer(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return lanes::set_simple<MulWide, Double<T>, T, T>(out);
  });
}

bool decode_mad(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  Modifiers modifiers(instruction);
  if (modifiers.take("cc")) return decode_carry(instruction, context, out);
  const bool low = modifiers.take("lo"), high = modifiers.take("hi");
  const bool wide = modifiers.take("wide"), saturating = modifiers.take("sat");
  const Type type = modifiers.take_type();
  if (is_float(type)) return decode_float_arithmetic(instruction, context, out);
  if (!modifiers.done() || low + high + wide != 1) return false;
  const Type sum = wide ? wide_type(type) : type;
  if (!bind(instruction, context, out, sum, {type, type, sum})) return false;
  using S = std::int32_t;
  if (saturating)
    return high && type == Type::s32 && lanes::set_simple<MadHighSaturating, S, S, S, S>(out);
  if (low) return with_unsigned(type, on_three<MadLow>(out));
  if (high) return with_integer(type, on_three<MadHigh>(out));
  return with_narrow_integer(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return lanes::set_simple<MadWide, Double<T>, T, T, Double<T>>(out);
  });
}

bool decode_mul24(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  Modifiers modifiers(instruction);
  const bool low = modifiers.take("lo"), high = modifiers.take("hi");
  const Type type = modifiers.take_type();
  return modifiers.done() && low != high && bind(instruction, context, out, type, {type, type}) &&
         (low ? with_word(type, on_two<Mul24Low>(out)) : with_word(type, on_two<Mul24High>(out)));
}

bool decode_mad24(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  Modifiers modifiers(instruction);
  const bool low = modifiers.take("lo"), high = modifiers.take("hi");
  const Type type = modifiers.take_type();
  return modifiers.done() && low != high &&
         bind(instruction, context, out, type, {type, type, type}) &&
         (low ? with_word(type, on_three<Mad24<Mul24Low>>(out))
              : with_word(type, on_three<Mad24<Mul24High>>(out)));
}

bool decode_div(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  for (const std::string& modifier : instruction.modifiers)
    if (is_float(ptx::type_named(modifier)))
      return decode_float_arithmetic(instruction, context, out);
  return divide<Div>(instruction, context, out);
}

bool decode_rem(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  return divide<Rem>(instruction, context, out);
}

bool decode_min(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  return min_or_max<Min>(instruction, context, out);
}

bool decode_max(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  return min_or_max<Max>(instruction, context, out);
}

bool decode_neg(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  return sign<Neg>(instruction, context, out);
}

bool decode_abs(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  return sign<Abs>(instruction, context, out);
}

bool decode_sad(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  Modifiers modifiers(instruction);
  const Type type = modifiers.take_type();
  return modifiers.done() && bind(instruction, context, out, type, {type, type, type}) &&
         with_integer(type, on_three<Sad>(out));
}

bool decode_dp4a(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  Modifiers modifiers(instruction);
  using W = std::uint32_t;
  return bind(instruction, context, out, Type::b32, {Type::b32, Type::b32, Type::b32}) &&
         with_signs<std::int8_t, std::uint8_t>(modifiers, [&](auto a, auto b) {
           using F = Dp4a<typename decltype(a)::type, typename decltype(b)::type>;
           return lanes::set_simple<F, W, W, W, W>(out);
         });
}

bool decode_dp2a(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  Modifiers modifiers(instruction);
  const bool low = modifiers.take("lo"), high = modifiers.take("hi");
  using W = std::uint32_t;
  return low != high &&
         bind(instruction, context, out, Type::b32, {Type::b32, Type::b32, Type::b32}) &&
         with_signs<std::int16_t, std::uint16_t>(modifiers, [&](auto a, auto b) {
           using A = typename decltype(a)::type;
           using B = typename decltype(b)::type;
           return low ? lanes::set_simple<Dp2a<A, B, 0>, W, W, W, W>(out)
                      : lanes::set_simple<Dp2a<A, B, 2>, W, W, W, W>(out);
         });
}

}  // namespace gridstride::sim
