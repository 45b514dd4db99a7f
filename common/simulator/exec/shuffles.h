// From which lane a lane of shfl.sync takes its value.
#pragma once

#include <cstdint>

namespace gridstride::sim {

enum ShuffleMode : std::uint8_t { up, down, bfly, idx };

/// `lane` itself where it is not `inside` the segment.
struct ShuffleSource {
  std::uint32_t lane = 0;
  bool inside = false;
};

/// `distance` and `clamp`: the operands b and c of the PTX instruction.
inline ShuffleSource shuffle_source(ShuffleMode mode, std::uint32_t lane, std::uint32_t distance,
                                    std::uint32_t clamp) {
  const std::uint32_t b = distance & 31, c = clamp & 31, segment = clamp >> 8 & 31;
  const std::uint32_t max = (lane & segment) | (c & ~segment);
  const std::uint32_t from = mode == up     ? lane - b
                             : mode == down ? lane + b
                             : mode == bfly ? lane ^ b
                                            : (lane & segment) | (b & ~segment);
  const bool inside =
      mode == up ? static_cast<std::int32_t>(from) >= static_cast<std::int32_t>(max) : from <= max;
  return {inside ? from & 31 : lane, inside};
}

}  // namespace gridstride::sim
