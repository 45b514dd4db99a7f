// Bit fields, masks, permutations of bytes, and functions of three bits.
#include <bit>
#include <cstdint>
#include <type_traits>

#include "common/simulator/decode/decode.h"
#include "common/simulator/decode/modifiers.h"
#include "common/simulator/decode/operands.h"
#include "common/simulator/exec/warp.h"
#include "common/simulator/isa/arithmetic/lanes.h"
#include "common/simulator/isa/arithmetic/shifts.h"

namespace gridstride::sim {

namespace {

using ptx::Type;

/// Position of the highest bit that is not a copy of the sign; all ones when there is none. With
/// `amount`, how far to shift left to bring it to the top.
template <bool amount>
struct Bfind {
  template <class T>
  static std::uint32_t apply(T a) {
    using U = std::make_unsigned_t<T>;
    const U bits =
        std::is_signed_v<T> && a < 0 ? static_cast<U>(~static_cast<U>(a)) : static_cast<U>(a);
    const auto zeros = static_cast<std::uint32_t>(std::countl_zero(bits));
    if (bits == 0) return ~0u;
    return amount ? zeros : static_cast<std::uint32_t>(8 * sizeof(T) - 1) - zeros;
  }
};
/// Positions and lengths of 32-bit fields count modulo 256, as the ISA says; those of 64-bit
/// fields, as the hardware does it, do not: anything from 64 on is 64.
template <class T>
std::uint32_t field_number(std::uint32_t number) {
  if constexpr (sizeof(T) == 4) return number & 0xff;
  return number < 64 ? number : 64;
}
/// `length` bits of a from bit `position`; what lies above a is zero, or its sign.
struct Bfe {
  template <class T>
  static T apply(T a, std::uint32_t position, std::uint32_t length) {
    using U = std::make_unsigned_t<T>;
    constexpr std::uint32_t width = 8 * sizeof(T);
    position = field_number<T>(position);
    length = field_number<T>(length);
    if (length == 0) return 0;
    const U fill = std::is_signed_v<T> && a < 0 ? ~U{0} : U{0};
    const U above = position < width ? static_cast<U>(ShiftRight::apply(a, position)) : fill;
    if (length >= width) return static_cast<T>(above);
    const U mask = (U{1} << length) - 1;
    U sign = 0;
    if constexpr (std::is_signed_v<T>) {
      const std::uint32_t last = position + length - 1 < width ? position + length - 1 : width - 1;
      sign = (static_cast<U>(a) >> last & 1) != 0 ? ~U{0} : U{0};
    }
    return static_cast<T>((above & mask) | (sign & ~mask));
  }
};
/// The low `length` bits of a put into b at `position`.
struct Bfi {
  template <class T>
  static T apply(T a, T b, std::uint32_t position, std::uint32_t length) {
    constexpr std::uint32_t width = 8 * sizeof(T);
    position = field_number<T>(position);
    length = field_number<T>(length);
    const T ones = length < width ? (T{1} << (length & (width - 1))) - 1 : ~T{0};
    const T mask = ShiftLeft::apply(ones, position);
    return (b & ~mask) | (ShiftLeft::apply(a, position) & mask);
  }
};
/// A mask of b ones from bit a on.
template <bool clamp>
struct Bmsk {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t position = a & 31, end = position + (b & 31);
    const std::uint32_t below = ~(~0u << position);
    const std::uint32_t upto = end < 32 ? ~(~0u << (end & 31)) : ~0u;
    if (clamp && a >= 32) return 0;
    if (clamp && b >= 32) return ~below;
    return upto & ~below;
  }
};

/// The bit that is set as the |offset|-th one from `base` on, upwards or downwards; `base` itself
/// for 0. All ones when there is none.
struct Fns {
  static std::uint32_t apply(std::uint32_t mask, std::uint32_t base, std::int32_t offset) {
    if (base > 31) return ~0u;
    if (offset == 0) return (mask >> base & 1) != 0 ? base : ~0u;
    const bool up = offset > 0;
    std::uint32_t left =
        up ? static_cast<std::uint32_t>(offset) : 0u - static_cast<std::uint32_t>(offset);
    mask &= up ? ~0u << base : ~0u >> (31 - base);
    for (; mask != 0 && left > 1; --left)
      mask &= up ? mask - 1 : ~(1u << (31 - std::countl_zero(mask)));
    if (mask == 0) return ~0u;
    return static_cast<std::uint32_t>(up ? std::countr_zero(mask) : 31 - std::countl_zero(mask));
  }
};
/// The low b bits of a, the last of them its sign.
template <bool clamp>
struct Szext {
  template <class T>
  static T apply(T a, std::uint32_t b) {
    const std::uint32_t bits = clamp ? (b < 32 ? b : 32) : b & 31;
    if (bits == 0) return 0;
    return static_cast<T>(static_cast<T>(static_cast<std::uint32_t>(a) << (32 - bits)) >>
                          (32 - bits));
  }
};

/// One byte of the eight in {b, a} for each of the four selectors; a selector's high bit asks for
/// eight copies of the byte's sign instead.
std::uint32_t pick(std::uint64_t bytes, std::uint32_t selectors) {
  std::uint32_t result = 0;
  for (std::uint32_t i = 0; i < 4; ++i) {
    const std::uint32_t selector = selectors >> (4 * i);
    auto byte = static_cast<std::uint32_t>(bytes >> (8 * (selector & 7))) & 0xff;
    if ((selector & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;
    result |= byte << (8 * i);
  }
  return result;
}
enum class Permute { generic, f4e, b4e, rc8, ecl, ecr, rc16 };
template <Permute mode>
struct Prmt {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    constexpr std::uint32_t special[][4] = {
        {0x3210, 0x4321, 0x5432, 0x6543},  // f4e: four bytes forward
        {0x5670, 0x6701, 0x7012, 0x0123},  // b4e: four bytes backward
        {0x0000, 0x1111, 0x2222, 0x3333},  // rc8: one byte replicated
        {0x3210, 0x3211, 0x3222, 0x3333},  // ecl: edge clamped left
        {0x0000, 0x1110, 0x2210, 0x3210},  // ecr: edge clamped right
        {0x1010, 0x3232, 0x1010, 0x3232},  // rc16: one half replicated
    };
    const std::uint64_t bytes = std::uint64_t{b} << 32 | a;
    if constexpr (mode == Permute::generic) return pick(bytes, c);
    return pick(bytes, special[static_cast<int>(mode) - 1][c & 3]);
  }
};

/// Any function of three bits: bit (a<<2 | b<<1 | c) of the table in Inst::imm, for each bit.
std::uint32_t lop3_of(std::uint32_t a, std::uint32_t b, std::uint32_t c,
                      const std::uint32_t* table) {
  const auto choose = [](std::uint32_t by, std::uint32_t one, std::uint32_t zero) {
    return (by & one) | (~by & zero);
  };
  const std::uint32_t b0 = choose(b, choose(c, table[3], table[2]), choose(c, table[1], table[0]));
  const std::uint32_t b1 = choose(b, choose(c, table[7], table[6]), choose(c, table[5], table[4]));
  return choose(a, b1, b0);
}
void lop3_masked(Warp& warp, const Inst& inst, LaneMask mask) {
  std::uint32_t table[8];
  for (int i = 0; i < 8; ++i) table[i] = (inst.imm >> i & 1) != 0 ? ~0u : 0u;
  auto* const d = vector_register<std::uint32_t>(warp.registers, inst.dst);
  const auto* const a = vector_register<const std::uint32_t>(warp.registers, inst.a);
  const auto* const b = vector_register<const std::uint32_t>(warp.registers, inst.b);
  const auto* const c = vector_register<const std::uint32_t>(warp.registers, inst.c);
  GRIDSTRIDE_LANES_ARE_APART
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    const std::uint32_t value = lop3_of(a[lane], b[lane], c[lane], table);
    d[lane] = ((mask >> lane) & 1u) != 0 ? value : d[lane];
  }
}

}  // namespace

bool decode_bfind(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  Modifiers modifiers(instruction);
  const bool amount = modifiers.take("shiftamt");
  const Type type = modifiers.take_type();
  return modifiers.done() && bind(instruction, context, out, Type::u32, {type}) &&
         with_wide_integer(type, [&](auto tag) {
           using T = typename decltype(tag)::type;
           return amount ? lanes::set_simple<Bfind<true>, std::uint32_t, T>(out)
                         : lanes::set_simple<Bfind<false>, std::uint32_t, T>(out);
         });
}

bool decode_bfe(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  Modifiers modifiers(instruction);
  const Type type = modifiers.take_type();
  return modifiers.done() && bind(instruction, context, out, type, {type, Type::u32, Type::u32}) &&
         with_wide_integer(type, [&](auto tag) {
           using T = typename decltype(tag)::type;
           return lanes::set_each<Bfe, T, T, std::uint32_t, std::uint32_t>(out);
         });
}

bool decode_bfi(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  Modifiers modifiers(instruction);
  const Type type = modifiers.take_type();
  if (!modifiers.done() || (type != Type::b32 && type != Type::b64)) return false;
  using W = std::uint32_t;
  using L = std::uint64_t;
  return bind(instruction, context, out, type, {type, type, Type::u32, Type::u32}) &&
         (type == Type::b64 ? lanes::set_simple<Bfi, L, L, L, W, W>(out)
                            : lanes::set_simple<Bfi, W, W, W, W, W>(out));
}

bool decode_bmsk(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  Modifiers modifiers(instruction);
  const bool clamp = modifiers.take("clamp"), wrap = modifiers.take("wrap");
  if (!modifiers.take("b32") || !modifiers.done() || clamp == wrap) return false;
  using W = std::uint32_t;
  return bind(instruction, context, out, Type::b32, {Type::u32, Type::u32}) &&
         (clamp ? lanes::set_simple<Bmsk<true>, W, W, W>(out)
                : lanes::set_simple<Bmsk<false>, W, W, W>(out));
}

bool decode_fns(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  Modifiers modifiers(instruction);
  using W = std::uint32_t;
  return modifiers.take("b32") && modifiers.done() &&
         bind(instruction, context, out, Type::b32, {Type::b32, Type::b32, Type::s32}) &&
         lanes::set_each<Fns, W, W, W, std::int32_t>(out);
}

bool decode_szext(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  Modifiers modifiers(instruction);
  const bool clamp = modifiers.take("clamp"), wrap = modifiers.take("wrap");
  const Type type = modifiers.take_type();
  if (!modifiers.done() || clamp == wrap || (type != Type::u32 && type != Type::s32) ||
      !bind(instruction, context, out, type, {type, Type::u32}))
    return false;
  using W = std::uint32_t;
  using S = std::int32_t;
  if (type == Type::u32)
    return clamp ? lanes::set_simple<Szext<true>, W, W, W>(out)
                 : lanes::set_simple<Szext<false>, W, W, W>(out);
  return clamp ? lanes::set_simple<Szext<true>, S, S, W>(out)
               : lanes::set_simple<Szext<false>, S, S, W>(out);
}

bool decode_prmt(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  Modifiers modifiers(instruction);
  if (!modifiers.take("b32") ||
      !bind(instruction, context, out, Type::b32, {Type::b32, Type::b32, Type::b32}))
    return false;
  if (modifiers.done()) return lanes::set_words<Prmt<Permute::generic>>(out);
  const bool known = modifiers.take("f4e")    ? lanes::set_words<Prmt<Permute::f4e>>(out)
                     : modifiers.take("b4e")  ? lanes::set_words<Prmt<Permute::b4e>>(out)
                     : modifiers.take("rc8")  ? lanes::set_words<Prmt<Permute::rc8>>(out)
                     : modifiers.take("ecl")  ? lanes::set_words<Prmt<Permute::ecl>>(out)
                     : modifiers.take("ecr")  ? lanes::set_words<Prmt<Permute::ecr>>(out)
                     : modifiers.take("rc16") ? lanes::set_words<Prmt<Permute::rc16>>(out)
                                              : false;
  return known && modifiers.done();
}

bool decode_lop3(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  Modifiers modifiers(instruction);
  const auto& operands = instruction.operands;
  if (!modifiers.take("b32") || !modifiers.done() || operands.size() != 5) return false;
  if (operands[4].kind != ptx::Operand::Kind::immediate || operands[4].is_float) return false;
  for (const ptx::Operand& operand : operands)
    if (operand.negate || operand.second_index >= 0) return false;
  if (!bind_destination(operands[0], Type::b32, context, out.dst) ||
      !bind_source(operands[1], Type::b32, context, out.a) ||
      !bind_source(operands[2], Type::b32, context, out.b) ||
      !bind_source(operands[3], Type::b32, context, out.c))
    return false;
  out.imm = static_cast<std::int64_t>(operands[4].bits & 0xff);
  out.handler = out.full_handler = lop3_masked;
  return true;
}

}  // namespace gridstride::sim
