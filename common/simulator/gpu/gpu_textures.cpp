// Descriptions in the driver's words.
#include "common/simulator/gpu/gpu_textures.h"

#include <cuda.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "common/simulator/base/cuda_error.h"
#include "common/simulator/base/device_error.h"
#include "common/simulator/gpu/room.h"

namespace gridstride::sim {
namespace {

CUarray_format format_of(const TexelFormat& format) {
  const auto by_width = [&](CUarray_format narrow, CUarray_format half, CUarray_format whole) {
    if (format.bits == 8) return narrow;
    if (format.bits == 16) return half;
    if (format.bits == 32) return whole;
    throw DeviceError(error_invalid_channel_descriptor, false, "texels have 8, 16 or 32 bits");
  };
  switch (format.kind) {
    case TexelKind::signed_integer:
      return by_width(CU_AD_FORMAT_SIGNED_INT8, CU_AD_FORMAT_SIGNED_INT16,
                      CU_AD_FORMAT_SIGNED_INT32);
    case TexelKind::unsigned_integer:
      return by_width(CU_AD_FORMAT_UNSIGNED_INT8, CU_AD_FORMAT_UNSIGNED_INT16,
                      CU_AD_FORMAT_UNSIGNED_INT32);
    case TexelKind::floating:
      if (format.bits != 8)
        return by_width(CU_AD_FORMAT_HALF, CU_AD_FORMAT_HALF, CU_AD_FORMAT_FLOAT);
  }
  throw DeviceError(error_invalid_channel_descriptor, false, "no such kind of texel");
}

CUaddress_mode mode_of(AddressMode mode) {
  switch (mode) {
    case AddressMode::wrap:
      return CU_TR_ADDRESS_MODE_WRAP;
    case AddressMode::clamp:
      return CU_TR_ADDRESS_MODE_CLAMP;
    case AddressMode::mirror:
      return CU_TR_ADDRESS_MODE_MIRROR;
    case AddressMode::border:
      return CU_TR_ADDRESS_MODE_BORDER;
  }
  throw DeviceError(error_invalid_value, false, "no such address mode");
}

/// Of the texels alone. The most that there are when it is more.
std::uint64_t bytes_of(const ArrayShape& shape) {
  std::uint64_t bytes = std::uint64_t{shape.format.channels} * shape.format.bits / 8;
  for (const std::uint64_t extent : {shape.width, shape.height, shape.depth}) {
    if (__builtin_mul_overflow(bytes, std::max<std::uint64_t>(extent, 1), &bytes))
      return ~std::uint64_t{0};
  }
  return bytes;
}

[[noreturn]] void not_there(const char* what) {
  throw DeviceError(error_invalid_handle, false,
                    std::string("this ") + what + " does not exist, or no longer");
}

/// Of a pitched region in memory, where rows may be the region's own.
struct Memory {
  CUdeviceptr address = 0;
  std::size_t pitch = 0, height = 0;
};

Memory memory_of(const RegionPlace& place, const RegionSize& size) {
  return {.address = place.address,
          .pitch = std::max(place.pitch, size.width),
          .height = std::max(place.rows, size.height)};
}

}  // namespace

const GpuTextures::Array& GpuTextures::array(ArrayId id) const {
  const auto found = arrays_.find(id);
  if (found == arrays_.end()) not_there("array");
  return found->second;
}

ArrayId GpuTextures::add_array(const ArrayShape& shape) {
  require_room(arrays_.size(), most_handles, "arrays");
  const std::uint64_t bytes = bytes_of(shape);
  if (bytes > most_memory - array_bytes_) {
    throw DeviceError(
        error_memory_allocation, false,
        fmt::format("an array of {} bytes does not fit: a stage may have arrays of {} "
                    "bytes, and has {}",
                    bytes, most_memory, array_bytes_));
  }
  CUDA_ARRAY3D_DESCRIPTOR description{};
  description.Width = shape.width;
  description.Height = shape.height;
  description.Depth = shape.depth;
  description.Format = format_of(shape.format);
  description.NumChannels = shape.format.channels;
  description.Flags = (shape.layered ? CUDA_ARRAY3D_LAYERED : 0) |
                      (shape.cubemap ? CUDA_ARRAY3D_CUBEMAP : 0) |
                      (shape.surface ? CUDA_ARRAY3D_SURFACE_LDST : 0) |
                      (shape.gather ? CUDA_ARRAY3D_TEXTURE_GATHER : 0);
  CUarray made = nullptr;
  check(driver_, driver_.cuArray3DCreate(&made, &description), "making an array");
  arrays_[next_array_] = {.handle = made, .format = shape.format, .bytes = bytes};
  array_bytes_ += bytes;
  return next_array_++;
}

void GpuTextures::remove_array(ArrayId id) {
  check(driver_, driver_.cuArrayDestroy(array(id).handle), "destroying an array");
  array_bytes_ -= array(id).bytes;
  arrays_.erase(id);
}

ObjectId GpuTextures::add_texture(const TextureDescription& how) {
  require_room(textures_.size(), most_handles, "textures");
  CUDA_RESOURCE_DESC resource{};
  TexelFormat format = how.format;
  if (how.array != 0) {
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = array(how.array).handle;
    format = array(how.array).format;
  } else if (how.height == 0) {
    resource.resType = CU_RESOURCE_TYPE_LINEAR;
    resource.res.linear = {.devPtr = how.address,
                           .format = format_of(how.format),
                           .numChannels = how.format.channels,
                           .sizeInBytes = how.width * how.format.bytes()};
  } else {
    resource.resType = CU_RESOURCE_TYPE_PITCH2D;
    resource.res.pitch2D = {.devPtr = how.address,
                            .format = format_of(how.format),
                            .numChannels = how.format.channels,
                            .width = how.width,
                            .height = how.height,
                            .pitchInBytes = how.pitch};
  }
  CUDA_TEXTURE_DESC texture{};
  for (std::size_t i = 0; i < how.modes.size(); ++i) texture.addressMode[i] = mode_of(how.modes[i]);
  texture.filterMode = how.linear ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT;
  texture.flags =
      (how.normalized ? CU_TRSF_NORMALIZED_COORDINATES : 0) | (how.srgb ? CU_TRSF_SRGB : 0) |
      (how.normalized_float || format.kind == TexelKind::floating ? 0 : CU_TRSF_READ_AS_INTEGER);
  std::ranges::copy(how.border, texture.borderColor);
  CUtexObject made = 0;
  check(driver_, driver_.cuTexObjectCreate(&made, &resource, &texture, nullptr),
        "making a texture");
  textures_[made] = made;
  return made;
}

void GpuTextures::remove_texture(ObjectId id) {
  if (!textures_.contains(id)) not_there("texture");
  check(driver_, driver_.cuTexObjectDestroy(id), "destroying a texture");
  textures_.erase(id);
}

ObjectId GpuTextures::add_surface(ArrayId id) {
  require_room(surfaces_.size(), most_handles, "surfaces");
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = array(id).handle;
  CUsurfObject made = 0;
  check(driver_, driver_.cuSurfObjectCreate(&made, &resource), "making a surface");
  surfaces_[made] = made;
  return made;
}

void GpuTextures::remove_surface(ObjectId id) {
  if (!surfaces_.contains(id)) not_there("surface");
  check(driver_, driver_.cuSurfObjectDestroy(id), "destroying a surface");
  surfaces_.erase(id);
}

void GpuTextures::set_source(CUDA_MEMCPY3D& copy, const RegionPlace& place,
                             const RegionSize& size) const {
  if (place.array != 0) {
    copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.srcArray = array(place.array).handle;
    copy.srcXInBytes = place.x, copy.srcY = place.y, copy.srcZ = place.z;
    return;
  }
  const Memory memory = memory_of(place, size);
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = memory.address;
  copy.srcPitch = memory.pitch, copy.srcHeight = memory.height;
}

void GpuTextures::set_destination(CUDA_MEMCPY3D& copy, const RegionPlace& place,
                                  const RegionSize& size) const {
  if (place.array != 0) {
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = array(place.array).handle;
    copy.dstXInBytes = place.x, copy.dstY = place.y, copy.dstZ = place.z;
    return;
  }
  const Memory memory = memory_of(place, size);
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = memory.address;
  copy.dstPitch = memory.pitch, copy.dstHeight = memory.height;
}

}  // namespace gridstride::sim
