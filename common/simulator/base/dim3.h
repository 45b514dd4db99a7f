// The shape of a grid or a block, and an index in one.
#pragma once

#include <cstdint>

namespace gridstride::sim {

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
  std::uint64_t count() const { return std::uint64_t{x} * y * z; }
  bool operator==(const Dim3&) const = default;
};

/// The index of element number `linear` of a shape: x runs fastest.
constexpr Dim3 index_in(const Dim3& extent, std::uint64_t linear) {
  return {static_cast<std::uint32_t>(linear % extent.x),
          static_cast<std::uint32_t>(linear / extent.x % extent.y),
          static_cast<std::uint32_t>(linear / extent.x / extent.y)};
}

}  // namespace gridstride::sim
