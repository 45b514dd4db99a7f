// What labs that add floats are judged by: inputs, and how far rounding may lead.
//
// Where every order of adding sums without rounding (whole_numbers, denormal, one_of_many), a
// result is held to equality, which notices each element that is missing or counted twice; for the
// other inputs to the contract's bound.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "grader/judge/cases/random.h"

namespace gridstride {

using Floats = std::vector<float>;

/// A case's name: "whole numbers n=33".
inline std::string named(const std::string& what, std::int64_t n) {
  return what + " n=" + std::to_string(n);
}

/// How far a sum of floats may be off when no element's value goes through more than `additions`
/// additions and the elements' magnitudes add up to `magnitudes`: d u / (1 - d u) of them, with
/// u = 2^-24 (Higham, Accuracy and Stability of Numerical Algorithms, 4.2).
inline double rounding_bound(double additions, double magnitudes) {
  const double relative = additions * 0x1p-24;
  return relative / (1 - relative) * magnitudes;
}

/// The largest magnitude that n whole numbers may have, so that each partial sum of them is a
/// float: always up to a million elements, and beyond that with random signs as good as always.
inline std::int64_t largest_of(std::int64_t n) {
  return std::clamp<std::int64_t>((1 << 23) / std::max<std::int64_t>(n, 1), 8, 1 << 20);
}

inline Floats whole_numbers_to(Rng& rng, std::int64_t n, std::int64_t largest) {
  Floats values(n);
  for (float& value : values)
    value = static_cast<float>(rng.uniform<std::int64_t>(-largest, largest));
  return values;
}

inline Floats whole_numbers(Rng& rng, std::int64_t n) {
  return whole_numbers_to(rng, n, largest_of(n));
}

/// Multiples of the smallest number above zero, too small for a device that drops denormals.
inline Floats denormal(Rng& rng, std::int64_t n) {
  Floats values = whole_numbers(rng, n);
  for (float& value : values) value *= std::numeric_limits<float>::denorm_min();
  return values;
}

/// All zero but one, anywhere.
inline Floats one_of_many(Rng& rng, std::int64_t n) {
  Floats values(n, 0.0f);
  values[rng.uniform<std::int64_t>(0, n - 1)] = 1;
  return values;
}

inline Floats both_signs(Rng& rng, std::int64_t n) { return rng.uniform<float>(n, -1, 1); }

inline Floats above_zero(Rng& rng, std::int64_t n) { return rng.uniform<float>(n, 0.5f, 1.5f); }

inline Floats all_equal(Rng& rng, std::int64_t n) {
  return Floats(n, rng.uniform<float>(0.1f, 1.0f));
}

inline Floats sorted(Rng& rng, std::int64_t n) {
  Floats values = both_signs(rng, n);
  std::sort(values.begin(), values.end());
  return values;
}

inline Floats reversed(Rng& rng, std::int64_t n) {
  Floats values = sorted(rng, n);
  std::reverse(values.begin(), values.end());
  return values;
}

/// As large as their sum may be when the contract says that magnitudes add up to at most 1e38.
inline Floats huge(Rng& rng, std::int64_t n) {
  const auto largest = static_cast<float>(1e38 / static_cast<double>(n));
  return rng.uniform<float>(n, -largest, largest);
}

/// Pairs of equal magnitude and opposite signs, far apart, among small numbers.
inline Floats cancelling(Rng& rng, std::int64_t n) {
  Floats values = both_signs(rng, n);
  for (std::int64_t i = 0; i + 1 < n; i += 4) {
    values[i] = rng.uniform<float>(1e20f, 1e30f);
    values[i + 1] = -values[i];
  }
  rng.shuffle(values);
  return values;
}

/// Zeros, and fourteen numbers of which each is some 2^16 times the one before: a sum before such a
/// number is lost when the number is added and subtracted again.
inline Floats climbing(Rng& rng, std::int64_t n) {
  constexpr std::int64_t steps = 14;
  Floats values(n, 0.0f);
  for (std::int64_t step = 0; step < steps; ++step) {
    const std::int64_t from = step * n / steps, to = (step + 1) * n / steps;
    if (from == to) continue;
    const float drawn = rng.uniform<float>(1, 2);
    values[rng.uniform<std::int64_t>(from, to - 1)] =
        std::ldexp(drawn, static_cast<int>(16 * step) - 100);
  }
  return values;
}

inline double sum_in_double(const Floats& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

inline double magnitudes(const Floats& values) {
  return std::accumulate(values.begin(), values.end(), 0.0, [](double sum, float value) {
    return sum + std::abs(static_cast<double>(value));
  });
}

}  // namespace gridstride
