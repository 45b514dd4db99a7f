// What the cases of both contract functions share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "grader/judge/lab.h"

namespace reduction {

inline std::string named(const std::string& what, std::int64_t n) {
  return what + " n=" + std::to_string(n);
}

/// The bound that the contract states, for `additions` on one element's way.
inline double rounding_bound(double additions, double magnitudes) {
  const double relative = additions * 0x1p-24;
  return relative / (1 - relative) * magnitudes;
}

/// The largest magnitude that n whole numbers may have, so that each partial sum of them is a
/// float: always up to a million elements, and beyond that with random signs as good as always.
inline std::int64_t largest_of(std::int64_t n) {
  return std::clamp<std::int64_t>((1 << 23) / std::max<std::int64_t>(n, 1), 8, 1 << 20);
}

}  // namespace reduction
