// CUDA arrays, textures and surfaces of a real GPU, under numbers of our own.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <map>

#include "common/simulator/gpu/driver.h"
#include "common/simulator/texture/description.h"

namespace gridstride::sim {

/// Of one context. A number is never used twice. Throws DeviceError, for what is not there
/// cudaErrorInvalidResourceHandle.
class GpuTextures {
 public:
  explicit GpuTextures(const Driver& driver) : driver_(driver) {}

  ArrayId add_array(const ArrayShape& shape);
  void remove_array(ArrayId id);
  ObjectId add_texture(const TextureDescription& how);
  void remove_texture(ObjectId id);
  ObjectId add_surface(ArrayId id);
  void remove_surface(ObjectId id);

  /// Fills the source or the destination of `copy`.
  void set_source(CUDA_MEMCPY3D& copy, const RegionPlace& place, const RegionSize& size) const;
  void set_destination(CUDA_MEMCPY3D& copy, const RegionPlace& place, const RegionSize& size) const;

 private:
  struct Array {
    CUarray handle = nullptr;
    TexelFormat format{};
    std::uint64_t bytes = 0;
  };
  const Array& array(ArrayId id) const;

  const Driver& driver_;
  std::map<ArrayId, Array> arrays_;
  /// What kernels are given is the driver's number, so that is ours as well.
  std::map<ObjectId, CUtexObject> textures_;
  std::map<ObjectId, CUsurfObject> surfaces_;
  ArrayId next_array_ = 1;
  std::uint64_t array_bytes_ = 0;
};

}  // namespace gridstride::sim
