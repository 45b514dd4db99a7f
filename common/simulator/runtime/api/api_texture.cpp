// Texture and surface objects.
#include <algorithm>
#include <cstddef>

#include "common/simulator/runtime/memory/arrays.h"
#include "common/simulator/runtime/runtime.h"
#include "common/simulator/texture/texture_limits.h"

using namespace gridstride::sim;

namespace {

[[noreturn]] void not_supported(const char* what) {
  throw DeviceError(cudaErrorNotSupported, false,
                    std::string(what) + " are not supported by the simulated GPU");
}

AddressMode mode_of(cudaTextureAddressMode mode) {
  switch (mode) {
    case cudaAddressModeWrap:
      return AddressMode::wrap;
    case cudaAddressModeClamp:
      return AddressMode::clamp;
    case cudaAddressModeMirror:
      return AddressMode::mirror;
    case cudaAddressModeBorder:
      return AddressMode::border;
  }
  invalid("no such address mode");
}

void describe_resource(Runtime& runtime, const cudaResourceDesc& resource,
                       TextureDescription& how) {
  switch (resource.resType) {
    case cudaResourceTypeArray:
      how.array = runtime.arrays.find(resource.res.array.array).id;
      return;
    case cudaResourceTypeLinear: {
      const auto& linear = resource.res.linear;
      how.format = format_of(linear.desc);
      how.address = address_of(linear.devPtr);
      how.width = linear.sizeInBytes / how.format.bytes();
      return;
    }
    case cudaResourceTypePitch2D: {
      const auto& rows = resource.res.pitch2D;
      if (rows.height == 0) invalid("a texture without rows");
      how.format = format_of(rows.desc);
      how.address = address_of(rows.devPtr);
      how.width = rows.width, how.height = rows.height, how.pitch = rows.pitchInBytes;
      return;
    }
    case cudaResourceTypeMipmappedArray:
      not_supported("mipmapped arrays");
  }
  invalid("no such kind of resource");
}

void describe_reading(const cudaTextureDesc& from, TextureDescription& how) {
  for (unsigned i = 0; i < 3; ++i) {
    how.modes[i] = mode_of(from.addressMode[i]);
  }
  const bool point = from.filterMode == cudaFilterModePoint;
  const bool elements = from.readMode == cudaReadModeElementType;
  if (!point && from.filterMode != cudaFilterModeLinear) invalid("no such filter mode");
  if (!elements && from.readMode != cudaReadModeNormalizedFloat) invalid("no such read mode");
  if (from.seamlessCubemap != 0) not_supported("seamless cubemaps");
  how.linear = !point;
  how.normalized_float = !elements;
  how.normalized = from.normalizedCoords != 0;
  how.srgb = from.sRGB != 0;
  std::copy_n(from.borderColor, 4, how.border.begin());
}

const TextureRecord& texture_of(Runtime& runtime, cudaTextureObject_t texture) {
  const auto found = runtime.arrays.textures.find(texture);
  if (found == runtime.arrays.textures.end()) invalid("this texture object does not exist");
  return found->second;
}

}  // namespace

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* texture, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* reading,
                                    const cudaResourceViewDesc* view) {
  return guarded("cudaCreateTextureObject", [&](Runtime& runtime) {
    required(texture);
    if (view != nullptr) not_supported("resource views of textures");
    TextureDescription how;
    describe_resource(runtime, required(resource), how);
    describe_reading(required(reading), how);
    const ObjectId id = runtime.device().create_texture(how);
    runtime.arrays.textures[id] = {.resource = *resource, .how = *reading};
    *texture = id;
  });
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture) {
  return guarded("cudaDestroyTextureObject", [&](Runtime& runtime) {
    if (texture == 0) return;
    runtime.device().destroy_texture(texture);
    runtime.arrays.textures.erase(texture);
  });
}

cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource,
                                             cudaTextureObject_t texture) {
  return guarded("cudaGetTextureObjectResourceDesc", [&](Runtime& runtime) {
    required(resource) = texture_of(runtime, texture).resource;
  });
}

cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* reading, cudaTextureObject_t texture) {
  return guarded("cudaGetTextureObjectTextureDesc",
                 [&](Runtime& runtime) { required(reading) = texture_of(runtime, texture).how; });
}

cudaError_t cudaGetTextureObjectResourceViewDesc(cudaResourceViewDesc* view,
                                                 cudaTextureObject_t texture) {
  return guarded("cudaGetTextureObjectResourceViewDesc", [&](Runtime& runtime) {
    required(view);
    texture_of(runtime, texture);
    invalid("this texture object was made without a resource view");
  });
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* surface,
                                    const cudaResourceDesc* resource) {
  return guarded("cudaCreateSurfaceObject", [&](Runtime& runtime) {
    required(surface);
    if (required(resource).resType != cudaResourceTypeArray) invalid("surfaces are of arrays");
    const ArrayId array = runtime.arrays.find(resource->res.array.array).id;
    const ObjectId id = runtime.device().create_surface(array);
    runtime.arrays.surfaces[id] = *resource;
    *surface = id;
  });
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface) {
  return guarded("cudaDestroySurfaceObject", [&](Runtime& runtime) {
    if (surface == 0) return;
    runtime.device().destroy_surface(surface);
    runtime.arrays.surfaces.erase(surface);
  });
}

cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* resource,
                                             cudaSurfaceObject_t surface) {
  return guarded("cudaGetSurfaceObjectResourceDesc", [&](Runtime& runtime) {
    const auto found = runtime.arrays.surfaces.find(surface);
    if (found == runtime.arrays.surfaces.end()) invalid("this surface object does not exist");
    required(resource) = found->second;
  });
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(std::size_t* width,
                                                 const cudaChannelFormatDesc* channels,
                                                 int device) {
  return guarded("cudaDeviceGetTexture1DLinearMaxWidth", [&](Runtime&) {
    if (device != 0) {
      throw DeviceError(cudaErrorInvalidDevice, false, "the simulated GPU is device 0");
    }
    const TexelFormat format = format_of(required(channels));
    required(width) = texture_limits::bytes_linear / format.bytes();
  });
}
