// Reciprocals, roots and transcendental functions. The hardware's approximations differ from the
// correctly rounded result in the last one or two bits, in ways that are not published: here every
// approximate function is computed in double precision and rounded, which lies inside the bounds
// that the PTX ISA gives.
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>

#include "common/simulator/decode/decode.h"
#include "common/simulator/decode/modifiers.h"
#include "common/simulator/decode/operands.h"
#include "common/simulator/isa/arithmetic/float_lanes.h"
#include "common/simulator/isa/arithmetic/half.h"
#include "common/simulator/isa/arithmetic/rare_operands.h"

namespace gridstride::sim {

namespace {

using lanes::Single;
using ptx::Type;

struct Reciprocal {
  template <class T>
  static T apply(T a) {
    return T{1} / a;
  }
};
struct SquareRoot {
  template <class T>
  static T apply(T a) {
    return std::sqrt(a);
  }
};
struct ReciprocalRoot {
  static float apply(float a) { return static_cast<float>(1.0 / std::sqrt(double{a})); }
  static double apply(double a) { return 1.0 / std::sqrt(a); }
};
struct Sine {
  static float apply(float a) { return static_cast<float>(std::sin(double{a})); }
};
struct Cosine {
  static float apply(float a) { return static_cast<float>(std::cos(double{a})); }
};
struct Exponential {
  static float apply(float a) { return static_cast<float>(std::exp2(double{a})); }
};
struct Logarithm {
  static float apply(float a) { return static_cast<float>(std::log2(double{a})); }
};
struct HyperbolicTangent {
  static float apply(float a) { return static_cast<float>(std::tanh(double{a})); }
};
/// .approx.ftz.f64: sees and gives only the upper 32 bits of a double; subnormals are zeros.
template <class F>
struct Gross {
  static double upper(double value) {
    auto bits = std::bit_cast<std::uint64_t>(value) & 0xffffffff00000000u;
    const bool is_nan = value != value;
    if ((bits & 0x7ff0000000000000u) == 0) bits &= 0x8000000000000000u;
    return is_nan ? value : std::bit_cast<double>(bits);
  }
  static double apply(double a) { return upper(F::apply(upper(a))); }
};

/// Handlers in f32; `slow` functions are worth skipping inactive lanes for.
template <class F, bool slow>
bool set_single(bool ftz, int rounding, Inst& out) {
  if constexpr (slow)
    return ftz ? lanes::set_each<Single<F, true, false>, float, float>(out)
               : lanes::set_each<Single<F, false, false>, float, float>(out);
  else
    return ftz ? lanes::set_rounded<Single<F, true, false>, float, float>(out, rounding)
               : lanes::set_rounded<Single<F, false, false>, float, float>(out, rounding);
}

/// rcp, sqrt, rsqrt: approximate or rounded, in f32 and f64.
template <class F>
bool root(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  Modifiers modifiers(instruction);
  const bool approximate = modifiers.take("approx");
  const int rounding = lanes::take_rounding(modifiers);
  const bool ftz = modifiers.take("ftz");
  const Type type = modifiers.take_type();
  if (!modifiers.done() || !bind(instruction, context, out, type, {type})) return false;
  if constexpr (!std::is_same_v<F, ReciprocalRoot>) {
    using Rare =
        std::conditional_t<std::is_same_v<F, SquareRoot>, lanes::RareRoot, lanes::RareReciprocal>;
    if (type == Type::f32 && !approximate && rounding == FE_TONEAREST) {
      return ftz ? lanes::set_noting_rare<Single<F, true, false>, Rare>(out)
                 : lanes::set_noting_rare<Single<F, false, false>, Rare>(out);
    }
  }
  if (type == Type::f32) return set_single<F, false>(ftz, rounding, out);
  if (type != Type::f64) return false;
  if (approximate && ftz) return lanes::set_simple<Gross<F>, double, double>(out);
  return !ftz && lanes::set_rounded<F, double, double>(out, rounding);
}

/// sin, cos, ex2, lg2, tanh: approximate, in f32.
template <class F>
bool function(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  Modifiers modifiers(instruction);
  const bool approximate = modifiers.take("approx"), ftz = modifiers.take("ftz");
  const Type type = modifiers.take_type();
  return approximate && modifiers.done() && type == Type::f32 &&
         bind(instruction, context, out, type, {type}) &&
         set_single<F, true>(ftz, FE_TONEAREST, out);
}

}  // namespace

/// rcp sqrt rsqrt sin cos ex2 lg2 tanh.
bool decode_special(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  const std::string& opcode = instruction.opcode;
  if (opcode == "rcp") return root<Reciprocal>(instruction, context, out);
  if (opcode == "sqrt") return root<SquareRoot>(instruction, context, out);
  if (opcode == "rsqrt") return root<ReciprocalRoot>(instruction, context, out);
  if (opcode == "sin") return function<Sine>(instruction, context, out);
  if (opcode == "cos") return function<Cosine>(instruction, context, out);
  if (opcode == "lg2") return function<Logarithm>(instruction, context, out);
  if (decode_half(instruction, context, out)) return true;
  if (opcode == "ex2") return function<Exponential>(instruction, context, out);
  return opcode == "tanh" && function<HyperbolicTangent>(instruction, context, out);
}

}  // namespace gridstride::sim
