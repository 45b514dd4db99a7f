// The driver for tests: arrays, textures, surfaces, and copies of pitched regions.
#include <cuda.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "common/simulator/gpu/testdriver/context.h"
#include "common/simulator/texture/description.h"

using gridstride::testdriver::Context;
namespace sim = gridstride::sim;

namespace {

/// Kind 3 for what this driver does not know, which the simulated GPU refuses.
sim::TexelFormat format_of(CUarray_format format, unsigned channels) {
  const auto made = [channels](sim::TexelKind kind, unsigned bits) {
    return sim::TexelFormat{kind, static_cast<std::uint8_t>(bits),
                            static_cast<std::uint8_t>(channels)};
  };
  switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
      return made(sim::TexelKind::unsigned_integer, 8);
    case CU_AD_FORMAT_UNSIGNED_INT16:
      return made(sim::TexelKind::unsigned_integer, 16);
    case CU_AD_FORMAT_UNSIGNED_INT32:
      return made(sim::TexelKind::unsigned_integer, 32);
    case CU_AD_FORMAT_SIGNED_INT8:
      return made(sim::TexelKind::signed_integer, 8);
    case CU_AD_FORMAT_SIGNED_INT16:
      return made(sim::TexelKind::signed_integer, 16);
    case CU_AD_FORMAT_SIGNED_INT32:
      return made(sim::TexelKind::signed_integer, 32);
    case CU_AD_FORMAT_HALF:
      return made(sim::TexelKind::floating, 16);
    case CU_AD_FORMAT_FLOAT:
      return made(sim::TexelKind::floating, 32);
    default:
      return made(static_cast<sim::TexelKind>(3), 0);
  }
}

sim::AddressMode mode_of(CUaddress_mode mode) {
  switch (mode) {
    case CU_TR_ADDRESS_MODE_WRAP:
      return sim::AddressMode::wrap;
    case CU_TR_ADDRESS_MODE_CLAMP:
      return sim::AddressMode::clamp;
    case CU_TR_ADDRESS_MODE_MIRROR:
      return sim::AddressMode::mirror;
    default:
      return sim::AddressMode::border;
  }
}

/// One side of a copy, in an array or in memory of the device.
sim::RegionPlace place(CUarray array, CUdeviceptr address, std::size_t pitch, std::size_t height,
                       std::size_t x, std::size_t y, std::size_t z) {
  if (array == nullptr) return {.address = address, .pitch = pitch, .rows = height};
  return {.array = array->id, .x = x, .y = y, .z = z};
}

}  // namespace

CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D* what, CUstream stream) {
  Context& context = Context::get();
  const CUDA_MEMCPY3D copy = *what;
  const sim::RegionSize size{copy.WidthInBytes, copy.Height, copy.Depth};
  const std::size_t bytes = size.width * size.height * size.depth;
  const sim::RegionPlace from = place(copy.srcArray, copy.srcDevice, copy.srcPitch, copy.srcHeight,
                                      copy.srcXInBytes, copy.srcY, copy.srcZ);
  const sim::RegionPlace to = place(copy.dstArray, copy.dstDevice, copy.dstPitch, copy.dstHeight,
                                    copy.dstXInBytes, copy.dstY, copy.dstZ);
  const bool from_host = copy.srcMemoryType == CU_MEMORYTYPE_HOST;
  const bool to_host = copy.dstMemoryType == CU_MEMORYTYPE_HOST;
  const CUresult queued = context.queue(stream, [=, &context] {
    if (from_host) {
      context.device.write_region(to, size, {static_cast<const std::byte*>(copy.srcHost), bytes},
                                  0);
    } else if (to_host) {
      context.device.read_region({static_cast<std::byte*>(copy.dstHost), bytes}, from, size, 0);
    } else {
      context.device.copy_region(to, from, size, 0);
    }
  });
  return from_host || to_host ? context.wait(context.streams.find(stream)) : queued;
}

CUresult cuArray3DCreate(CUarray* array, const CUDA_ARRAY3D_DESCRIPTOR* how) {
  Context& context = Context::get();
  return context.guarded([&] {
    sim::ArrayShape shape;
    shape.format = format_of(how->Format, how->NumChannels);
    shape.width = how->Width, shape.height = how->Height, shape.depth = how->Depth;
    shape.layered = (how->Flags & CUDA_ARRAY3D_LAYERED) != 0;
    shape.cubemap = (how->Flags & CUDA_ARRAY3D_CUBEMAP) != 0;
    shape.surface = (how->Flags & CUDA_ARRAY3D_SURFACE_LDST) != 0;
    shape.gather = (how->Flags & CUDA_ARRAY3D_TEXTURE_GATHER) != 0;
    *array = new CUarray_st{context.device.create_array(shape)};
  });
}

CUresult cuArrayDestroy(CUarray array) {
  Context& context = Context::get();
  return context.guarded([&] {
    context.device.destroy_array(array->id);
    delete array;
  });
}

CUresult cuTexObjectCreate(CUtexObject* object, const CUDA_RESOURCE_DESC* resource,
                           const CUDA_TEXTURE_DESC* texture, const CUDA_RESOURCE_VIEW_DESC*) {
  Context& context = Context::get();
  return context.guarded([&] {
    sim::TextureDescription how;
    if (resource->resType == CU_RESOURCE_TYPE_ARRAY) {
      how.array = resource->res.array.hArray->id;
    } else if (resource->resType == CU_RESOURCE_TYPE_LINEAR) {
      const auto& memory = resource->res.linear;
      how.address = memory.devPtr;
      how.format = format_of(memory.format, memory.numChannels);
      how.width = memory.sizeInBytes / std::max(how.format.bytes(), 1u);
    } else {
      const auto& memory = resource->res.pitch2D;
      how.address = memory.devPtr;
      how.format = format_of(memory.format, memory.numChannels);
      how.width = memory.width, how.height = memory.height, how.pitch = memory.pitchInBytes;
    }
    std::ranges::transform(texture->addressMode, how.modes.begin(), mode_of);
    how.linear = texture->filterMode == CU_TR_FILTER_MODE_LINEAR;
    how.normalized = (texture->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
    how.srgb = (texture->flags & CU_TRSF_SRGB) != 0;
    how.normalized_float = (texture->flags & CU_TRSF_READ_AS_INTEGER) == 0;
    std::ranges::copy(texture->borderColor, how.border.begin());
    *object = context.device.create_texture(how);
  });
}

CUresult cuTexObjectDestroy(CUtexObject object) {
  return Context::get().guarded([&] { Context::get().device.destroy_texture(object); });
}

CUresult cuSurfObjectCreate(CUsurfObject* object, const CUDA_RESOURCE_DESC* resource) {
  Context& context = Context::get();
  return context.guarded(
      [&] { *object = context.device.create_surface(resource->res.array.hArray->id); });
}

CUresult cuSurfObjectDestroy(CUsurfObject object) {
  return Context::get().guarded([&] { Context::get().device.destroy_surface(object); });
}
