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
  CHECK(cudaMalloc(&none, 0));
  EXPECT(none == nullptr);
  EXPECT(std::strcmp(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress") == 0);
  EXPECT(std::strcmp(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory") == 0);
  std::printf("right\n");
}
