// What may be an array, a texture, a surface; and keeping them.
#include "common/simulator/texture/texture_registry.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "common/simulator/base/cuda_error.h"
#include "common/simulator/base/device_error.h"
#include "common/simulator/texture/texture_limits.h"

namespace gridstride::sim {
namespace {

/// Of each kind that there may be at once.
constexpr std::size_t most_handles = 1'000'000;

[[noreturn]] void invalid(const std::string& why) {
  throw DeviceError(error_invalid_value, false, why);
}

void check_format(const TexelFormat& format) {
  const bool floating = format.kind == TexelKind::floating;
  const bool bits = (format.bits == 8 && !floating) || format.bits == 16 || format.bits == 32;
  const bool channels = format.channels == 1 || format.channels == 2 || format.channels == 4;
  if (bits && channels && format.kind <= TexelKind::floating) return;
  throw DeviceError(error_invalid_channel_descriptor, false,
                    "texels have 1, 2 or 4 channels of 8, 16 or 32 bits, floats of 16 or 32");
}

std::uint64_t slices_of(const ArrayShape& shape) { return std::max<std::uint64_t>(shape.depth, 1); }
std::uint64_t rows_of(const ArrayShape& shape) { return std::max<std::uint64_t>(shape.height, 1); }

void check_shape(const ArrayShape& shape) {
  using namespace texture_limits;
  check_format(shape.format);
  if (shape.width == 0) invalid("an array without width");
  const auto within = [&](std::uint64_t width, std::uint64_t height, std::uint64_t depth) {
    if (shape.width <= width && shape.height <= height && shape.depth <= depth) return;
    invalid(fmt::format("an array of {} x {} x {} texels: at most {} x {} x {}", shape.width,
                        shape.height, shape.depth, width, height, depth));
  };
  if (shape.cubemap) {
    within(cubemap, cubemap, shape.layered ? cubemap_layers : 6);
    const bool faces = shape.depth != 0 && shape.depth % 6 == 0;
    if (shape.width != shape.height || !faces) {
      invalid("a cubemap has square faces, and six of them for each layer");
    }
  } else if (shape.layered) {
    if (shape.depth == 0) invalid("a layered array without layers");
    if (shape.height == 0) {
      within(layered_1d, 0, layers);
    } else {
      within(layered_2d, layered_2d, layers);
    }
  } else if (shape.depth != 0) {
    if (shape.height == 0) invalid("an array with depth and no height");
    within(extent_3d, extent_3d, extent_3d);
  } else if (shape.height == 0) {
    within(width_1d, 0, 0);
  } else {
    within(width_2d, height_2d, 0);
  }
  if (!shape.gather) return;
  if (shape.height == 0 || shape.depth != 0) invalid("only two-dimensional arrays can be gathered");
  within(gather_2d, gather_2d, 0);
}

void check_memory(const TextureDescription& how, const GlobalMemory& memory) {
  using namespace texture_limits;
  check_format(how.format);
  const std::uint64_t texel = how.format.bytes();
  if (how.width == 0) invalid("a texture without texels");
  if (how.address % alignment != 0) {
    invalid("a texture starts at a multiple of " + std::to_string(alignment) + " bytes");
  }
  std::uint64_t bytes = 0;
  if (how.height == 0) {
    const std::uint64_t most = bytes_linear / texel;
    if (how.width > most) {
      invalid(fmt::format("a texture of {} texels in linear memory: at most {}", how.width, most));
    }
    bytes = how.width * texel;
  } else {
    if (how.width > pitch_width || how.height > pitch_height || how.pitch > most_pitch) {
      invalid(fmt::format(
          "a texture in pitched memory has at most {} x {} texels, with a pitch of {} bytes",
          pitch_width, pitch_height, most_pitch));
    }
    if (how.pitch % pitch_alignment != 0 || how.pitch < how.width * texel) {
      invalid("the pitch of a texture is a multiple of " + std::to_string(pitch_alignment) +
              " bytes that holds a row");
    }
    bytes = (how.height - 1) * how.pitch + how.width * texel;
  }
  // What a kernel allocated is not for the host to name, nor to learn whether it is there.
  if (!memory.contains(how.address, bytes) ||
      memory.find(how.address)->origin == Allocation::Origin::heap) {
    invalid("a texture of " + std::to_string(bytes) +
            " bytes that do not lie in one allocation of the device");
  }
}

/// Normalised 32-bit integers do not exist, and integers are not filtered.
void check_reading(const TextureDescription& how, const TexelFormat& format) {
  const auto known = [](AddressMode mode) { return mode <= AddressMode::border; };
  if (!std::all_of(how.modes.begin(), how.modes.end(), known)) invalid("no such address mode");
  const bool integers = format.kind != TexelKind::floating;
  if (how.normalized_float && integers && format.bits == 32) {
    throw DeviceError(error_invalid_norm_setting, false,
                      "32-bit integers cannot be read as normalised floats");
  }
  if (how.linear && integers && !how.normalized_float) {
    throw DeviceError(error_invalid_filter_setting, false,
                      "linear filtering needs float texels, or integers read as normalised floats");
  }
}

}  // namespace

void TextureRegistry::check_room() const {
  if (arrays_.size() < most_handles && textures_.size() < most_handles &&
      surfaces_.size() < most_handles) {
    return;
  }
  throw DeviceError(error_memory_allocation, false,
                    "there are a million arrays, textures or surfaces already");
}

ArrayId TextureRegistry::add_array(const ArrayShape& shape) {
  check_shape(shape);
  check_room();
  const bool linear = shape.height == 0;
  const ArrayLayout layout(shape.width * shape.format.bytes(), rows_of(shape), slices_of(shape),
                           linear);
  const DeviceAddress address = memory_.allocate_as(layout.bytes(), Allocation::Origin::array);
  if (address == 0) {
    throw DeviceError(error_memory_allocation, false,
                      "an array of " + std::to_string(layout.bytes()) + " bytes does not fit");
  }
  arrays_.emplace(next_array_, ArrayEntry{shape, layout, address});
  return next_array_++;
}

void TextureRegistry::remove_array(ArrayId id) {
  memory_.release(array(id).address, Allocation::Origin::array);
  arrays_.erase(id);
}

const ArrayEntry& TextureRegistry::array(ArrayId id) const {
  const auto found = arrays_.find(id);
  if (found == arrays_.end()) {
    throw DeviceError(error_invalid_handle, false, "this array does not exist, or no longer");
  }
  return found->second;
}

TexelRegion TextureRegistry::region_of(ArrayId id) const {
  const ArrayEntry& entry = array(id);
  TexelRegion region;
  region.array = id;
  region.address = entry.address;
  region.format = entry.shape.format;
  region.width = static_cast<std::uint32_t>(entry.shape.width);
  region.height = static_cast<std::uint32_t>(rows_of(entry.shape));
  region.depth = static_cast<std::uint32_t>(slices_of(entry.shape));
  region.layered = entry.shape.layered;
  region.cubemap = entry.shape.cubemap;
  region.layout = entry.layout;
  return region;
}

ObjectId TextureRegistry::add_texture(const TextureDescription& how) {
  check_room();
  Texture texture;
  texture.how = how;
  if (how.array != 0) {
    texture.region = region_of(how.array);
  } else {
    check_memory(how, memory_);
    TexelRegion& region = texture.region;
    region.address = how.address;
    region.format = how.format;
    region.width = static_cast<std::uint32_t>(how.width);
    region.height = static_cast<std::uint32_t>(std::max<std::uint64_t>(how.height, 1));
    region.layout = ArrayLayout::plain(how.height == 0 ? 0 : how.pitch, region.height);
  }
  check_reading(how, texture.region.format);
  textures_.emplace(next_object_, texture);
  return next_object_++;
}

ObjectId TextureRegistry::add_surface(ArrayId id) {
  check_room();
  const TexelRegion region = region_of(id);
  if (!array(id).shape.surface) {
    invalid("a surface needs an array made with cudaArraySurfaceLoadStore");
  }
  surfaces_.emplace(next_object_, region);
  return next_object_++;
}

void TextureRegistry::remove_texture(ObjectId id) {
  if (textures_.erase(id) == 0) {
    throw DeviceError(error_invalid_value, false,
                      "this texture object does not exist, or no longer");
  }
}

void TextureRegistry::remove_surface(ObjectId id) {
  if (surfaces_.erase(id) == 0) {
    throw DeviceError(error_invalid_value, false,
                      "this surface object does not exist, or no longer");
  }
}

const Texture* TextureRegistry::texture(ObjectId id) const {
  const auto found = textures_.find(id);
  return found == textures_.end() ? nullptr : &found->second;
}

const TexelRegion* TextureRegistry::surface(ObjectId id) const {
  const auto found = surfaces_.find(id);
  return found == surfaces_.end() ? nullptr : &found->second;
}

}  // namespace gridstride::sim
