// Integer arithmetic: add, sub, mul, mad, div, rem, min, max, abs, neg, sad, dp2a, dp4a, and the
// packed forms. What carries is in ops_carry.cpp, what works on bits in ops_logic.cpp.
#include <limits>

#include "common/simulator/exec/decode.h"
#include "common/simulator/exec/lanes.h"
#include "common/simulator/exec/modifiers.h"
#include "common/simulator/exec/operands.h"
#include "common/simulator/exec/ops_carry.h"
#include "common/simulator/exec/ops_float.h"
#include "common/simulator/exec/wide_integer.h"

namespace gridstride::sim {

namespace {

using ptx::Type;

/// Arithmetic wraps: it is done on unsigned types of at least 32 bits.
template <class T>
using Wrapping = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
/// A type that holds any product of two T.
template <class T>
using Double = std::conditional_t<
    sizeof(T) == 8, std::conditional_t<std::is_signed_v<T>, Int128, UInt128>,
    std::conditional_t<sizeof(T) == 4,
                       std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>,
                       std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>>>;

struct Add {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
  }
};
struct Sub {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(static_cast<Wrapping<T>>(a) - static_cast<Wrapping<T>>(b));
  }
};
std::int32_t saturated(std::int64_t value) {
  constexpr std::int64_t low = std::numeric_limits<std::int32_t>::min();
  constexpr std::int64_t high = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::int32_t>(value < low ? low : value > high ? high : value);
}
struct AddSaturating {
  static std::int32_t apply(std::int32_t a, std::int32_t b) {
    return saturated(std::int64_t{a} + b);
  }
};
struct SubSaturating {
  static std::int32_t apply(std::int32_t a, std::int32_t b) {
    return saturated(std::int64_t{a} - b);
  }
};
struct MulLow {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(b));
  }
};
struct MulHigh {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>((static_cast<Double<T>>(a) * static_cast<Double<T>>(b)) >>
                          (8 * sizeof(T)));
  }
};
struct MulWide {
  template <class T>
  static Double<T> apply(T a, T b) {
    return static_cast<Double<T>>(a) * static_cast<Double<T>>(b);
  }
};
struct MadLow {
  template <class T>
  static T apply(T a, T b, T c) {
    return Add::apply(MulLow::apply(a, b), c);
  }
};
struct MadHigh {
  template <class T>
  static T apply(T a, T b, T c) {
    return Add::apply(MulHigh::apply(a, b), c);
  }
};
struct MadHighSaturating {
  static std::int32_t apply(std::int32_t a, std::int32_t b, std::int32_t c) {
    return saturated(std::int64_t{MulHigh::apply(a, b)} + c);
  }
};
struct MadWide {
  template <class T>
  static Double<T> apply(T a, T b, Double<T> c) {
    return Add::apply(MulWide::apply(a, b), c);
  }
};
/// The low 24 bits of a value, sign-extended for signed types.
template <class T>
std::int64_t low_24(T value) {
  const auto bits = static_cast<std::uint32_t>(value) << 8;
  return std::is_signed_v<T> ? std::int64_t{static_cast<std::int32_t>(bits) >> 8}
                             : std::int64_t{bits >> 8};
}
struct Mul24Low {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(low_24(a) * low_24(b));
  }
};
struct Mul24High {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>((low_24(a) * low_24(b)) >> 16);
  }
};
template <class Product>
struct Mad24 {
  template <class T>
  static T apply(T a, T b, T c) {
    return Add::apply(Product::apply(a, b), c);
  }
};
/// Division by zero has no defined result; the hardware gives all ones. The most negative number
/// divided by -1 wraps to itself.
struct Div {
  template <class T>
  static T apply(T a, T b) {
    if (b == 0) return static_cast<T>(-1);
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return Sub::apply(T{0}, a);
    return static_cast<T>(a / b);
  }
};
struct Rem {
  template <class T>
  static T apply(T a, T b) {
    if (b == 0) return static_cast<T>(-1);
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return 0;
    return static_cast<T>(a % b);
  }
};
struct Min {
  template <class T>
  static T apply(T a, T b) {
    return a < b ? a : b;
  }
};
struct Max {
  template <class T>
  static T apply(T a, T b) {
    return a > b ? a : b;
  }
};
template <class Order>
struct Relu {
  template <class T>
  static T apply(T a, T b) {
    return Max::apply(Order::apply(a, b), T{0});
  }
};
struct Neg {
  template <class T>
  static T apply(T a) {
    return Sub::apply(T{0}, a);
  }
};
struct Abs {
  template <class T>
  static T apply(T a) {
    return a < 0 ? Sub::apply(T{0}, a) : a;
  }
};
struct Sad {
  template <class T>
  static T apply(T a, T b, T c) {
    return Add::apply(c, a < b ? Sub::apply(b, a) : Sub::apply(a, b));
  }
};
/// The same operation on both halves of a 32-bit word.
template <class F, class T>
struct Packed {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b) {
    const auto half = [](std::uint32_t word, int at) { return static_cast<T>(word >> at); };
    const auto low = static_cast<std::uint16_t>(F::apply(half(a, 0), half(b, 0)));
    const auto high = static_cast<std::uint16_t>(F::apply(half(a, 16), half(b, 16)));
    return low | std::uint32_t{high} << 16;
  }
};
/// Dot product of `n` bytes of b with n parts of a, each 32/n bits wide (n = 4), or with the two
/// 16-bit halves of a (n = 2, on the low or high half of b).
template <class A, class B>
struct Dp4a {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    for (int byte = 0; byte < 32; byte += 8)
      c += static_cast<std::uint32_t>(std::int32_t{static_cast<A>(a >> byte)} *
                                      std::int32_t{static_cast<B>(b >> byte)});
    return c;
  }
};
template <class A, class B, int first_byte>
struct Dp2a {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    for (int part = 0; part < 2; ++part)
      c += static_cast<std::uint32_t>(std::int32_t{static_cast<A>(a >> (16 * part))} *
                                      std::int32_t{static_cast<B>(b >> (8 * (part + first_byte)))});
    return c;
  }
};

/// F on one, two or three sources of the type that the instruction names.
template <class F>
bool unary(Type type, Inst& out) {
  return with_integer(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return lanes::set_simple<F, T, T>(out);
  });
}
template <class F>
bool binary(Type type, Inst& out) {
  return with_integer(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return lanes::set_simple<F, T, T, T>(out);
  });
}
template <class F>
bool ternary(Type type, Inst& out) {
  return with_integer(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return lanes::set_simple<F, T, T, T, T>(out);
  });
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
  if (!saturating) return binary<F>(type, out);
  using T = std::int32_t;
  return type == Type::s32 && lanes::set_simple<Saturating, T, T, T>(out);
}

bool add(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  return add_or_sub<Add, AddSaturating>(instruction, context, out);
}
bool sub(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  return add_or_sub<Sub, SubSaturating>(instruction, context, out);
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

bool mul(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  Modifiers modifiers(instruction);
  const bool low = modifiers.take("lo"), high = modifiers.take("hi");
  const bool wide = modifiers.take("wide");
  const Type type = modifiers.take_type();
  if (is_float(type)) return decode_float_arithmetic(instruction, context, out);
  if (!modifiers.done() || low + high + wide != 1) return false;
  if (!bind(instruction, context, out, wide ? wide_type(type) : type, {type, type})) return false;
  if (low) return binary<MulLow>(type, out);
  if (high) return binary<MulHigh>(type, out);
  return with_narrow_integer(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return lanes::set_simple<MulWide, Double<T>, T, T>(out);
  });
}

bool mad(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
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
  if (low) return ternary<MadLow>(type, out);
  if (high) return ternary<MadHigh>(type, out);
  return with_narrow_integer(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return lanes::set_simple<MadWide, Double<T>, T, T, Double<T>>(out);
  });
}

bool mul24(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  Modifiers modifiers(instruction);
  const bool low = modifiers.take("lo"), high = modifiers.take("hi");
  const Type type = modifiers.take_type();
  if (!modifiers.done() || low == high || ptx::size_of(type) != 4) return false;
  return bind(instruction, context, out, type, {type, type}) &&
         (low ? binary<Mul24Low>(type, out) : binary<Mul24High>(type, out));
}

bool mad24(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  Modifiers modifiers(instruction);
  const bool low = modifiers.take("lo"), high = modifiers.take("hi");
  const Type type = modifiers.take_type();
  if (!modifiers.done() || low == high || ptx::size_of(type) != 4) return false;
  return bind(instruction, context, out, type, {type, type, type}) &&
         (low ? ternary<Mad24<Mul24Low>>(type, out) : ternary<Mad24<Mul24High>>(type, out));
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

bool div(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  for (const std::string& modifier : instruction.modifiers)
    if (is_float(ptx::type_named(modifier)))
      return decode_float_arithmetic(instruction, context, out);
  return divide<Div>(instruction, context, out);
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
  return binary<F>(type, out);
}

template <class F>
bool sign(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  Modifiers modifiers(instruction);
  const Type type = modifiers.take_type();
  if (is_float(type) || instruction.has("ftz"))
    return decode_float_arithmetic(instruction, context, out);
  const bool is_signed = type == Type::s16 || type == Type::s32 || type == Type::s64;
  return modifiers.done() && is_signed && bind(instruction, context, out, type, {type}) &&
         unary<F>(type, out);
}

bool sad(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  Modifiers modifiers(instruction);
  const Type type = modifiers.take_type();
  return modifiers.done() && bind(instruction, context, out, type, {type, type, type}) &&
         ternary<Sad>(type, out);
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

bool dp4a(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  Modifiers modifiers(instruction);
  using W = std::uint32_t;
  return bind(instruction, context, out, Type::b32, {Type::b32, Type::b32, Type::b32}) &&
         with_signs<std::int8_t, std::uint8_t>(modifiers, [&](auto a, auto b) {
           using F = Dp4a<typename decltype(a)::type, typename decltype(b)::type>;
           return lanes::set_simple<F, W, W, W, W>(out);
         });
}

bool dp2a(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
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

constexpr OpcodeEntry opcodes[] = {
    {"add", add},
    {"sub", sub},
    {"mul", mul},
    {"mad", mad},
    {"addc", decode_carry},
    {"subc", decode_carry},
    {"madc", decode_carry},
    {"mul24", mul24},
    {"mad24", mad24},
    {"div", div},
    {"rem", divide<Rem>},
    {"min", min_or_max<Min>},
    {"max", min_or_max<Max>},
    {"neg", sign<Neg>},
    {"abs", sign<Abs>},
    {"sad", sad},
    {"dp4a", dp4a},
    {"dp2a", dp2a},
};

}  // namespace

std::span<const OpcodeEntry> integer_opcodes() { return opcodes; }

}  // namespace gridstride::sim
