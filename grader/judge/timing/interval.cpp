// Ranks of the interval's ends from the binomial distribution.
#include "grader/judge/timing/interval.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace gridstride {
namespace {

/// The largest number of samples that can be cut off at each end: how many of n lie below the
/// median is binomial with p = 1/2, and each tail may hold 2.5 %.
std::size_t cut(std::size_t n) {
  double tail = 0;
  std::size_t k = 0;
  for (; k < n / 2; ++k) {
    const auto count = static_cast<double>(n), rank = static_cast<double>(k);
    tail += std::exp(std::lgamma(count + 1) - std::lgamma(rank + 1) -
                     std::lgamma(count - rank + 1) - count * std::log(2.0));
    if (tail > 0.025) break;
  }
  return k;
}

}  // namespace

Interval median_interval(std::vector<double> samples) {
  std::ranges::sort(samples);
  const std::size_t n = samples.size(), outside = cut(n);
  // The interval reaches from the `outside`-th sample from below to the same from above; rank 0
  // would lie beyond the smallest.
  const std::size_t low = outside == 0 ? 0 : outside - 1;
  const double upper_middle = samples[n / 2], lower_middle = samples[(n - 1) / 2];
  return {(lower_middle + upper_middle) / 2, samples[low], samples[n - 1 - low]};
}

}  // namespace gridstride
