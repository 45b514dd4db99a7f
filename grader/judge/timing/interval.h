// The median of noisy measurements, and how far it can be trusted.
#pragma once

#include <vector>

namespace gridstride {

struct Interval {
  double median = 0, low = 0, high = 0;
};

/// Median and a 95 % confidence interval from order statistics: nothing is assumed of how the
/// samples are distributed but that they are independent (W. J. Conover, Practical Nonparametric
/// Statistics, 3.2). Fewer than six samples have no such interval, theirs is the whole range.
/// `samples` must not be empty.
Interval median_interval(std::vector<double> samples);

}  // namespace gridstride
