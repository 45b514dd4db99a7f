// Bits: and, or, xor, not, cnot, shifts, counting, and the logic of predicates. Bit fields and
// permutations are in bitfield.cpp.
#include <bit>
#include <cstdint>

#include "common/simulator/decode/decode.h"
#include "common/simulator/decode/modifiers.h"
#include "common/simulator/decode/operands.h"
#include "common/simulator/exec/warp.h"
#include "common/simulator/isa/arithmetic/integer_functions.h"
#include "common/simulator/isa/arithmetic/lanes.h"
#include "common/simulator/isa/arithmetic/shifts.h"

namespace gridstride::sim {

namespace {

using ptx::Type;

struct Not {
  template <class T>
  static T apply(T a) {
    return static_cast<T>(~a);
  }
};
struct Cnot {
  template <class T>
  static T apply(T a) {
    return a == 0;
  }
};

/// Shifts the 64 bits {b, a}: the high word of a left shift, the low word of a right shift.
template <bool left, bool wrap>
struct FunnelShift {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    const std::uint32_t count = wrap ? c & 31 : (c < 32 ? c : 32);
    const std::uint64_t both = std::uint64_t{b} << 32 | a;
    return static_cast<std::uint32_t>(left ? (both << count) >> 32 : both >> count);
  }
};

struct Popc {
  template <class T>
  static std::uint32_t apply(T a) {
    if constexpr (sizeof(T) == 4) {
      // In pairs of bits, fours, bytes: the compiler vectorises that, but not popcount().
      a -= a >> 1 & 0x55555555;
      a = (a & 0x33333333) + (a >> 2 & 0x33333333);
      return ((a + (a >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
    } else {
      return static_cast<std::uint32_t>(std::popcount(a));
    }
  }
};
struct Clz {
  template <class T>
  static std::uint32_t apply(T a) {
    return static_cast<std::uint32_t>(std::countl_zero(a));
  }
};
struct Brev {
  static std::uint32_t apply(std::uint32_t a) {
    a = (a >> 1 & 0x55555555u) | (a & 0x55555555u) << 1;
    a = (a >> 2 & 0x33333333u) | (a & 0x33333333u) << 2;
    a = (a >> 4 & 0x0f0f0f0fu) | (a & 0x0f0f0f0fu) << 4;
    a = (a >> 8 & 0x00ff00ffu) | (a & 0x00ff00ffu) << 8;
    return a >> 16 | a << 16;
  }
  static std::uint64_t apply(std::uint64_t a) {
    return std::uint64_t{apply(static_cast<std::uint32_t>(a))} << 32 |
           apply(static_cast<std::uint32_t>(a >> 32));
  }
};
/// Logic of predicates works on the masks. Bits of Inst::flags: the source is negated.
constexpr std::uint8_t first_negated = 1, second_negated = 2;
template <class F>
void predicate_logic(Warp& warp, const Inst& inst, LaneMask mask) {
  LaneMask a = *vector_register<LaneMask>(warp.registers, inst.a);
  LaneMask b = *vector_register<LaneMask>(warp.registers, inst.b);
  if ((inst.flags & first_negated) != 0) a = ~a;
  if ((inst.flags & second_negated) != 0) b = ~b;
  lanes::store_predicate(warp.registers, inst.dst, F::apply(a, b), mask);
}
void predicate_not(Warp& warp, const Inst& inst, LaneMask mask) {
  LaneMask a = *vector_register<LaneMask>(warp.registers, inst.a);
  if ((inst.flags & first_negated) != 0) a = ~a;
  lanes::store_predicate(warp.registers, inst.dst, ~a, mask);
}

template <class F>
bool logic(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  Modifiers modifiers(instruction);
  const Type type = modifiers.take_type();
  if (!modifiers.done()) return false;
  if (type == Type::pred) {
    const auto& operands = instruction.operands;
    if (operands.size() != 3 || operands[0].second_index >= 0) return false;
    if (!bind_destination(operands[0], Type::pred, context, out.dst) ||
        !bind_source(operands[1], Type::pred, context, out.a) ||
        !bind_source(operands[2], Type::pred, context, out.b))
      return false;
    out.flags = static_cast<std::uint8_t>((operands[1].negate ? first_negated : 0) |
                                          (operands[2].negate ? second_negated : 0));
    return lanes::set_any(out, predicate_logic<F>);
  }
  return is_untyped(type) && bind(instruction, context, out, type, {type, type}) &&
         with_bits(type, [&](auto tag) {
           using T = typename decltype(tag)::type;
           return lanes::set_simple<F, T, T, T>(out);
         });
}

/// popc, clz: b32 or b64 in, u32 out.
template <class F>
bool count_bits(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  Modifiers modifiers(instruction);
  const Type type = modifiers.take_type();
  if (!modifiers.done() || (type != Type::b32 && type != Type::b64)) return false;
  if (!bind(instruction, context, out, Type::u32, {type})) return false;
  return type == Type::b64 ? lanes::set_simple<F, std::uint32_t, std::uint64_t>(out)
                           : lanes::set_simple<F, std::uint32_t, std::uint32_t>(out);
}

}  // namespace

bool decode_and(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  return logic<integer::And>(instruction, context, out);
}

bool decode_or(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  return logic<integer::Or>(instruction, context, out);
}

bool decode_xor(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  return logic<integer::Xor>(instruction, context, out);
}

bool decode_not(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  Modifiers modifiers(instruction);
  const Type type = modifiers.take_type();
  if (!modifiers.done()) return false;
  if (type == Type::pred) {
    const auto& operands = instruction.operands;
    if (operands.size() != 2) return false;
    if (!bind_destination(operands[0], Type::pred, context, out.dst) ||
        !bind_source(operands[1], Type::pred, context, out.a))
      return false;
    out.flags = operands[1].negate ? first_negated : 0;
    return lanes::set_any(out, predicate_not);
  }
  return is_untyped(type) && bind(instruction, context, out, type, {type}) &&
         with_bits(type, [&](auto tag) {
           using T = typename decltype(tag)::type;
           return lanes::set_simple<Not, T, T>(out);
         });
}

bool decode_cnot(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  Modifiers modifiers(instruction);
  const Type type = modifiers.take_type();
  return modifiers.done() && is_untyped(type) && bind(instruction, context, out, type, {type}) &&
         with_bits(type, [&](auto tag) {
           using T = typename decltype(tag)::type;
           return lanes::set_simple<Cnot, T, T>(out);
         });
}

bool decode_shl(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  Modifiers modifiers(instruction);
  const Type type = modifiers.take_type();
  return modifiers.done() && is_untyped(type) &&
         bind(instruction, context, out, type, {type, Type::u32}) && with_bits(type, [&](auto tag) {
           using T = typename decltype(tag)::type;
           return lanes::set_simple<ShiftLeft, T, T, std::uint32_t>(out);
         });
}

bool decode_shr(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  Modifiers modifiers(instruction);
  const Type type = modifiers.take_type();
  if (!modifiers.done() || !bind(instruction, context, out, type, {type, Type::u32})) return false;
  const auto set = [&](auto tag) {
    using T = typename decltype(tag)::type;
    return lanes::set_simple<ShiftRight, T, T, std::uint32_t>(out);
  };
  return is_untyped(type) ? with_bits(type, set) : with_integer(type, set);
}

bool decode_shf(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  Modifiers modifiers(instruction);
  const bool left = modifiers.take("l"), right = modifiers.take("r");
  const bool wrap = modifiers.take("wrap"), clamp = modifiers.take("clamp");
  if (!modifiers.take("b32") || !modifiers.done() || left == right || wrap == clamp) return false;
  if (!bind(instruction, context, out, Type::b32, {Type::b32, Type::b32, Type::u32})) return false;
  if (left)
    return wrap ? lanes::set_words<FunnelShift<true, true>>(out)
                : lanes::set_words<FunnelShift<true, false>>(out);
  return wrap ? lanes::set_words<FunnelShift<false, true>>(out)
              : lanes::set_words<FunnelShift<false, false>>(out);
}

bool decode_popc(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  return count_bits<Popc>(instruction, context, out);
}

bool decode_clz(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  return count_bits<Clz>(instruction, context, out);
}

bool decode_brev(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  Modifiers modifiers(instruction);
  const Type type = modifiers.take_type();
  if (!modifiers.done() || (type != Type::b32 && type != Type::b64)) return false;
  if (!bind(instruction, context, out, type, {type})) return false;
  return type == Type::b64 ? lanes::set_simple<Brev, std::uint64_t, std::uint64_t>(out)
                           : lanes::set_simple<Brev, std::uint32_t, std::uint32_t>(out);
}

}  // namespace gridstride::sim
