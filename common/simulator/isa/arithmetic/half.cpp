// See half.h. Sums and products of 16-bit floats are computed in double precision so that they
// are rounded once (half.h).
#include "common/simulator/isa/arithmetic/half.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>

#include "common/simulator/base/half.h"
#include "common/simulator/decode/modifiers.h"
#include "common/simulator/decode/operands.h"
#include "common/simulator/exec/warp.h"
#include "common/simulator/isa/arithmetic/lanes.h"

namespace gridstride::sim {

namespace {

using lanes::Bfloat;
using lanes::Half;
using ptx::Type;

/// What happens to results on their way into 16 bits. Bits of Inst::flags.
constexpr std::uint8_t flag_ftz = 1, flag_sat = 2, flag_relu = 4;

// Operations on numbers; the results need rounding only.
struct Add {
  static double apply(double a, double b, double) { return lanes::odd_sum(a, b); }
};
struct Sub {
  static double apply(double a, double b, double) { return lanes::odd_sum(a, -b); }
};
struct Mul {
  static double apply(double a, double b, double) { return a * b; }
};
struct Fma {
  static double apply(double a, double b, double c) { return lanes::odd_sum(a * b, c); }
};
template <bool minimum, bool propagate>
struct Extreme {
  static double apply(double a, double b, double) {
    if (std::isnan(a)) return propagate ? a : b;
    if (std::isnan(b)) return propagate ? b : a;
    if (a == b) return std::signbit(a) == minimum ? a : b;
    return (a < b) == minimum ? a : b;
  }
};
/// With .xorsign.abs: of the magnitudes, with the product's sign unless it is a NaN.
template <bool minimum, bool propagate>
struct SignedExtreme {
  static double apply(double a, double b, double c) {
    const double result = Extreme<minimum, propagate>::apply(std::fabs(a), std::fabs(b), c);
    const bool negative = std::signbit(a) != std::signbit(b);
    return std::isnan(result) ? result : std::copysign(result, negative ? -1.0 : 1.0);
  }
};
struct Exponential {
  static double apply(double a, double, double) { return std::exp2(a); }
};
struct HyperbolicTangent {
  static double apply(double a, double, double) { return std::tanh(a); }
};

template <class T>
std::uint16_t finish(double value, std::uint8_t flags) {
  if ((flags & flag_sat) != 0) value = value > 0 ? std::min(value, 1.0) : 0.0;
  if ((flags & flag_relu) != 0 && !std::isnan(value)) value = value > 0 ? value : 0.0;
  return lanes::from_number<T>(value).bits;
}

template <class T>
double number(std::uint32_t word, int shift, std::uint8_t flags) {
  auto bits = static_cast<std::uint16_t>(word >> shift);
  constexpr std::uint16_t exponent = std::is_same_v<T, Half> ? 0x7c00 : 0x7f80;
  if ((flags & flag_ftz) != 0 && (bits & exponent) == 0) bits &= 0x8000;
  return lanes::to_float(T{bits});
}

template <class F, class T>
std::uint16_t one_half(std::uint32_t a, std::uint32_t b, std::uint32_t c, int shift,
                       std::uint8_t flags) {
  const double result =
      F::apply(number<T>(a, shift, flags), number<T>(b, shift, flags), number<T>(c, shift, flags));
  const std::uint16_t bits = finish<T>(result, flags);
  constexpr std::uint16_t exponent = std::is_same_v<T, Half> ? 0x7c00 : 0x7f80;
  return (flags & flag_ftz) != 0 && (bits & exponent) == 0 ? bits & 0x8000 : bits;
}

template <class F, class T, bool packed>
void run(Warp& warp, const Inst& inst, LaneMask mask) {
  auto* const d = vector_register<std::uint32_t>(warp.registers, inst.dst);
  const auto* const a = vector_register<const std::uint32_t>(warp.registers, inst.a);
  // Sources that the operation does not have repeat the first.
  const auto* const b =
      inst.b == no_register ? a : vector_register<const std::uint32_t>(warp.registers, inst.b);
  const auto* const c =
      inst.c == no_register ? a : vector_register<const std::uint32_t>(warp.registers, inst.c);
  for (; mask != 0; mask &= mask - 1) {
    const int lane = std::countr_zero(mask);
    std::uint32_t result = one_half<F, T>(a[lane], b[lane], c[lane], 0, inst.flags);
    if (packed)
      result |= std::uint32_t{one_half<F, T>(a[lane], b[lane], c[lane], 16, inst.flags)} << 16;
    d[lane] = result;
  }
}

/// abs and neg change sign bits; a NaN becomes the canonical one.
template <bool absolute, bool packed, std::uint32_t infinity>
struct SignBits {
  static std::uint32_t apply(std::uint32_t a) {
    constexpr std::uint32_t signs = packed ? 0x80008000u : 0x8000u;
    const std::uint32_t result = absolute ? a & ~signs : a ^ signs;
    const auto canonical = [](std::uint32_t bits) -> std::uint32_t {
      return (bits & 0x7fffu) > infinity ? 0x7fffu : bits;
    };
    return packed ? canonical(result >> 16) << 16 | canonical(result & 0xffffu) : canonical(result);
  }
};

template <class F>
bool set(Type type, Inst& out) {
  switch (type) {
    case Type::f16:
      out.handler = run<F, Half, false>;
      break;
    case Type::f16x2:
      out.handler = run<F, Half, true>;
      break;
    case Type::bf16:
      out.handler = run<F, Bfloat, false>;
      break;
    case Type::bf16x2:
      out.handler = run<F, Bfloat, true>;
      break;
    default:
      return false;
  }
  out.full_handler = out.handler;
  return true;
}

template <bool absolute>
bool set_sign(Type type, Inst& out) {
  using W = std::uint32_t;
  constexpr std::uint32_t half = 0x7c00, bfloat = 0x7f80;
  switch (type) {
    case Type::f16:
      return lanes::set_simple<SignBits<absolute, false, half>, W, W>(out);
    case Type::f16x2:
      return lanes::set_simple<SignBits<absolute, true, half>, W, W>(out);
    case Type::bf16:
      return lanes::set_simple<SignBits<absolute, false, bfloat>, W, W>(out);
    default:
      return lanes::set_simple<SignBits<absolute, true, bfloat>, W, W>(out);
  }
}

template <template <bool, bool> class F>
bool set_extreme(bool minimum, bool propagate, Type type, Inst& out) {
  if (minimum) return propagate ? set<F<true, true>>(type, out) : set<F<true, false>>(type, out);
  return propagate ? set<F<false, true>>(type, out) : set<F<false, false>>(type, out);
}

bool is_half(const ptx::Instruction& instruction) {
  return std::any_of(instruction.modifiers.begin(), instruction.modifiers.end(),
                     [](const std::string& modifier) {
                       return modifier == "f16" || modifier == "f16x2" || modifier == "bf16" ||
                              modifier == "bf16x2";
                     });
}

}  // namespace

bool decode_half(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  if (!is_half(instruction)) return false;
  const std::string& opcode = instruction.opcode;
  Modifiers modifiers(instruction);
  const bool approximate = modifiers.take("approx"), propagate = modifiers.take("NaN");
  modifiers.take("rn");
  out.flags = static_cast<std::uint8_t>((modifiers.take("ftz") ? flag_ftz : 0) |
                                        (modifiers.take("sat") ? flag_sat : 0) |
                                        (modifiers.take("relu") ? flag_relu : 0));
  const bool xors_signs = modifiers.take("xorsign");
  if (xors_signs && !modifiers.take("abs")) return false;
  const Type type = modifiers.take_type();
  const bool is_function = opcode == "ex2" || opcode == "tanh";
  const bool is_extreme = opcode == "min" || opcode == "max";
  const bool is_sign = opcode == "abs" || opcode == "neg";
  if (!modifiers.done() || approximate != is_function ||
      ((propagate || xors_signs) && !is_extreme)) {
    return false;
  }
  const bool bound = opcode == "fma" ? bind(instruction, context, out, type, {type, type, type})
                     : is_function || is_sign ? bind(instruction, context, out, type, {type})
                                              : bind(instruction, context, out, type, {type, type});
  if (!bound) return false;
  if (opcode == "add") return set<Add>(type, out);
  if (opcode == "sub") return set<Sub>(type, out);
  if (opcode == "mul") return set<Mul>(type, out);
  if (opcode == "fma") return set<Fma>(type, out);
  if (is_extreme) {
    return xors_signs ? set_extreme<SignedExtreme>(opcode == "min", propagate, type, out)
                      : set_extreme<Extreme>(opcode == "min", propagate, type, out);
  }
  if (opcode == "ex2") return set<Exponential>(type, out);
  if (opcode == "tanh") return set<HyperbolicTangent>(type, out);
  if (!is_sign || out.flags != 0) return false;
  return opcode == "abs" ? set_sign<true>(type, out) : set_sign<false>(type, out);
}

}  // namespace gridstride::sim
