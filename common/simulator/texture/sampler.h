// What one lane's texture fetch reads and returns: addressing, filtering and formats.
//
// Rules: CUDA C++ Programming Guide, appendix "Texture Fetching", and where that is silent, results
// recorded on an H200 (testdata/sampling_h200.txt). A fetch is two steps, so that whoever executes
// it can check and count the addresses between them.
#pragma once

#include <array>
#include <cstdint>

#include "common/simulator/memory/global_memory.h"
#include "common/simulator/texture/texel.h"
#include "common/simulator/texture/texture_registry.h"

namespace gridstride::sim {

/// How an instruction addresses: tex.1d … tex.acube.
enum class TexelGeometry : std::uint8_t { d1, d2, d3, a1, a2, cube, acube };

struct FetchCoordinates {
  float x = 0, y = 0, z = 0;
  std::int32_t texel = 0;  ///< instead of x, y, z when `integer`: the texel's index
  bool integer = false;
  std::uint32_t layer = 0;
};

/// The texels of one fetch and their weights; the sum over all is the result.
struct FetchPlan {
  struct Tap {
    DeviceAddress address = 0;  ///< 0: outside, the border
    float weight = 1;
  };
  std::array<Tap, 8> taps;
  std::uint32_t count = 0;
};

FetchPlan plan_fetch(const Texture& texture, TexelGeometry geometry, const FetchCoordinates& at);
/// The four texels that a bilinear fetch would filter, in the order of tld4's results.
FetchPlan plan_gather(const Texture& texture, const FetchCoordinates& at);

/// Bits of the four channels: floats, or integers when the texture is read as such. Every tap's
/// address must be readable.
TexelValue filter(const Texture& texture, const FetchPlan& plan, const GlobalMemory& memory);
/// The channel `component` of each tap of plan_gather().
TexelValue gather(const Texture& texture, const FetchPlan& plan, std::uint32_t component,
                  const GlobalMemory& memory);

}  // namespace gridstride::sim
