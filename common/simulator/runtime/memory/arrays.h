// CUDA arrays, textures and surfaces as the program knows them: handles and what they were made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "common/simulator/device/device.h"
#include "common/simulator/runtime/memory/cudart.h"

namespace gridstride::sim {

class Runtime;

struct ArrayRecord {
  ArrayId id = 0;
  cudaChannelFormatDesc format{};
  cudaExtent extent{};
  unsigned flags = 0;

  std::size_t texel_bytes() const {
    return static_cast<std::size_t>(format.x + format.y + format.z + format.w) / 8;
  }
};

struct TextureRecord {
  cudaResourceDesc resource{};
  cudaTextureDesc how{};
};

/// Belongs to the Runtime. Lookups throw DeviceError with the code the real runtime gives.
class ArrayRegistry {
 public:
  cudaArray_t add(const ArrayRecord& record);
  const ArrayRecord& find(cudaArray_const_t handle) const;
  void remove(cudaArray_const_t handle);

  std::map<ObjectId, TextureRecord> textures;
  std::map<ObjectId, cudaResourceDesc> surfaces;

 private:
  std::map<ArrayId, ArrayRecord> arrays_;
};

/// What the device makes of a channel descriptor. Throws DeviceError
/// (cudaErrorInvalidChannelDescriptor).
TexelFormat format_of(const cudaChannelFormatDesc& channels);

// pitched_regions.cpp: copies of regions between arrays, device memory and host memory, at once.

/// One end of a copy: an array, or memory of either side.
struct RegionEnd {
  const ArrayRecord* array = nullptr;
  std::size_t x = 0, y = 0, z = 0;  ///< array: bytes, rows, slices
  void* memory = nullptr;           ///< of the first byte of the region
  std::size_t pitch = 0, rows = 0;  ///< memory: bytes from row to row, rows from slice to slice
};

void copy_region(Runtime& runtime, RegionEnd to, RegionEnd from, const RegionSize& size,
                 cudaMemcpyKind kind, StreamId stream);
void copy_region(Runtime& runtime, const cudaMemcpy3DParms& what, StreamId stream);
void fill_region(Runtime& runtime, const RegionEnd& to, std::uint8_t value, const RegionSize& size,
                 StreamId stream);

}  // namespace gridstride::sim
