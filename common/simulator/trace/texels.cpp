// Elements of an array of texels, and where they lie.
#include <cstdint>

#include "common/simulator/texture/array_layout.h"
#include "common/simulator/trace/trace.h"

namespace gridstride::sim {

std::uint64_t TraceTexels::index_at(std::uint64_t place) const {
  const ArrayLayout::Spot spot = ArrayLayout::of(layout).spot_at(place - begin);
  return (spot.z * height + spot.y) * width * channels + spot.x / channel_bytes;
}

std::uint64_t TraceTexels::place_of(std::uint64_t index) const {
  const std::uint64_t row = std::uint64_t{width} * channels;
  return begin + ArrayLayout::of(layout).offset(index % row * channel_bytes, index / row % height,
                                                index / row / height);
}

}  // namespace gridstride::sim
