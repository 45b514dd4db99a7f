// See kernel_overlap.h.
#include "common/simulator/device/kernel_overlap.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace gridstride::sim {
namespace {

constexpr std::uint32_t whole = 1000;  // parts of a device

}  // namespace

/// The load changes only where a kernel begins or ends, so it is looked at where they begin.
bool KernelOverlap::fits(Ticks begin, Ticks end, std::uint32_t parts) const {
  const auto load_at = [&](Ticks moment) {
    std::uint32_t load = 0;
    for (const Kernel& kernel : kernels_) {
      if (kernel.begin <= moment && moment < kernel.end) load += kernel.parts;
    }
    return load;
  };
  if (load_at(begin) + parts > whole) return false;
  return std::none_of(kernels_.begin(), kernels_.end(), [&](const Kernel& kernel) {
    return kernel.begin > begin && kernel.begin < end && load_at(kernel.begin) + parts > whole;
  });
}

KernelOverlap::Ticks KernelOverlap::place(Ticks earliest, Ticks length, double share) {
  const double bounded = share >= 0 && share <= 1 ? share : 1.0;
  const auto parts = std::max(1u, static_cast<std::uint32_t>(std::ceil(bounded * whole)));
  Ticks begin = std::max(earliest, closed_);
  std::vector<Ticks> ends;
  for (const Kernel& kernel : kernels_) {
    if (kernel.end > begin) ends.push_back(kernel.end);
  }
  std::ranges::sort(ends);
  for (auto next = ends.begin(); next != ends.end() && !fits(begin, begin + length, parts);) {
    begin = *next++;
  }
  kernels_.push_back({begin, begin + length, parts});
  if (kernels_.size() > most_at_once) {
    const auto first = std::ranges::min_element(kernels_, {}, &Kernel::end);
    closed_ = std::max(closed_, first->end);
    kernels_.erase(first);
  }
  return begin;
}

}  // namespace gridstride::sim
