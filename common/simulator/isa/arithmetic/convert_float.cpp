// cvt between floating-point formats, and rounding to whole numbers within one.
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "common/simulator/base/half.h"
#include "common/simulator/decode/operands.h"
#include "common/simulator/exec/warp.h"
#include "common/simulator/isa/arithmetic/convert.h"
#include "common/simulator/isa/arithmetic/float_lanes.h"
#include "common/simulator/isa/arithmetic/lanes.h"

namespace gridstride::sim {

namespace {

using lanes::Bfloat;
using lanes::Half;
using lanes::Rounding;
using ptx::Type;
using Integral = Conversion::Integral;

template <Integral mode, class T>
T integral(T a) {
  switch (mode) {
    case Integral::none:
      return a;
    case Integral::nearest:
      return std::nearbyint(a);
    case Integral::zero:
      return std::trunc(a);
    case Integral::down:
      return std::floor(a);
    case Integral::up:
      return std::ceil(a);
  }
  return a;
}

/// f32 to f32: whole numbers, or the modifiers alone.
template <Integral mode>
struct Whole {
  template <class T>
  static T apply(T a) {
    return integral<mode>(a);
  }
};
/// Half formats to themselves: as whole numbers of f32, which hold them exactly.
template <Integral mode>
struct WholeHalf {
  template <class T>
  static T apply(T a) {
    return lanes::from_number<T>(double{integral<mode>(lanes::to_float(a))});
  }
};

template <bool ftz, bool sat>
struct Widen {
  static double apply(float a) {
    const double result = ftz ? lanes::canonical(lanes::flushed(a)) : a;
    return sat ? lanes::saturated_unit(result) : result;
  }
};
/// Half formats to f32 or f64. From f16 to f32 a NaN becomes the canonical one.
template <class D, bool canonical>
struct FromHalf {
  template <class S>
  static D apply(S a) {
    const float result = lanes::to_float(a);
    return canonical ? lanes::canonical(result) : result;
  }
};

/// Any float to a half format. Inst::flags: the rounding mode; bit 4 saturates, bit 5 is .relu,
/// bit 6 .ftz.
constexpr std::uint8_t half_sat = 16, half_relu = 32, half_ftz = 64;
template <class D>
std::uint16_t to_half_bits(double value, std::uint8_t flags) {
  if ((flags & half_sat) != 0) value = lanes::saturated_unit(value);
  if ((flags & half_relu) != 0 && value <= 0) value = 0;
  return lanes::from_number<D>(value, static_cast<Rounding>(flags & 15)).bits;
}
double as_double(float value, std::uint8_t flags) {
  return (flags & half_ftz) != 0 ? lanes::flushed(value) : value;
}
double as_double(double value, std::uint8_t) { return value; }

/// A NaN in double precision keeps its sign and the leading bits of its payload.
template <class D>
std::uint16_t nan_bits(double value) {
  constexpr unsigned fraction = std::is_same_v<D, Half> ? 10 : 7;
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto exponent = static_cast<std::uint16_t>(0x7fff & (~0u << fraction));
  return static_cast<std::uint16_t>((bits >> 48 & 0x8000) | exponent |
                                    ((bits & 0xfffffffffffffu) >> (52 - fraction)));
}

template <class D, class S>
void to_half(Warp& warp, const Inst& inst, LaneMask mask) {
  auto* const d = vector_register<std::uint32_t>(warp.registers, inst.dst);
  const S* const a = vector_register<const S>(warp.registers, inst.a);
  for (; mask != 0; mask &= mask - 1) {
    const int lane = std::countr_zero(mask);
    if (sizeof(S) == 8 && a[lane] != a[lane])
      d[lane] = nan_bits<D>(a[lane]);
    else
      d[lane] = to_half_bits<D>(as_double(a[lane], inst.flags), inst.flags);
  }
}
/// Two numbers to a packed pair, the first in the upper half.
template <class D>
void to_pair(Warp& warp, const Inst& inst, LaneMask mask) {
  auto* const d = vector_register<std::uint32_t>(warp.registers, inst.dst);
  const float* const a = vector_register<const float>(warp.registers, inst.a);
  const float* const b = vector_register<const float>(warp.registers, inst.b);
  for (; mask != 0; mask &= mask - 1) {
    const int lane = std::countr_zero(mask);
    const std::uint32_t high = to_half_bits<D>(a[lane], inst.flags);
    d[lane] = high << 16 | to_half_bits<D>(b[lane], inst.flags);
  }
}

/// f32 to the 19 leading bits that a tf32 is, ties away from zero.
struct ToTf32 {
  static std::uint32_t apply(std::uint32_t a) {
    const bool finite = (a & 0x7f800000u) != 0x7f800000u;
    return (finite ? a + 0x1000u : a) & 0xffffe000u;
  }
};

template <class Use>
bool with_integral(Integral mode, Use&& use) {
  switch (mode) {
    case Integral::none:
      return use(std::integral_constant<Integral, Integral::none>());
    case Integral::nearest:
      return use(std::integral_constant<Integral, Integral::nearest>());
    case Integral::zero:
      return use(std::integral_constant<Integral, Integral::zero>());
    case Integral::down:
      return use(std::integral_constant<Integral, Integral::down>());
    case Integral::up:
      return use(std::integral_constant<Integral, Integral::up>());
  }
  return false;
}

template <class F>
bool set_single(bool ftz, bool sat, int mode, Inst& out) {
  using lanes::Single;
  if (ftz)
    return sat ? lanes::set_rounded<Single<F, true, true>, float, float>(out, mode)
               : lanes::set_rounded<Single<F, true, false>, float, float>(out, mode);
  return sat ? lanes::set_rounded<Single<F, false, true>, float, float>(out, mode)
             : lanes::set_rounded<Single<F, false, false>, float, float>(out, mode);
}

/// The same format on both sides.
bool set_same(const Conversion& what, Inst& out) {
  if (what.rounding != Conversion::Rounding::none || what.relu) return false;
  return with_integral(what.integral, [&](auto constant) {
    constexpr Integral mode = decltype(constant)::value;
    switch (what.to) {
      case Type::f32:
        return set_single<Whole<mode>>(what.ftz, what.sat, FE_TONEAREST, out);
      case Type::f64:
        return !what.ftz && !what.sat && lanes::set_simple<Whole<mode>, double, double>(out);
      case Type::f16:
        return !what.ftz && !what.sat && lanes::set_each<WholeHalf<mode>, Half, Half>(out);
      case Type::bf16:
        return !what.ftz && !what.sat && lanes::set_each<WholeHalf<mode>, Bfloat, Bfloat>(out);
      default:
        return false;
    }
  });
}

template <bool ftz, bool sat>
struct NarrowTo {
  static float apply(double a) {
    float result = static_cast<float>(a);
    if constexpr (ftz) result = lanes::flushed(result);
    return sat ? lanes::saturated_unit(result) : result;
  }
};

bool set_narrow(const Conversion& what, Inst& out) {
  if (what.relu || what.rounding == Conversion::Rounding::none ||
      what.rounding == Conversion::Rounding::nearest_away)
    return false;
  const int mode = host_mode(what.rounding);
  if (what.ftz)
    return what.sat ? lanes::set_rounded<NarrowTo<true, true>, float, double>(out, mode)
                    : lanes::set_rounded<NarrowTo<true, false>, float, double>(out, mode);
  return what.sat ? lanes::set_rounded<NarrowTo<false, true>, float, double>(out, mode)
                  : lanes::set_rounded<NarrowTo<false, false>, float, double>(out, mode);
}

bool set_widen(const Conversion& what, Inst& out) {
  if (what.rounding != Conversion::Rounding::none || what.relu) return false;
  if (what.ftz)
    return what.sat ? lanes::set_simple<Widen<true, true>, double, float>(out)
                    : lanes::set_simple<Widen<true, false>, double, float>(out);
  return what.sat ? lanes::set_simple<Widen<false, true>, double, float>(out)
                  : lanes::set_simple<Widen<false, false>, double, float>(out);
}

template <class S, bool canonical>
bool set_from_half(Type to, Inst& out) {
  if (to == Type::f32) return lanes::set_simple<FromHalf<float, canonical>, float, S>(out);
  return to == Type::f64 && lanes::set_simple<FromHalf<double, false>, double, S>(out);
}

/// The rounding and its companions as flags of to_half; false when there is no rounding.
bool half_flags(const Conversion& what, std::uint8_t& flags) {
  Rounding mode = Rounding::nearest;
  switch (what.rounding) {
    case Conversion::Rounding::nearest:
      break;
    case Conversion::Rounding::zero:
      mode = Rounding::zero;
      break;
    case Conversion::Rounding::down:
      mode = Rounding::down;
      break;
    case Conversion::Rounding::up:
      mode = Rounding::up;
      break;
    default:
      return false;
  }
  flags = static_cast<std::uint8_t>(static_cast<std::uint8_t>(mode) | (what.sat ? half_sat : 0) |
                                    (what.relu ? half_relu : 0) | (what.ftz ? half_ftz : 0));
  return true;
}

bool set_to_half(const Conversion& what, Inst& out) {
  if (!half_flags(what, out.flags)) return false;
  const bool half = what.to == Type::f16;
  if (what.from == Type::f32)
    return lanes::set_any(out, half ? to_half<Half, float> : to_half<Bfloat, float>);
  return what.from == Type::f64 && !what.ftz &&
         lanes::set_any(out, half ? to_half<Half, double> : to_half<Bfloat, double>);
}

}  // namespace

bool convert_floats(const Conversion& what, const ptx::Instruction& instruction,
                    DecodeContext& context, Inst& out) {
  if (what.to == Type::f16x2 || what.to == Type::bf16x2) {
    if (what.from != Type::f32 || what.integral != Integral::none || what.ftz ||
        !half_flags(what, out.flags))
      return false;
    return bind(instruction, context, out, what.to, {Type::f32, Type::f32}) &&
           lanes::set_any(out, what.to == Type::f16x2 ? to_pair<Half> : to_pair<Bfloat>);
  }
  if (!bind(instruction, context, out, what.to, {what.from}, Width::wider)) return false;
  if (what.to == what.from) return set_same(what, out);
  if (what.integral != Integral::none) return false;
  if (what.to == Type::tf32)
    return what.from == Type::f32 && what.rounding == Conversion::Rounding::nearest_away &&
           !what.ftz && !what.sat && !what.relu &&
           lanes::set_simple<ToTf32, std::uint32_t, std::uint32_t>(out);
  if (what.to == Type::f16 || what.to == Type::bf16) return set_to_half(what, out);
  if (what.from == Type::f16 || what.from == Type::bf16) {
    if (what.rounding != Conversion::Rounding::none || what.ftz || what.sat || what.relu)
      return false;
    return what.from == Type::f16 ? set_from_half<Half, true>(what.to, out)
                                  : set_from_half<Bfloat, false>(what.to, out);
  }
  if (what.to == Type::f32 && what.from == Type::f64) return set_narrow(what, out);
  return what.to == Type::f64 && what.from == Type::f32 && set_widen(what, out);
}

}  // namespace gridstride::sim
