// What a program may ask about device, kernels, pointers and errors.
#include <cstring>

#include "check.h"

__global__ void plain(int* out) { out[threadIdx.x] = 1; }

__global__ void __launch_bounds__(128) bounded(int* out) {
  extern __shared__ int dynamic[];
  __shared__ int fixed[64];
  fixed[threadIdx.x % 64] = dynamic[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = fixed[threadIdx.x % 64];
}

/// What two calls say about one thing.
static void attributes_equal_properties(const cudaDeviceProp& properties) {
  struct {
    cudaDeviceAttr attribute;
    int value;
  } const pairs[] = {
      {cudaDevAttrMaxThreadsPerBlock, properties.maxThreadsPerBlock},
      {cudaDevAttrMaxBlockDimZ, properties.maxThreadsDim[2]},
      {cudaDevAttrMaxGridDimX, properties.maxGridSize[0]},
      {cudaDevAttrMaxGridDimZ, properties.maxGridSize[2]},
      {cudaDevAttrMaxSharedMemoryPerBlock, static_cast<int>(properties.sharedMemPerBlock)},
      {cudaDevAttrTotalConstantMemory, static_cast<int>(properties.totalConstMem)},
      {cudaDevAttrWarpSize, properties.warpSize},
      {cudaDevAttrMaxRegistersPerBlock, properties.regsPerBlock},
      {cudaDevAttrTextureAlignment, static_cast<int>(properties.textureAlignment)},
      {cudaDevAttrSurfaceAlignment, static_cast<int>(properties.surfaceAlignment)},
      {cudaDevAttrMaxTexture1DWidth, properties.maxTexture1D},
      {cudaDevAttrMaxTexture2DGatherHeight, properties.maxTexture2DGather[1]},
      {cudaDevAttrMaxTexture3DDepthAlt, properties.maxTexture3DAlt[2]},
      {cudaDevAttrMaxTextureCubemapLayeredLayers, properties.maxTextureCubemapLayered[1]},
      {cudaDevAttrMaxTexture2DMipmappedWidth, properties.maxTexture2DMipmap[0]},
      {cudaDevAttrMaxSurface1DLayeredLayers, properties.maxSurface1DLayered[1]},
      {cudaDevAttrMaxSurface2DLayeredHeight, properties.maxSurface2DLayered[1]},
      {cudaDevAttrMaxSurfaceCubemapWidth, properties.maxSurfaceCubemap},
      {cudaDevAttrMultiProcessorCount, properties.multiProcessorCount},
      {cudaDevAttrIntegrated, properties.integrated},
      {cudaDevAttrCanMapHostMemory, properties.canMapHostMemory},
      {cudaDevAttrConcurrentKernels, properties.concurrentKernels},
      {cudaDevAttrEccEnabled, properties.ECCEnabled},
      {cudaDevAttrAsyncEngineCount, properties.asyncEngineCount},
      {cudaDevAttrUnifiedAddressing, properties.unifiedAddressing},
      {cudaDevAttrGlobalMemoryBusWidth, properties.memoryBusWidth},
      {cudaDevAttrL2CacheSize, properties.l2CacheSize},
      {cudaDevAttrMaxPersistingL2CacheSize, properties.persistingL2CacheMaxSize},
      {cudaDevAttrMaxAccessPolicyWindowSize, properties.accessPolicyMaxWindowSize},
      {cudaDevAttrMaxThreadsPerMultiProcessor, properties.maxThreadsPerMultiProcessor},
      {cudaDevAttrMaxBlocksPerMultiprocessor, properties.maxBlocksPerMultiProcessor},
      {cudaDevAttrReservedSharedMemoryPerBlock,
       static_cast<int>(properties.reservedSharedMemPerBlock)},
      {cudaDevAttrMaxSharedMemoryPerBlockOptin,
       static_cast<int>(properties.sharedMemPerBlockOptin)},
      {cudaDevAttrManagedMemory, properties.managedMemory},
      {cudaDevAttrConcurrentManagedAccess, properties.concurrentManagedAccess},
      {cudaDevAttrPageableMemoryAccess, properties.pageableMemoryAccess},
      {cudaDevAttrHostNativeAtomicSupported, properties.hostNativeAtomicSupported},
      {cudaDevAttrComputePreemptionSupported, properties.computePreemptionSupported},
      {cudaDevAttrCanUseHostPointerForRegisteredMem, properties.canUseHostPointerForRegisteredMem},
      {cudaDevAttrCooperativeLaunch, properties.cooperativeLaunch},
      {cudaDevAttrStreamPrioritiesSupported, properties.streamPrioritiesSupported},
      {cudaDevAttrMemoryPoolsSupported, properties.memoryPoolsSupported},
      {cudaDevAttrClusterLaunch, properties.clusterLaunch},
      {cudaDevAttrIpcEventSupport, properties.ipcEventSupported},
      {cudaDevAttrSparseCudaArraySupported, properties.sparseCudaArraySupported},
  };
  for (const auto& pair : pairs) {
    int value = -1;
    CHECK(cudaDeviceGetAttribute(&value, pair.attribute, 0));
    if (value != pair.value) std::printf("attribute %d\n", static_cast<int>(pair.attribute));
    EXPECT(value == pair.value);
  }
  int value;
  EXPECT(cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(9999), 0) ==
         cudaErrorInvalidValue);
}

int main() {
  int count = 0, value = 0;
  CHECK(cudaGetDeviceCount(&count));
  EXPECT(count == 1);
  EXPECT(cudaSetDevice(1) == cudaErrorInvalidDevice);
  EXPECT(cudaGetLastError() == cudaErrorInvalidDevice);
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  EXPECT(properties.major == 9 && properties.warpSize == 32);
  EXPECT(properties.multiProcessorCount == 4);
  attributes_equal_properties(properties);
  CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
  EXPECT(value == 4);

  cudaFuncAttributes attributes;
  CHECK(cudaFuncGetAttributes(&attributes, bounded));
  EXPECT(attributes.maxThreadsPerBlock == 128);
  EXPECT(attributes.sharedSizeBytes == 256);
  EXPECT(attributes.ptxVersion == 75 && attributes.binaryVersion == 90);
  int blocks = 0;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, 1024, 0));
  EXPECT(blocks == 2);
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bounded, 128, 48 * 1024 - 256));
  EXPECT(blocks == 4);
  int best = 0;
  CHECK(cudaOccupancyMaxPotentialBlockSize(&blocks, &best, plain, 0, 0));
  EXPECT(best == 1024 && blocks == 8);

  int* device = nullptr;
  CHECK(cudaMalloc(&device, 4096));
  EXPECT(cudaFuncSetAttribute(bounded, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20) ==
         cudaErrorInvalidValue);
  bounded<<<1, 128, 100 * 1024>>>(device);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(cudaFuncSetAttribute(bounded, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 * 1024));
  bounded<<<1, 128, 100 * 1024>>>(device);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFuncGetAttributes(&attributes, plain));
  EXPECT(attributes.maxDynamicSharedSizeBytes == 48 * 1024 &&
         attributes.preferredShmemCarveout == -1);
  CHECK(cudaFuncSetAttribute(bounded, cudaFuncAttributePreferredSharedMemoryCarveout, 50));
  CHECK(cudaFuncGetAttributes(&attributes, bounded));
  EXPECT(attributes.maxDynamicSharedSizeBytes == 100 * 1024);
  EXPECT(attributes.preferredShmemCarveout == 50);
  unsigned flags = 99;
  CHECK(cudaGetDeviceFlags(&flags));
  EXPECT(flags == cudaDeviceScheduleAuto);
  CHECK(cudaSetDeviceFlags(cudaDeviceMapHost | cudaDeviceScheduleSpin));
  CHECK(cudaGetDeviceFlags(&flags));
  EXPECT(flags == (cudaDeviceMapHost | cudaDeviceScheduleSpin));
  EXPECT(cudaSetDeviceFlags(3) == cudaErrorInvalidValue);

  cudaPointerAttributes pointer;
  CHECK(cudaPointerGetAttributes(&pointer, device));
  EXPECT(pointer.type == cudaMemoryTypeDevice);
  void* pinned = nullptr;
  CHECK(cudaMallocHost(&pinned, 1000));
  CHECK(cudaPointerGetAttributes(&pointer, static_cast<char*>(pinned) + 999));
  EXPECT(pointer.type == cudaMemoryTypeHost);
  CHECK(cudaPointerGetAttributes(&pointer, &value));
  EXPECT(pointer.type == cudaMemoryTypeUnregistered);
  CHECK(cudaFreeHost(pinned));

  std::size_t free_bytes, total, freed;
  CHECK(cudaMemGetInfo(&free_bytes, &total));
  CHECK(cudaFree(device));
  CHECK(cudaMemGetInfo(&freed, &total));
  EXPECT(freed == free_bytes + 4096);
  EXPECT(cudaFree(device) == cudaErrorInvalidValue);
  void* none = &value;
  EXPECT(cudaMalloc(&none, total + 1) == cudaErrorMemoryAllocation);
  EXPECT(none == nullptr);  // a kernel that gets it is told of a null pointer
  none = &value;
  CHECK(cudaMalloc(&none, 0));
  EXPECT(none == nullptr);
  EXPECT(std::strcmp(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress") == 0);
  EXPECT(std::strcmp(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory") == 0);
  std::printf("right\n");
}
