// Half-precision and bfloat16 values: what they are as numbers, and rounding numbers to them.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace gridstride::sim::lanes {

/// Bits of a half-precision (f16) or bfloat16 value.
struct Half {
  std::uint16_t bits = 0;
};
struct Bfloat {
  std::uint16_t bits = 0;
};

enum class Rounding : std::uint8_t { nearest, zero, down, up };

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

/// Exponent and fraction of |value|, which is not 0, in a format of `fraction` fraction bits and
/// exponents from `lowest` up, as if it had exponents without end.
inline std::uint64_t rounded_bits(std::uint64_t magnitude, int fraction, int lowest, bool nearest,
                                  bool upwards) {
  const int exponent = static_cast<int>(magnitude >> 52) - 1023;
  // Doubles too small to be normal lie far below any 16-bit format: only that they are not 0
  // counts.
  const std::uint64_t significand = (magnitude & 0xfffffffffffffu) | std::uint64_t{1} << 52;
  const int below = exponent < lowest ? lowest - exponent : 0;
  const int shift = 52 - fraction + below < 63 ? 52 - fraction + below : 63;
  const std::uint64_t integer = significand >> shift;
  const std::uint64_t rest = significand & ((std::uint64_t{1} << shift) - 1);
  const std::uint64_t half = std::uint64_t{1} << (shift - 1);
  const bool up =
      nearest ? rest > half || (rest == half && (integer & 1) != 0) : upwards && rest != 0;
  const std::uint64_t scale = exponent < lowest ? 0 : static_cast<std::uint64_t>(exponent - lowest);
  return (scale << fraction) + integer + (up ? 1 : 0);
}

/// Encodes `value` in a format of `fraction` fraction bits, exponents from `lowest` up, 16 bits.
inline std::uint16_t encode(double value, int fraction, int lowest, Rounding mode) {
  if (value != value) return 0x7fff;
  const auto all = std::bit_cast<std::uint64_t>(value);
  const bool negative = all >> 63 != 0;
  const auto sign = static_cast<std::uint16_t>(negative ? 0x8000 : 0);
  const std::uint64_t magnitude = all << 1 >> 1;
  if (magnitude == 0) return sign;
  const bool upwards = mode == (negative ? Rounding::down : Rounding::up);
  const bool nearest = mode == Rounding::nearest;
  const std::uint64_t bits = rounded_bits(magnitude, fraction, lowest, nearest, upwards);
  // The exponent field of infinity is 2 * bias + 1, and lowest is 1 - bias.
  const std::uint64_t infinity = static_cast<std::uint64_t>(3 - 2 * lowest) << fraction;
  if (bits < infinity) return static_cast<std::uint16_t>(sign | bits);
  const bool exact = magnitude == std::uint64_t{0x7ff} << 52;
  return static_cast<std::uint16_t>(sign | (nearest || upwards || exact ? infinity : infinity - 1));
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
