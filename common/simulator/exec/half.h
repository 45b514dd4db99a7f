// Half-precision and bfloat16 values: what they are as numbers, and rounding numbers to them.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "common/simulator/exec/lanes.h"

namespace gridstride::sim::lanes {

enum class Rounding : std::uint8_t { nearest, zero, down, up, nearest_away };

inline float to_float(Bfloat value) {
  return std::bit_cast<float>(std::uint32_t{value.bits} << 16);
}
inline float to_float(Half value) {
  // Moving exponent and fraction into place leaves the exponent 112 too small; the multiplication
  // mends that, exactly, for subnormals too. Infinities and NaNs need all exponent bits set.
  const std::uint32_t magnitude = (value.bits & 0x7fffu) << 13;
  const std::uint32_t sign = (value.bits & 0x8000u) << 16;
  constexpr float two_to_112 = 0x1p112f;
  const auto finite = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) * two_to_112);
  const std::uint32_t special = magnitude | 0x7f800000u;
  return std::bit_cast<float>(((value.bits & 0x7c00u) == 0x7c00u ? special : finite) | sign);
}

/// The sum of two doubles with its last bit set whenever it is inexact ("round to odd"): rounding
/// it once more to a format of at most 51 bits gives the correctly rounded sum. Two-sum: D. Knuth.
inline double odd_sum(double a, double b) {
  const double sum = a + b;
  const double b_part = sum - a, a_part = sum - b_part;
  const double error = (a - a_part) + (b - b_part);
  const auto bits = std::bit_cast<std::uint64_t>(sum);
  if (!(error != 0) || !std::isfinite(sum) || (bits & 1) != 0) return sum;
  return std::bit_cast<double>((error > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

/// Encodes `value` in a format of `fraction` fraction bits, exponents from `lowest` up, 16 bits.
inline std::uint16_t encode(double value, int fraction, int lowest, Rounding mode) {
  const bool negative = std::signbit(value);
  const auto sign = static_cast<std::uint16_t>(negative ? 0x8000 : 0);
  const double infinity = std::ldexp(1.0, 2 - lowest);  // lowest = 1 - bias
  const auto infinite = static_cast<std::uint32_t>((2 - lowest) + (1 - lowest)) << fraction;
  if (std::isnan(value)) return 0x7fff;
  const double magnitude = std::fabs(value);
  if (magnitude == 0) return sign;
  const bool upwards = mode == (negative ? Rounding::down : Rounding::up);
  std::uint32_t bits = infinite;
  if (std::isfinite(magnitude)) {
    const bool directed = mode == Rounding::zero || mode == Rounding::down || mode == Rounding::up;
    if (magnitude >= 2 * infinity) {  // the scaling below would not fit 32 bits
      bits = infinite;
    } else {
      const int exponent = std::max(std::ilogb(magnitude), lowest);
      const double scaled = std::ldexp(magnitude, fraction - exponent);
      const double whole = std::floor(scaled), rest = scaled - whole;
      auto integer = static_cast<std::uint32_t>(whole);
      const bool up = directed ? upwards && rest > 0
                      : mode == Rounding::nearest_away
                          ? rest >= 0.5
                          : rest > 0.5 || (rest == 0.5 && (integer & 1) != 0);
      integer += up ? 1 : 0;
      bits = (static_cast<std::uint32_t>(exponent - lowest) << fraction) + integer;
    }
    if (bits >= infinite) bits = directed && !upwards ? infinite - 1 : infinite;
  }
  return static_cast<std::uint16_t>(sign | bits);
}

inline Half to_half(double value, Rounding mode = Rounding::nearest) {
  return {encode(value, 10, -14, mode)};
}
inline Bfloat to_bfloat(double value, Rounding mode = Rounding::nearest) {
  return {encode(value, 7, -126, mode)};
}

/// Rounding to the format that T names.
template <class T>
T from_number(double value, Rounding mode = Rounding::nearest);
template <>
inline Half from_number<Half>(double value, Rounding mode) {
  return to_half(value, mode);
}
template <>
inline Bfloat from_number<Bfloat>(double value, Rounding mode) {
  return to_bfloat(value, mode);
}

}  // namespace gridstride::sim::lanes
