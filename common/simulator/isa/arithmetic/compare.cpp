// Comparisons and choices: setp, set, selp, slct, testp.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string_view>

#include "common/simulator/decode/decode.h"
#include "common/simulator/decode/modifiers.h"
#include "common/simulator/decode/operands.h"
#include "common/simulator/exec/warp.h"
#include "common/simulator/isa/arithmetic/compare_orders.h"
#include "common/simulator/isa/arithmetic/float_lanes.h"
#include "common/simulator/isa/arithmetic/lanes.h"

namespace gridstride::sim {

namespace {

using lanes::Bfloat;
using lanes::Half;
using ptx::Type;

using orders::Flushing;
using orders::OfHalf;
using orders::with_float_order;
using orders::with_integer_order;

using Compare = LaneMask (*)(std::byte* registers, VectorRegister a, VectorRegister b);

/// Bits 0-1 of Inst::flags: how the result is combined with the predicate in register c; bit 2:
/// that predicate is negated.
enum class Combine : std::uint8_t { none, and_, or_, xor_ };
constexpr std::uint8_t third_negated = 4;

LaneMask combined(std::byte* registers, const Inst& inst, LaneMask bits) {
  if (inst.flags == 0) return bits;
  LaneMask c = *vector_register<LaneMask>(registers, inst.c);
  if ((inst.flags & third_negated) != 0) c = ~c;
  switch (static_cast<Combine>(inst.flags & 3)) {
    case Combine::none:
      return bits;
    case Combine::and_:
      return bits & c;
    case Combine::or_:
      return bits | c;
    case Combine::xor_:
      return bits ^ c;
  }
  return bits;
}

/// setp with one type for both halves of a pair p|q: q is the denial of the comparison.
template <class F, class S>
void setp_run(Warp& warp, const Inst& inst, LaneMask mask) {
  const LaneMask bits = lanes::compare<F, S>(warp.registers, inst.a, inst.b);
  const LaneMask second = inst.dst2 == no_register ? 0 : combined(warp.registers, inst, ~bits);
  lanes::store_predicate(warp.registers, inst.dst, combined(warp.registers, inst, bits), mask);
  if (inst.dst2 != no_register) lanes::store_predicate(warp.registers, inst.dst2, second, mask);
}

/// What the rarer forms carry in Inst::extra.
struct Rare {
  Compare low = nullptr, high = nullptr;  ///< high: of packed halves, else null
  std::uint32_t one = 0, one_high = 0;    ///< set: bits of "true"
};

void setp_rare(Warp& warp, const Inst& inst, LaneMask mask) {
  const auto& rare = *static_cast<const Rare*>(inst.extra);
  const LaneMask low = rare.low(warp.registers, inst.a, inst.b);
  const LaneMask high = rare.high != nullptr ? rare.high(warp.registers, inst.a, inst.b) : ~low;
  const LaneMask first = combined(warp.registers, inst, low);
  const LaneMask second = combined(warp.registers, inst, high);
  lanes::store_predicate(warp.registers, inst.dst, first, mask);
  if (inst.dst2 != no_register) lanes::store_predicate(warp.registers, inst.dst2, second, mask);
}

void set_run(Warp& warp, const Inst& inst, LaneMask mask) {
  const auto& rare = *static_cast<const Rare*>(inst.extra);
  const LaneMask low = combined(warp.registers, inst, rare.low(warp.registers, inst.a, inst.b));
  const LaneMask high = rare.high == nullptr ? 0
                                             : combined(warp.registers, inst,
                                                        rare.high(warp.registers, inst.a, inst.b));
  auto* const d = vector_register<std::uint32_t>(warp.registers, inst.dst);
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    const std::uint32_t value =
        ((low >> lane) & 1u ? rare.one : 0u) | ((high >> lane) & 1u ? rare.one_high : 0u);
    d[lane] = ((mask >> lane) & 1u) != 0 ? value : d[lane];
  }
}

/// What setp and set have in common.
struct Comparison {
  std::string_view order;
  Type type = Type::none;  ///< of the sources
  bool ftz = false;
};

/// Handlers for the types that kernels compare all the time.
bool set_common(const Comparison& what, Inst& out) {
  const auto use = [&](auto order, auto tag) {
    out.handler = setp_run<typename decltype(order)::type, typename decltype(tag)::type>;
    return true;
  };
  const auto integer = [&](auto tag) {
    using T = typename decltype(tag)::type;
    return with_integer_order(what.order, std::is_unsigned_v<T>,
                              [&](auto order) { return use(order, tag); });
  };
  if (what.type == Type::f32)
    return with_float_order(what.order, [&](auto order) {
      using F = typename decltype(order)::type;
      return what.ftz ? use(Tag<Flushing<F>>(), Tag<float>()) : use(order, Tag<float>());
    });
  if (what.ftz) return false;
  if (what.type == Type::f64)
    return with_float_order(what.order, [&](auto order) { return use(order, Tag<double>()); });
  if (is_untyped(what.type))
    return (what.order == "eq" || what.order == "ne") && with_bits(what.type, integer);
  return with_integer(what.type, integer);
}

template <class T>
bool set_half(const Comparison& what, bool packed, Rare& rare) {
  return with_float_order(what.order, [&](auto order) {
    using F = typename decltype(order)::type;
    rare.low = lanes::compare<OfHalf<F, T, 0>, std::uint32_t>;
    if (packed) rare.high = lanes::compare<OfHalf<F, T, 16>, std::uint32_t>;
    return true;
  });
}

/// Comparison functions for any type, called through a pointer.
bool set_rare(const Comparison& what, Rare& rare) {
  const auto integer = [&](auto tag) {
    using T = typename decltype(tag)::type;
    return with_integer_order(what.order, std::is_unsigned_v<T>, [&](auto order) {
      rare.low = lanes::compare<typename decltype(order)::type, T>;
      return true;
    });
  };
  switch (what.type) {
    case Type::f16:
    case Type::f16x2:
      return !what.ftz && set_half<Half>(what, what.type == Type::f16x2, rare);
    case Type::bf16:
    case Type::bf16x2:
      return !what.ftz && set_half<Bfloat>(what, what.type == Type::bf16x2, rare);
    case Type::f32:
      return with_float_order(what.order, [&](auto order) {
        using F = typename decltype(order)::type;
        rare.low = what.ftz ? lanes::compare<Flushing<F>, float> : lanes::compare<F, float>;
        return true;
      });
    case Type::f64:
      return with_float_order(what.order, [&](auto order) {
        rare.low = lanes::compare<typename decltype(order)::type, double>;
        return true;
      });
    default:
      return is_untyped(what.type) ? with_bits(what.type, integer)
                                   : with_integer(what.type, integer);
  }
}

Rare* new_rare(DecodeContext& context) { return ::new (context.allocate(sizeof(Rare))) Rare(); }

/// Takes .and, .or, .xor, and binds the predicate that goes with it, operand 3.
bool bind_combination(const ptx::Instruction& instruction, Modifiers& modifiers,
                      DecodeContext& context, Inst& out) {
  Combine combine = Combine::none;
  if (modifiers.take("and")) combine = Combine::and_;
  if (modifiers.take("or")) combine = Combine::or_;
  if (modifiers.take("xor")) combine = Combine::xor_;
  const auto& operands = instruction.operands;
  if (operands.size() != (combine == Combine::none ? 3 : 4)) return false;
  if (operands[1].negate || operands[2].negate) return false;
  out.flags = static_cast<std::uint8_t>(combine);
  if (combine == Combine::none) return true;
  if (!bind_source(operands[3], Type::pred, context, out.c)) return false;
  if (operands[3].negate) out.flags |= third_negated;
  return true;
}

/// Takes the order, the first modifier.
bool take_order(const ptx::Instruction& instruction, Modifiers& modifiers, Comparison& what) {
  if (instruction.modifiers.empty()) return false;
  what.order = instruction.modifiers.front();
  return modifiers.take(what.order);
}

/// Bits of "true" in the destination type of set.
bool set_one(Type type, Rare& rare) {
  const bool packed = rare.high != nullptr;
  switch (type) {
    case Type::u32:
    case Type::s32:
      rare.one = packed ? 0xffffu : ~0u;
      break;
    case Type::u16:
    case Type::s16:
      rare.one = 0xffffu;
      break;
    case Type::f32:
      rare.one = 0x3f800000u;
      break;
    case Type::f16:
    case Type::f16x2:
      rare.one = 0x3c00u;
      break;
    case Type::bf16:
    case Type::bf16x2:
      rare.one = 0x3f80u;
      break;
    default:
      return false;
  }
  rare.one_high = rare.one << 16;
  return packed == (ptx::size_of(type) == 4 && type != Type::f32) || !packed;
}

template <class T, bool full>
void selp_run(Warp& warp, const Inst& inst, LaneMask mask) {
  const LaneMask chosen = *vector_register<LaneMask>(warp.registers, inst.c);
  T* const d = vector_register<T>(warp.registers, inst.dst);
  const T* const a = vector_register<const T>(warp.registers, inst.a);
  const T* const b = vector_register<const T>(warp.registers, inst.b);
  GRIDSTRIDE_LANES_ARE_APART
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    const T value = ((chosen >> lane) & 1u) != 0 ? a[lane] : b[lane];
    d[lane] = full || ((mask >> lane) & 1u) != 0 ? value : d[lane];
  }
}

/// a where c is not negative, b where it is or where it is NaN.
template <bool ftz>
struct Slct {
  template <class T, class C>
  static T apply(T a, T b, C c) {
    if constexpr (ftz) c = lanes::flushed(c);
    return c >= 0 ? a : b;
  }
};

/// testp: what kind of number a is. The second source of the comparison is the first again.
template <int kind>
struct Is {
  template <class T>
  static bool apply(T a, T) {
    return std::fpclassify(a) == kind;
  }
};
struct IsFinite {
  template <class T>
  static bool apply(T a, T) {
    return std::isfinite(a);
  }
};
struct IsNormal {  // zeros count as normal numbers
  template <class T>
  static bool apply(T a, T) {
    return std::isnormal(a) || a == 0;
  }
};
struct IsNumber {
  template <class T>
  static bool apply(T a, T) {
    return a == a;
  }
};

template <class T>
bool set_testp(std::string_view name, Inst& out) {
  const auto use = [&](auto tag) {
    out.handler = out.full_handler = setp_run<typename decltype(tag)::type, T>;
    return true;
  };
  if (name == "finite") return use(Tag<IsFinite>());
  if (name == "infinite") return use(Tag<Is<FP_INFINITE>>());
  if (name == "number") return use(Tag<IsNumber>());
  if (name == "notanumber") return use(Tag<Is<FP_NAN>>());
  if (name == "normal") return use(Tag<IsNormal>());
  if (name == "subnormal") return use(Tag<Is<FP_SUBNORMAL>>());
  return false;
}

}  // namespace

bool decode_setp(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  Modifiers modifiers(instruction);
  Comparison what;
  if (!take_order(instruction, modifiers, what)) return false;
  what.ftz = modifiers.take("ftz");
  what.type = modifiers.take_type();
  if (!bind_combination(instruction, modifiers, context, out) || !modifiers.done()) return false;
  const ptx::Operand& destination = instruction.operands[0];
  if (!bind_destination(destination, Type::pred, context, out.dst) ||
      !bind_source(instruction.operands[1], what.type, context, out.a) ||
      !bind_source(instruction.operands[2], what.type, context, out.b))
    return false;
  if (destination.second_index >= 0) {
    ptx::Operand second;
    second.kind = ptx::Operand::Kind::reg;
    second.index = destination.second_index;
    if (!fits(second, Type::pred, context)) return false;
    out.dst2 = context.second_destination(destination);
  }
  if (!set_common(what, out)) {
    Rare* const rare = new_rare(context);
    if (!set_rare(what, *rare)) return false;
    out.extra = rare;
    out.handler = setp_rare;
  }
  out.full_handler = out.handler;
  return true;
}

bool decode_set(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  Modifiers modifiers(instruction);
  Comparison what;
  if (!take_order(instruction, modifiers, what)) return false;
  what.ftz = modifiers.take("ftz");
  const Type result = modifiers.take_type();
  what.type = modifiers.take_type();
  if (!bind_combination(instruction, modifiers, context, out) || !modifiers.done()) return false;
  Rare* const rare = new_rare(context);
  if (!set_rare(what, *rare) || !set_one(result, *rare)) return false;
  if (instruction.operands[0].second_index >= 0 ||
      !bind_destination(instruction.operands[0], result, context, out.dst) ||
      !bind_source(instruction.operands[1], what.type, context, out.a) ||
      !bind_source(instruction.operands[2], what.type, context, out.b))
    return false;
  out.extra = rare;
  out.handler = out.full_handler = set_run;
  return true;
}

bool decode_selp(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  Modifiers modifiers(instruction);
  const Type type = modifiers.take_type();
  const std::size_t bytes = ptx::size_of(type);
  if (!modifiers.done() || bytes < 2 || bytes > 8) return false;
  if (!bind(instruction, context, out, type, {type, type, Type::pred})) return false;
  const bool wide = bytes == 8;
  out.handler = wide ? selp_run<std::uint64_t, false> : selp_run<std::uint32_t, false>;
  out.full_handler = wide ? selp_run<std::uint64_t, true> : selp_run<std::uint32_t, true>;
  return true;
}

bool decode_slct(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  Modifiers modifiers(instruction);
  const bool ftz = modifiers.take("ftz");
  const Type type = modifiers.take_type(), selector = modifiers.take_type();
  if (!modifiers.done() || (ftz && selector != Type::f32)) return false;
  if (!bind(instruction, context, out, type, {type, type, selector})) return false;
  return with_bits(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if (selector == Type::s32) return lanes::set_simple<Slct<false>, T, T, T, std::int32_t>(out);
    if (selector != Type::f32) return false;
    return ftz ? lanes::set_simple<Slct<true>, T, T, T, float>(out)
               : lanes::set_simple<Slct<false>, T, T, T, float>(out);
  });
}

bool decode_testp(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  if (instruction.modifiers.size() != 2) return false;
  const Type type = ptx::type_named(instruction.modifiers[1]);
  if (!bind(instruction, context, out, Type::pred, {type})) return false;
  out.b = out.a;
  if (type == Type::f32) return set_testp<float>(instruction.modifiers[0], out);
  return type == Type::f64 && set_testp<double>(instruction.modifiers[0], out);
}

}  // namespace gridstride::sim
