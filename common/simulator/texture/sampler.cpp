// See sampler.h.
#include "common/simulator/texture/sampler.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace gridstride::sim {
namespace {

/// Weights are fixed-point numbers with 8 bits of fraction.
constexpr std::int64_t one = 256;
constexpr std::int64_t outside = -1;

/// The two texels along one axis and the weight of the second, in 1/256.
struct Axis {
  std::int64_t low = 0, high = 0;  ///< `outside` for the border
  std::int64_t weight = 0;
};

std::int64_t addressed(std::int64_t index, std::int64_t size, AddressMode mode) {
  switch (mode) {
    case AddressMode::wrap:
      return (index % size + size) % size;
    case AddressMode::mirror: {
      const std::int64_t turn = (index % (2 * size) + 2 * size) % (2 * size);
      return turn < size ? turn : 2 * size - 1 - turn;
    }
    case AddressMode::border:
      return index < 0 || index >= size ? outside : index;
    case AddressMode::clamp:
      break;
  }
  return std::clamp<std::int64_t>(index, 0, size - 1);
}

/// Wrapping and mirroring are for normalised coordinates; without, they clamp.
AddressMode mode_of(const TextureDescription& how, unsigned axis) {
  const AddressMode mode = how.modes[axis];
  const bool repeats = mode == AddressMode::wrap || mode == AddressMode::mirror;
  return repeats && !how.normalized ? AddressMode::clamp : mode;
}

/// A coordinate in texels, finite and small enough to count with. Of normalised ones the hardware
/// keeps 21 bits behind the point; infinities have no place in a texture that repeats.
double in_texels(const TextureDescription& how, float coordinate, std::uint32_t size,
                 AddressMode mode) {
  constexpr double kept = 1 << 21;
  const bool repeats = mode == AddressMode::wrap || mode == AddressMode::mirror;
  if (std::isnan(coordinate) || (std::isinf(coordinate) && repeats)) return 0;
  const double value = how.normalized ? std::floor(coordinate * kept) / kept * size
                                      : static_cast<double>(coordinate);
  constexpr double most = 1e15;
  return std::clamp(value, -most, most);
}

Axis axis_of(const TextureDescription& how, unsigned number, float coordinate, std::uint32_t size,
             bool between) {
  const AddressMode mode = mode_of(how, number);
  const double at = in_texels(how, coordinate, size, mode);
  if (!between) {
    const auto index = static_cast<std::int64_t>(std::floor(at));
    const std::int64_t texel = addressed(index, size, mode);
    return {texel, texel, 0};
  }
  const auto fixed = static_cast<std::int64_t>(std::floor(at * one + 0.5)) - one / 2;
  const std::int64_t low = fixed >> 8;
  // Clamping comes before filtering: beyond the outermost texels' centres there is one texel.
  if (mode == AddressMode::clamp && low < 0) return {0, 0, 0};
  if (mode == AddressMode::clamp && low >= size - 1) return {size - 1, size - 1, 0};
  return {addressed(low, size, mode), addressed(low + 1, size, mode), fixed & (one - 1)};
}

/// A face of a cube and the place on it, both in [0, 1].
struct FacePlace {
  std::uint32_t face = 0;
  float x = 0, y = 0;
};

/// CUDA C++ Programming Guide, "Cubemap Textures".
FacePlace face_of(float x, float y, float z) {
  const float ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
  FacePlace place;
  float major = 0, s = 0, t = 0;
  if (ax >= ay && ax >= az) {
    place.face = x >= 0 ? 0 : 1;
    major = ax, s = x >= 0 ? -z : z, t = -y;
  } else if (ay >= az) {
    place.face = y >= 0 ? 2 : 3;
    major = ay, s = x, t = y >= 0 ? z : -z;
  } else {
    place.face = z >= 0 ? 4 : 5;
    major = az, s = z >= 0 ? x : -x, t = -y;
  }
  place.x = (s / major + 1) / 2;
  place.y = (t / major + 1) / 2;
  return place;
}

void add(FetchPlan& plan, const TexelRegion& region, std::int64_t x, std::int64_t y, std::int64_t z,
         float weight) {
  const bool border = x == outside || y == outside || z == outside;
  const auto index = [](std::int64_t value) { return static_cast<std::uint32_t>(value); };
  plan.taps[plan.count++] = {border ? 0 : region.texel(index(x), index(y), index(z)), weight};
}

std::uint32_t layer_of(const TexelRegion& region, std::uint32_t layer, std::uint32_t layers) {
  return region.layered ? std::min(layer, layers - 1) : 0;
}

}  // namespace

FetchPlan plan_fetch(const Texture& texture, TexelGeometry geometry, const FetchCoordinates& at) {
  const TextureDescription& how = texture.how;
  const TexelRegion& region = texture.region;
  FetchPlan plan;
  if (at.integer) {
    const bool inside = at.texel >= 0 && static_cast<std::uint32_t>(at.texel) < region.width;
    add(plan, region, inside ? at.texel : outside, 0, 0, 1);
    return plan;
  }
  float place[3] = {at.x, at.y, at.z};
  unsigned axes = 2;  // one-dimensional textures too: their y is 0, between the border and row 0
  std::uint32_t slice = 0;
  switch (geometry) {
    case TexelGeometry::d1:
      place[1] = 0;
      break;
    case TexelGeometry::d2:
      break;
    case TexelGeometry::a1:
      place[1] = 0;
      [[fallthrough]];
    case TexelGeometry::a2:
      slice = layer_of(region, at.layer, region.depth);
      break;
    case TexelGeometry::d3:
      axes = 3;
      break;
    case TexelGeometry::cube:
    case TexelGeometry::acube: {
      const FacePlace on_face = face_of(at.x, at.y, at.z);
      place[0] = on_face.x, place[1] = on_face.y;
      const std::uint32_t cube =
          geometry == TexelGeometry::acube ? layer_of(region, at.layer, region.depth / 6) : 0;
      slice = std::min(cube * 6 + on_face.face, region.depth - 1);
      break;
    }
  }
  const std::uint32_t sizes[3] = {region.width, region.height, region.depth};
  Axis along[3];
  along[2] = {slice, slice, 0};
  for (unsigned i = 0; i < axes; ++i) along[i] = axis_of(how, i, place[i], sizes[i], how.linear);
  if (!how.linear) {
    add(plan, region, along[0].low, along[1].low, along[2].low, 1);
    return plan;
  }
  // One axis after the other splits the weights, rounding to 1/256: z, then x, then y. Ties round
  // up, but for y in the half of x with the lower index.
  std::int64_t weights[8] = {one};
  for (const unsigned axis : {2u, 0u, 1u}) {
    if (axis >= axes) continue;
    const unsigned bit = 1u << axis;
    for (unsigned corner = 0; corner < 8; ++corner) {
      if ((corner & bit) != 0) continue;
      const bool down = axis == 1 && (corner & 1) == 0;
      const std::int64_t part =
          (weights[corner] * along[axis].weight + one / 2 - (down ? 1 : 0)) / one;
      weights[corner | bit] = part;
      weights[corner] -= part;
    }
  }
  for (unsigned corner = 0; corner < 8; ++corner) {
    // A texel of no weight is not read: it may be infinite.
    if (weights[corner] == 0) continue;
    const auto index = [&](unsigned axis) {
      return (corner >> axis & 1) != 0 ? along[axis].high : along[axis].low;
    };
    add(plan, region, index(0), index(1), index(2), static_cast<float>(weights[corner]) / one);
  }
  return plan;
}

FetchPlan plan_gather(const Texture& texture, const FetchCoordinates& at) {
  const TexelRegion& region = texture.region;
  const Axis x = axis_of(texture.how, 0, at.x, region.width, true);
  const Axis y = axis_of(texture.how, 1, at.y, region.height, true);
  FetchPlan plan;
  add(plan, region, x.low, y.high, 0, 1);
  add(plan, region, x.high, y.high, 0, 1);
  add(plan, region, x.high, y.low, 0, 1);
  add(plan, region, x.low, y.low, 0, 1);
  return plan;
}

namespace {

TexelValue tap_value(const Texture& texture, const FetchPlan::Tap& tap,
                     const GlobalMemory& memory) {
  if (tap.address == 0) return border_texel(texture.how, texture.region.format);
  return read_texel(texture.how, texture.region.format, memory.host(tap.address));
}

}  // namespace

TexelValue filter(const Texture& texture, const FetchPlan& plan, const GlobalMemory& memory) {
  if (!texture.how.linear || plan.count == 0) return tap_value(texture, plan.taps[0], memory);
  double sums[4] = {};
  for (std::uint32_t i = 0; i < plan.count; ++i) {
    const TexelValue value = tap_value(texture, plan.taps[i], memory);
    for (unsigned k = 0; k < 4; ++k) {
      sums[k] += static_cast<double>(plan.taps[i].weight) *
                 unrounded(texture.how, texture.region.format, value[k]);
    }
  }
  TexelValue result;
  for (unsigned k = 0; k < 4; ++k) {
    result[k] = std::bit_cast<std::uint32_t>(
        rounded_to_filter(texture.how, texture.region.format, sums[k]));
  }
  return result;
}

TexelValue gather(const Texture& texture, const FetchPlan& plan, std::uint32_t component,
                  const GlobalMemory& memory) {
  TexelValue result;
  for (unsigned i = 0; i < 4; ++i) {
    result[i] = tap_value(texture, plan.taps[i], memory)[component];
  }
  return result;
}

}  // namespace gridstride::sim
