// Cuts a box of rows into parts that fit one message.
#pragma once

#include <algorithm>
#include <cstdint>

#include "common/simulator/texture/description.h"

namespace gridstride::sim {

struct BoxPart {
  std::uint64_t x = 0, y = 0, z = 0;  ///< in the box
  std::uint64_t at = 0;               ///< offset of its bytes among those of the dense box
  BoxSize size;

  std::uint64_t bytes() const { return size.width * size.height * size.depth; }
};

/// `place` moved to the start of `part`.
inline BoxPlace moved(BoxPlace place, const BoxPart& part) {
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
void for_each_part(const BoxSize& box, std::uint64_t most, Use&& use) {
  if (box.empty()) return;
  const std::uint64_t width = std::min(box.width, most);
  const std::uint64_t rows = width < box.width ? 1 : std::min(box.height, most / box.width);
  const std::uint64_t slice = box.width * box.height;
  const std::uint64_t slices = rows < box.height ? 1 : std::min(box.depth, most / slice);
  for (std::uint64_t z = 0; z < box.depth; z += slices) {
    for (std::uint64_t y = 0; y < box.height; y += rows) {
      for (std::uint64_t x = 0; x < box.width; x += width) {
        use(BoxPart{x,
                    y,
                    z,
                    z * slice + y * box.width + x,
                    {std::min(width, box.width - x), std::min(rows, box.height - y),
                     std::min(slices, box.depth - z)}});
      }
    }
  }
}

}  // namespace gridstride::sim
