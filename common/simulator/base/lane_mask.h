// Sets of lanes of a warp: a bit for each.
#pragma once

#include <bit>
#include <cstdint>

namespace gridstride::sim {

/// The number of the lowest lane in `mask`; at least one is.
inline std::uint32_t lowest_lane(std::uint32_t mask) {
  return static_cast<std::uint32_t>(std::countr_zero(mask));
}

}  // namespace gridstride::sim
