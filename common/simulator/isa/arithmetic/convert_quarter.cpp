// cvt from and to pairs of 8-bit floats, e4m3 and e5m2.
//
// e5m2 is f16 without its last 8 bits. e4m3 has no infinities and one NaN a sign, so that its
// largest number is 448. Conversions to them always are .satfinite: what is too large, infinities
// too, becomes the largest number (PTX ISA, cvt).
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "common/simulator/base/half.h"
#include "common/simulator/decode/operands.h"
#include "common/simulator/exec/warp.h"
#include "common/simulator/isa/arithmetic/convert.h"
#include "common/simulator/isa/arithmetic/lanes.h"

namespace gridstride::sim {
namespace {

using lanes::Half;
using ptx::Type;

struct Quarter {
  int fraction, lowest;
  std::uint64_t largest;
};
constexpr Quarter e4m3{3, -6, 0x7e}, e5m2{2, -14, 0x7b};
constexpr std::uint8_t quarter_nan = 0x7f;

std::uint8_t encoded(double value, const Quarter& format, bool relu) {
  if (std::isnan(value)) return quarter_nan;
  if (relu && !(value > 0)) return 0;
  const auto all = std::bit_cast<std::uint64_t>(value);
  const auto sign = static_cast<std::uint8_t>(all >> 63 << 7);
  const std::uint64_t magnitude = all << 1 >> 1;
  if (magnitude == 0) return sign;
  const std::uint64_t bits =
      lanes::rounded_bits(magnitude, format.fraction, format.lowest, true, false);
  return static_cast<std::uint8_t>(sign | std::min(bits, format.largest));
}

/// A number of 8 bits, all of which f16 has.
template <bool is_e4m3>
double decoded(std::uint8_t bits) {
  if (!is_e4m3) return lanes::to_float(Half{static_cast<std::uint16_t>(bits << 8)});
  const unsigned magnitude = bits & 0x7f, exponent = magnitude >> 3;
  const double fraction = magnitude & 7;
  if (magnitude == 0x7f) return NAN;
  const double value = exponent == 0 ? std::ldexp(fraction, -9)
                                     : std::ldexp(8 + fraction, static_cast<int>(exponent) - 10);
  return (bits & 0x80) != 0 ? -value : value;
}

/// Two f32, or a pair of f16, to a pair; the first in the upper half. Inst::flags: .relu.
template <bool is_e4m3, bool from_pair>
void to_quarters(Warp& warp, const Inst& inst, LaneMask mask) {
  constexpr Quarter format = is_e4m3 ? e4m3 : e5m2;
  auto* const d = vector_register<std::uint32_t>(warp.registers, inst.dst);
  for (; mask != 0; mask &= mask - 1) {
    const int lane = std::countr_zero(mask);
    double high = 0, low = 0;
    if (from_pair) {
      const std::uint32_t pair = vector_register<const std::uint32_t>(warp.registers, inst.a)[lane];
      high = lanes::to_float(Half{static_cast<std::uint16_t>(pair >> 16)});
      low = lanes::to_float(Half{static_cast<std::uint16_t>(pair)});
    } else {
      high = vector_register<const float>(warp.registers, inst.a)[lane];
      low = vector_register<const float>(warp.registers, inst.b)[lane];
    }
    d[lane] = static_cast<std::uint32_t>(encoded(high, format, inst.flags != 0) << 8 |
                                         encoded(low, format, inst.flags != 0));
  }
}

template <bool is_e4m3>
void from_quarters(Warp& warp, const Inst& inst, LaneMask mask) {
  auto* const d = vector_register<std::uint32_t>(warp.registers, inst.dst);
  const auto* const a = vector_register<const std::uint32_t>(warp.registers, inst.a);
  const auto half = [&](std::uint32_t bits) -> std::uint32_t {
    double value = decoded<is_e4m3>(static_cast<std::uint8_t>(bits));
    if (inst.flags != 0 && value <= 0) value = 0;
    return lanes::to_half(value).bits;
  };
  for (; mask != 0; mask &= mask - 1) {
    const int lane = std::countr_zero(mask);
    d[lane] = half(a[lane] >> 8) << 16 | half(a[lane]);
  }
}

}  // namespace

bool convert_quarters(const Conversion& what, const ptx::Instruction& instruction,
                      DecodeContext& context, Inst& out) {
  if (what.rounding != Conversion::Rounding::nearest || what.ftz || what.sat ||
      what.integral != Conversion::Integral::none) {
    return false;
  }
  out.flags = what.relu ? 1 : 0;
  const bool from_e4m3 = what.from == Type::e4m3x2, to_e4m3 = what.to == Type::e4m3x2;
  if (from_e4m3 || what.from == Type::e5m2x2) {
    return what.to == Type::f16x2 && !what.satfinite &&
           bind(instruction, context, out, what.to, {what.from}) &&
           lanes::set_any(out, from_e4m3 ? from_quarters<true> : from_quarters<false>);
  }
  if (!what.satfinite) return false;
  if (what.from == Type::f32) {
    return bind(instruction, context, out, what.to, {Type::f32, Type::f32}) &&
           lanes::set_any(out, to_e4m3 ? to_quarters<true, false> : to_quarters<false, false>);
  }
  return what.from == Type::f16x2 && bind(instruction, context, out, what.to, {what.from}) &&
         lanes::set_any(out, to_e4m3 ? to_quarters<true, true> : to_quarters<false, true>);
}

}  // namespace gridstride::sim
