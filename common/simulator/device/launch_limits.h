// How long a launch may go on: limits in modelled time as numbers of warp instructions, which are
// known while it runs, as its time is not.
#pragma once

#include <algorithm>
#include <cstdint>

#include "common/simulator/device/device.h"
#include "common/simulator/model/profile.h"

namespace gridstride::sim {

/// Of two limits, 0 for none.
inline std::uint64_t smaller_limit(std::uint64_t a, std::uint64_t b) {
  return a == 0 || b == 0 ? a + b : std::min(a, b);
}

/// Warp instructions a second that the grid can issue at most: one a clock for each scheduler of
/// the device, or for each warp where there are fewer. No kernel that goes on comes near it.
inline double issue_rate(const DeviceProfile& profile, const Dim3& grid, const Dim3& block) {
  constexpr std::uint64_t warp = 32, schedulers = 4;  // threads; of a multiprocessor
  const auto slots = static_cast<double>(schedulers * profile.properties.multiprocessors);
  const auto warps =
      static_cast<double>(grid.count()) * static_cast<double>((block.count() + warp - 1) / warp);
  return profile.throughput.issue * std::min(1.0, warps / slots);
}

/// Warp instructions that take `seconds` at `rate` a second; 0, no limit, of 0 seconds.
inline std::uint64_t instructions_in(double seconds, double rate) {
  if (seconds <= 0) return 0;
  return static_cast<std::uint64_t>(std::clamp(seconds * rate, 1.0, 1e18));
}

}  // namespace gridstride::sim
