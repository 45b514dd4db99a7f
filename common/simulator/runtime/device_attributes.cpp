// Properties and attributes of the modelled GPU.
#include "common/simulator/runtime/device_attributes.h"

#include <cstdio>
#include <string>

#include "common/simulator/runtime/runtime.h"
#include "common/simulator/texture/texture_limits.h"

namespace gridstride::sim {
namespace {

constexpr int most_attribute = 160;  // beyond the last that CUDA 13 has
constexpr int constant_bytes = 65536, most_grid_x = 0x7fffffff, most_grid_yz = 65535;
constexpr int reserved_shared = 1024;

void set_texture_limits(cudaDeviceProp& out) {
  namespace limits = texture_limits;
  const auto set = [](auto& extents, auto... values) {
    int i = 0;
    ((extents[i++] = static_cast<int>(values)), ...);
  };
  constexpr auto flat = static_cast<int>(limits::width_1d);
  constexpr auto layered = static_cast<int>(limits::layered_1d);
  constexpr auto cube = static_cast<int>(limits::cubemap);
  out.textureAlignment = limits::alignment;
  out.texturePitchAlignment = limits::pitch_alignment;
  out.maxTexture1D = flat;
  out.maxTexture1DMipmap = layered;
  set(out.maxTexture2D, limits::width_2d, limits::height_2d);
  set(out.maxTexture2DMipmap, limits::layered_2d, limits::layered_2d);
  set(out.maxTexture2DLinear, limits::pitch_width, limits::pitch_height, limits::most_pitch);
  set(out.maxTexture2DGather, limits::gather_2d, limits::gather_2d);
  set(out.maxTexture3D, limits::extent_3d, limits::extent_3d, limits::extent_3d);
  set(out.maxTexture3DAlt, limits::extent_3d / 2, limits::extent_3d / 2, limits::extent_3d * 2);
  out.maxTextureCubemap = cube;
  set(out.maxTexture1DLayered, layered, limits::layers);
  set(out.maxTexture2DLayered, layered, layered, limits::layers);
  set(out.maxTextureCubemapLayered, cube, limits::cubemap_layers);
  out.maxSurface1D = layered;
  set(out.maxSurface2D, limits::width_2d, limits::height_2d);
  set(out.maxSurface3D, limits::extent_3d, limits::extent_3d, limits::extent_3d);
  set(out.maxSurface1DLayered, layered, limits::layers);
  set(out.maxSurface2DLayered, layered, layered, limits::layers);
  out.maxSurfaceCubemap = cube;
  set(out.maxSurfaceCubemapLayered, cube, limits::cubemap_layers);
}

}  // namespace

cudaDeviceProp cuda_properties(const DeviceProperties& device) {
  const auto number = [](auto value) { return static_cast<int>(value); };
  cudaDeviceProp out{};
  std::snprintf(out.name, sizeof out.name, "%s", device.name.c_str());
  out.totalGlobalMem = device.global_memory;
  out.sharedMemPerBlock = device.shared_per_block;
  out.regsPerBlock = number(device.registers_per_multiprocessor);
  out.warpSize = 32;
  out.memPitch = 0x7fffffff;
  out.maxThreadsPerBlock = 1024;
  out.maxThreadsDim[0] = out.maxThreadsDim[1] = 1024;
  out.maxThreadsDim[2] = 64;
  out.maxGridSize[0] = most_grid_x;
  out.maxGridSize[1] = out.maxGridSize[2] = most_grid_yz;
  out.totalConstMem = constant_bytes;
  out.major = number(device.capability / 10);
  out.minor = number(device.capability % 10);
  set_texture_limits(out);
  out.multiProcessorCount = number(device.multiprocessors);
  out.surfaceAlignment = 512;
  out.concurrentKernels = 1;
  out.asyncEngineCount = 2;
  out.unifiedAddressing = 1;
  out.memoryBusWidth = number(device.memory_bus_bits);
  out.l2CacheSize = number(device.l2_bytes);
  out.maxThreadsPerMultiProcessor = number(device.warps_per_multiprocessor * 32);
  out.streamPrioritiesSupported = 1;
  out.globalL1CacheSupported = out.localL1CacheSupported = 1;
  out.sharedMemPerMultiprocessor = device.shared_per_multiprocessor;
  out.regsPerMultiprocessor = number(device.registers_per_multiprocessor);
  out.cooperativeLaunch = 1;
  out.sharedMemPerBlockOptin = device.shared_per_block_optin;
  out.maxBlocksPerMultiProcessor = number(device.blocks_per_multiprocessor);
  out.reservedSharedMemPerBlock = reserved_shared;
  out.hostRegisterSupported = 1;
  out.canMapHostMemory = 1;
  out.managedMemory = out.concurrentManagedAccess = 1;
  out.memoryPoolsSupported = 1;
  out.computePreemptionSupported = 1;
  return out;
}

int cuda_attribute(const DeviceProperties& device, cudaDeviceAttr attribute) {
  const cudaDeviceProp properties = cuda_properties(device);
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
      return properties.maxThreadsPerBlock;
    case cudaDevAttrMaxBlockDimX:
      return properties.maxThreadsDim[0];
    case cudaDevAttrMaxBlockDimY:
      return properties.maxThreadsDim[1];
    case cudaDevAttrMaxBlockDimZ:
      return properties.maxThreadsDim[2];
    case cudaDevAttrMaxGridDimX:
      return properties.maxGridSize[0];
    case cudaDevAttrMaxGridDimY:
      return properties.maxGridSize[1];
    case cudaDevAttrMaxGridDimZ:
      return properties.maxGridSize[2];
    case cudaDevAttrMaxSharedMemoryPerBlock:
      return static_cast<int>(properties.sharedMemPerBlock);
    case cudaDevAttrTotalConstantMemory:
      return constant_bytes;
    case cudaDevAttrWarpSize:
      return properties.warpSize;
    case cudaDevAttrMaxPitch:
      return static_cast<int>(properties.memPitch);
    case cudaDevAttrMaxRegistersPerBlock:
      return properties.regsPerBlock;
    case cudaDevAttrClockRate:
      return static_cast<int>(device.clock_khz);
    case cudaDevAttrTextureAlignment:
    case cudaDevAttrSurfaceAlignment:
      return static_cast<int>(properties.textureAlignment);
    case cudaDevAttrTexturePitchAlignment:
      return static_cast<int>(properties.texturePitchAlignment);
    case cudaDevAttrMaxTexture1DWidth:
      return properties.maxTexture1D;
    case cudaDevAttrMaxTexture1DLinearWidth:
      return static_cast<int>(texture_limits::width_linear);
    case cudaDevAttrMaxTexture2DWidth:
      return properties.maxTexture2D[0];
    case cudaDevAttrMaxTexture2DHeight:
      return properties.maxTexture2D[1];
    case cudaDevAttrMaxTexture2DLinearWidth:
      return properties.maxTexture2DLinear[0];
    case cudaDevAttrMaxTexture2DLinearHeight:
      return properties.maxTexture2DLinear[1];
    case cudaDevAttrMaxTexture2DLinearPitch:
      return properties.maxTexture2DLinear[2];
    case cudaDevAttrMaxTexture2DGatherWidth:
      return properties.maxTexture2DGather[0];
    case cudaDevAttrMaxTexture2DGatherHeight:
      return properties.maxTexture2DGather[1];
    case cudaDevAttrMaxTexture1DMipmappedWidth:
      return properties.maxTexture1DMipmap;
    case cudaDevAttrMaxTexture2DMipmappedWidth:
      return properties.maxTexture2DMipmap[0];
    case cudaDevAttrMaxTexture2DMipmappedHeight:
      return properties.maxTexture2DMipmap[1];
    case cudaDevAttrMaxTexture3DWidthAlt:
      return properties.maxTexture3DAlt[0];
    case cudaDevAttrMaxTexture3DHeightAlt:
      return properties.maxTexture3DAlt[1];
    case cudaDevAttrMaxTexture3DDepthAlt:
      return properties.maxTexture3DAlt[2];
    case cudaDevAttrMaxTexture3DWidth:
    case cudaDevAttrMaxTexture3DHeight:
    case cudaDevAttrMaxTexture3DDepth:
      return properties.maxTexture3D[0];
    case cudaDevAttrMaxTexture1DLayeredWidth:
    case cudaDevAttrMaxTexture2DLayeredWidth:
    case cudaDevAttrMaxTexture2DLayeredHeight:
      return properties.maxTexture2DLayered[0];
    case cudaDevAttrMaxTexture1DLayeredLayers:
    case cudaDevAttrMaxTexture2DLayeredLayers:
      return properties.maxTexture2DLayered[2];
    case cudaDevAttrMaxTextureCubemapWidth:
      return properties.maxTextureCubemap;
    case cudaDevAttrMaxTextureCubemapLayeredWidth:
      return properties.maxTextureCubemapLayered[0];
    case cudaDevAttrMaxTextureCubemapLayeredLayers:
      return properties.maxTextureCubemapLayered[1];
    case cudaDevAttrMaxSurface1DWidth:
      return properties.maxSurface1D;
    case cudaDevAttrMaxSurface2DWidth:
      return properties.maxSurface2D[0];
    case cudaDevAttrMaxSurface2DHeight:
      return properties.maxSurface2D[1];
    case cudaDevAttrMaxSurface3DWidth:
    case cudaDevAttrMaxSurface3DHeight:
    case cudaDevAttrMaxSurface3DDepth:
      return properties.maxSurface3D[0];
    case cudaDevAttrMaxSurface1DLayeredWidth:
      return properties.maxSurface1DLayered[0];
    case cudaDevAttrMaxSurface1DLayeredLayers:
      return properties.maxSurface1DLayered[1];
    case cudaDevAttrMaxSurface2DLayeredWidth:
      return properties.maxSurface2DLayered[0];
    case cudaDevAttrMaxSurface2DLayeredHeight:
      return properties.maxSurface2DLayered[1];
    case cudaDevAttrMaxSurface2DLayeredLayers:
      return properties.maxSurface2DLayered[2];
    case cudaDevAttrMaxSurfaceCubemapWidth:
      return properties.maxSurfaceCubemap;
    case cudaDevAttrMaxSurfaceCubemapLayeredWidth:
      return properties.maxSurfaceCubemapLayered[0];
    case cudaDevAttrMaxSurfaceCubemapLayeredLayers:
      return properties.maxSurfaceCubemapLayered[1];
    case cudaDevAttrMemSyncDomainCount:
    case cudaDevAttrComputePreemptionSupported:
    case cudaDevAttrGpuOverlap:
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrStreamPrioritiesSupported:
    case cudaDevAttrGlobalL1CacheSupported:
    case cudaDevAttrLocalL1CacheSupported:
    case cudaDevAttrCooperativeLaunch:
    case cudaDevAttrHostRegisterSupported:
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrConcurrentManagedAccess:
    case cudaDevAttrMemoryPoolsSupported:
      return 1;
    case cudaDevAttrMultiProcessorCount:
      return properties.multiProcessorCount;
    case cudaDevAttrMemoryClockRate:
      return static_cast<int>(device.memory_clock_khz);
    case cudaDevAttrGlobalMemoryBusWidth:
      return properties.memoryBusWidth;
    case cudaDevAttrL2CacheSize:
      return properties.l2CacheSize;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      return properties.maxThreadsPerMultiProcessor;
    case cudaDevAttrAsyncEngineCount:
      return properties.asyncEngineCount;
    case cudaDevAttrComputeCapabilityMajor:
      return properties.major;
    case cudaDevAttrComputeCapabilityMinor:
      return properties.minor;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      return static_cast<int>(properties.sharedMemPerMultiprocessor);
    case cudaDevAttrMaxRegistersPerMultiprocessor:
      return properties.regsPerMultiprocessor;
    case cudaDevAttrSingleToDoublePrecisionPerfRatio:
      return device.capability == 75 ? 32 : 2;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return static_cast<int>(properties.sharedMemPerBlockOptin);
    case cudaDevAttrMaxBlocksPerMultiprocessor:
      return properties.maxBlocksPerMultiProcessor;
    case cudaDevAttrReservedSharedMemoryPerBlock:
      return reserved_shared;
    default:
      if (attribute <= 0 || attribute > most_attribute) {
        invalid("attribute " + std::to_string(attribute) + " does not exist");
      }
      return 0;
  }
}

}  // namespace gridstride::sim
