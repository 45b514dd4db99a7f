// Floating-point arithmetic in single and double precision. Reciprocals, roots and transcendental
// functions are in special.cpp, the 16-bit formats in half.cpp.
#include "common/simulator/isa/arithmetic/float.h"

#include <cfenv>
#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>

#include "common/simulator/decode/modifiers.h"
#include "common/simulator/decode/operands.h"
#include "common/simulator/isa/arithmetic/float_lanes.h"
#include "common/simulator/isa/arithmetic/half.h"
#include "common/simulator/isa/arithmetic/rare_operands.h"

namespace gridstride::sim {

namespace {

using lanes::Single;
using ptx::Type;

struct Add {
  template <class T>
  static T apply(T a, T b) {
    return a + b;
  }
};
struct Sub {
  template <class T>
  static T apply(T a, T b) {
    return a - b;
  }
};
struct Mul {
  template <class T>
  static T apply(T a, T b) {
    return a * b;
  }
};
struct Fma {
  template <class T>
  static T apply(T a, T b, T c) {
    return std::fma(a, b, c);
  }
};
struct Div {
  template <class T>
  static T apply(T a, T b) {
    return a / b;
  }
};
/// div.approx: a quotient by a number of 2^126 and more is 0, or NaN for an infinite dividend.
struct DivApprox {
  static float apply(float a, float b) {
    const float magnitude = std::fabs(b);
    const float quotient = a / b;
    const bool huge = (magnitude > 0x1p126f) & (magnitude < INFINITY);
    return huge ? a * 0.0f : quotient;
  }
};
/// Of a number and a NaN the number; -0 is less than +0.
template <bool minimum, bool propagate>
struct Extreme {
  template <class T>
  static T apply(T a, T b) {
    using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    const auto a_bits = std::bit_cast<Bits>(a), b_bits = std::bit_cast<Bits>(b);
    const T equal = std::bit_cast<T>(minimum ? a_bits | b_bits : a_bits & b_bits);
    const T ordered = minimum ? (a < b ? a : b) : (a > b ? a : b);
    const T numbers = a == b ? equal : ordered;
    if constexpr (propagate) return a != a ? a : (b != b ? b : numbers);
    return a != a ? b : (b != b ? a : numbers);
  }
};
/// min and max with .xorsign.abs: of the magnitudes, with the product's sign unless it is a NaN.
template <bool minimum, bool propagate>
struct SignedExtreme {
  static float apply(float a, float b) {
    const float result = Extreme<minimum, propagate>::apply(std::fabs(a), std::fabs(b));
    const bool negative = std::signbit(a) != std::signbit(b);
    return result != result ? result : std::copysign(result, negative ? -1.0f : 1.0f);
  }
};
/// A NaN in single precision becomes the canonical one, one in double precision stays as it is.
template <class T>
T signed_as(T source, T result) {
  if constexpr (sizeof(T) == 8) return source != source ? source : result;
  return lanes::canonical(result);
}
struct Abs {
  template <class T>
  static T apply(T a) {
    return signed_as(a, std::fabs(a));
  }
};
struct Neg {
  template <class T>
  static T apply(T a) {
    return signed_as(a, -a);
  }
};
/// The sign of a on the magnitude of b.
struct Copysign {
  template <class T>
  static T apply(T a, T b) {
    return std::copysign(b, a);
  }
};
template <class F>
struct Flushing {
  static float apply(float a) { return F::apply(lanes::flushed(a)); }
};
template <class F, class... S>
bool set_single(bool ftz, bool sat, int rounding, Inst& out) {
  if (ftz)
    return sat ? lanes::set_rounded<Single<F, true, true>, float, S...>(out, rounding)
               : lanes::set_rounded<Single<F, true, false>, float, S...>(out, rounding);
  return sat ? lanes::set_rounded<Single<F, false, true>, float, S...>(out, rounding)
             : lanes::set_rounded<Single<F, false, false>, float, S...>(out, rounding);
}

/// add, sub, mul, fma, mad in f32 and f64.
template <class F, class... S>
bool rounded(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  Modifiers modifiers(instruction);
  const int rounding = lanes::take_rounding(modifiers);
  const bool ftz = modifiers.take("ftz"), sat = modifiers.take("sat");
  const Type type = modifiers.take_type();
  if (!modifiers.done()) return false;
  const bool bound = sizeof...(S) == 3 ? bind(instruction, context, out, type, {type, type, type})
                                       : bind(instruction, context, out, type, {type, type});
  if (!bound) return false;
  if (type == Type::f32) return set_single<F, S...>(ftz, sat, rounding, out);
  if (type != Type::f64 || ftz || sat) return false;
  if constexpr (sizeof...(S) == 3)
    return lanes::set_rounded<F, double, double, double, double>(out, rounding);
  else
    return lanes::set_rounded<F, double, double, double>(out, rounding);
}

bool div(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  Modifiers modifiers(instruction);
  const bool approximate = modifiers.take("approx"), full = modifiers.take("full");
  const int rounding = lanes::take_rounding(modifiers);
  const bool ftz = modifiers.take("ftz");
  const Type type = modifiers.take_type();
  if (!modifiers.done() || !bind(instruction, context, out, type, {type, type})) return false;
  if (type == Type::f64)
    return !approximate && !full && !ftz &&
           lanes::set_rounded<Div, double, double, double>(out, rounding);
  if (type != Type::f32) return false;
  if (!approximate && !full && rounding == FE_TONEAREST) {
    return ftz ? lanes::set_noting_rare<Single<Div, true, false>, lanes::RareDivision>(out)
               : lanes::set_noting_rare<Single<Div, false, false>, lanes::RareDivision>(out);
  }
  if (!approximate) return set_single<Div, float, float>(ftz, false, rounding, out);
  return !full && set_single<DivApprox, float, float>(ftz, false, rounding, out);
}

template <bool minimum>
bool extreme(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  Modifiers modifiers(instruction);
  const bool ftz = modifiers.take("ftz"), propagate = modifiers.take("NaN");
  const bool xors_signs = modifiers.take("xorsign");
  if (xors_signs && !modifiers.take("abs")) return false;
  const Type type = modifiers.take_type();
  if (!modifiers.done() || !bind(instruction, context, out, type, {type, type})) return false;
  if (type == Type::f64)
    return !ftz && !propagate && !xors_signs &&
           lanes::set_simple<Extreme<minimum, false>, double, double, double>(out);
  if (type != Type::f32) return false;
  if (xors_signs) {
    return propagate ? set_single<SignedExtreme<minimum, true>, float, float>(ftz, false,
                                                                              FE_TONEAREST, out)
                     : set_single<SignedExtreme<minimum, false>, float, float>(ftz, false,
                                                                               FE_TONEAREST, out);
  }
  return propagate
             ? set_single<Extreme<minimum, true>, float, float>(ftz, false, FE_TONEAREST, out)
             : set_single<Extreme<minimum, false>, float, float>(ftz, false, FE_TONEAREST, out);
}

template <class F>
bool sign(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  Modifiers modifiers(instruction);
  const bool ftz = modifiers.take("ftz");
  const Type type = modifiers.take_type();
  if (!modifiers.done() || !bind(instruction, context, out, type, {type})) return false;
  if (type == Type::f64) return !ftz && lanes::set_simple<F, double, double>(out);
  if (type != Type::f32) return false;
  return ftz ? lanes::set_simple<Flushing<F>, float, float>(out)
             : lanes::set_simple<F, float, float>(out);
}

}  // namespace

bool decode_float_arithmetic(const ptx::Instruction& instruction, DecodeContext& context,
                             Inst& out) {
  if (decode_half(instruction, context, out)) return true;
  const std::string& opcode = instruction.opcode;
  if (opcode == "add") return rounded<Add, float, float>(instruction, context, out);
  if (opcode == "sub") return rounded<Sub, float, float>(instruction, context, out);
  if (opcode == "mul") return rounded<Mul, float, float>(instruction, context, out);
  if (opcode == "mad") return rounded<Fma, float, float, float>(instruction, context, out);
  if (opcode == "div") return div(instruction, context, out);
  if (opcode == "min") return extreme<true>(instruction, context, out);
  if (opcode == "max") return extreme<false>(instruction, context, out);
  if (opcode == "abs") return sign<Abs>(instruction, context, out);
  if (opcode == "neg") return sign<Neg>(instruction, context, out);
  return false;
}

bool decode_fma(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  return decode_half(instruction, context, out) ||
         rounded<Fma, float, float, float>(instruction, context, out);
}

bool decode_copysign(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  Modifiers modifiers(instruction);
  const Type type = modifiers.take_type();
  if (!modifiers.done() || !bind(instruction, context, out, type, {type, type})) return false;
  if (type == Type::f64) return lanes::set_simple<Copysign, double, double, double>(out);
  return type == Type::f32 && lanes::set_simple<Copysign, float, float, float>(out);
}

}  // namespace gridstride::sim
