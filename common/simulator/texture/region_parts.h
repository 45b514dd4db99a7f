// Cuts a pitched region into parts that fit one message.
#pragma once

#include <algorithm>
#include <cstdint>

#include "common/simulator/texture/description.h"

namespace gridstride::sim {

struct RegionPart {
  std::uint64_t x = 0, y = 0, z = 0;  ///< in the region
  std::uint64_t at = 0;               ///< offset of its bytes among those of the dense region
  RegionSize size;

  std::uint64_t bytes() const { return size.width * size.height * size.depth; }
};

/// `place` moved to the start of `part`.
inline RegionPlace moved(RegionPlace place, const RegionPart& part) {
  if (place.array == 0) {
    place.address += (part.z * place.rows + part.y) * place.pitch + part.x;
  } else {
    place.x += part.x;
    place.y += part.y;
    place.z += part.z;
  }
  return place;
}

/// Calls use(part) for parts of at most `most` bytes whose bytes follow one another: whole slices,
/// whole rows of one slice, or pieces of one row.
template <class Use>
void for_each_part(const RegionSize& region, std::uint64_t most, Use&& use) {
  if (region.empty()) return;
  const std::uint64_t width = std::min(region.width, most);
  const std::uint64_t rows =
      width < region.width ? 1 : std::min(region.height, most / region.width);
  const std::uint64_t slice = region.width * region.height;
  const std::uint64_t slices = rows < region.height ? 1 : std::min(region.depth, most / slice);
  for (std::uint64_t z = 0; z < region.depth; z += slices) {
    for (std::uint64_t y = 0; y < region.height; y += rows) {
      for (std::uint64_t x = 0; x < region.width; x += width) {
        use(RegionPart{x,
                       y,
                       z,
                       z * slice + y * region.width + x,
                       {std::min(width, region.width - x), std::min(rows, region.height - y),
                        std::min(slices, region.depth - z)}});
      }
    }
  }
}

}  // namespace gridstride::sim
