// Threads, blocks, warps: who computes which element, and what a branch costs.
//   ./lab explain docs/foundations/threads.cu
#include <cstdio>

#include "common/example.h"

constexpr int n = 1000;

/// One thread for each element. 1000 is no multiple of 256: the last block has threads to spare,
/// and the guard keeps them off the array.
__global__ void one_each(float* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = 2.0f * i;
}

/// Any number of threads for any number of elements.
__global__ void grid_stride(float* out, int count) {
  const int step = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) out[i] = 2.0f * i;
}

/// Some work that cannot be done away with: n steps of a recurrence.
__device__ float work(float x, int steps) {
#pragma unroll 1
  for (int s = 0; s < steps; ++s) x = x * 0.5f + 1.0f;
  return x;
}

/// Neighbours take different ways: every warp walks both, half its lanes idle on each.
__global__ void branch_by_lane(float* out) {
  if (threadIdx.x % 2 == 0) {
    out[threadIdx.x] = work(1.0f, 100);
  } else {
    out[threadIdx.x] = work(2.0f, 100);
  }
}

/// The same work for the same number of threads, but whole warps agree.
__global__ void branch_by_warp(float* out) {
  if (threadIdx.x / 32 % 2 == 0) {
    out[threadIdx.x] = work(1.0f, 100);
  } else {
    out[threadIdx.x] = work(2.0f, 100);
  }
}

int main() {
  DeviceArray<float> out(n);
  const int blocks = (n + 255) / 256;
  one_each<<<blocks, 256>>>(out.data(), n);
  grid_stride<<<1, 256>>>(out.data(), n);
  branch_by_lane<<<1, 256>>>(out.data());
  branch_by_warp<<<1, 256>>>(out.data());
  return finish();
}
