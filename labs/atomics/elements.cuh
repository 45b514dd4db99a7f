// Given to stages 1, 2 and 4, which read an array once and differ in what they make of it: how the
// threads of a grid go over it as fast as it can be read. It is stage 6 of the reduction lab with
// the addition left open.
#pragma once

#include <algorithm>
#include <cstdint>

#include "common/contract.h"

namespace atomics {

constexpr int block_threads = 256;
constexpr unsigned full_warp = 0xffffffff;
constexpr int loads_in_flight = 4;

/// Elements that a block loads at a time.
constexpr std::int64_t round_elements = 4 * loads_in_flight * block_threads;

__device__ inline float4 load_four(const float* at) {
  return __ldg(reinterpret_cast<const float4*>(at));
}
__device__ inline int4 load_four(const std::int32_t* at) {
  return __ldg(reinterpret_cast<const int4*>(at));
}

/// Calls take(in[i], i) for the thread's share of i = 0 … n - 1: among all threads of the grid each
/// i has its turn once.
template <class T, class Take>
__device__ void for_each_of_mine(const T* in, std::int64_t n, Take take) {
  const std::int64_t thread = std::int64_t{blockIdx.x} * block_threads + threadIdx.x;
  const std::int64_t stride = std::int64_t{gridDim.x} * block_threads;
  // Elements before the first address that is a multiple of 16, and fours from there on.
  const std::int64_t past = reinterpret_cast<std::uintptr_t>(in) / sizeof(T) % 4;
  const std::int64_t head = min(n, (4 - past) % 4);
  const std::int64_t fours = (n - head) / 4;

  const auto take_four = [&](auto four, std::int64_t which) {
    const std::int64_t i = head + 4 * which;
    take(four.x, i);
    take(four.y, i + 1);
    take(four.z, i + 2);
    take(four.w, i + 3);
  };
  decltype(load_four(in)) loaded[loads_in_flight];  // registers, once the loops are unrolled
  std::int64_t which = thread;
  for (; which + (loads_in_flight - 1) * stride < fours; which += loads_in_flight * stride) {
#pragma unroll
    for (int k = 0; k < loads_in_flight; ++k)
      loaded[k] = load_four(in + head + 4 * (which + k * stride));
#pragma unroll
    for (int k = 0; k < loads_in_flight; ++k) take_four(loaded[k], which + k * stride);
  }
  for (; which < fours; which += stride) take_four(load_four(in + head + 4 * which), which);

  if (thread < head) take(in[thread], thread);
  const std::int64_t behind = head + 4 * fours + thread;
  if (behind < n) take(in[behind], behind);
}

/// The largest of the warp's 32 values, in lane 0. Every lane must call it.
template <class T>
__device__ T largest_in_warp(T mine) {
  for (int offset = 16; offset > 0; offset /= 2) {
    const T other = __shfl_down_sync(full_warp, mine, offset);
    if (other > mine) mine = other;
  }
  return mine;
}

/// As many blocks of `kernel` as the device holds at once, but no more than there is work for when
/// a block takes `block_elements` at a time, and at least one.
template <class Kernel>
int grid_blocks(Kernel* kernel, std::int64_t n, std::int64_t block_elements) {
  int device = 0, multiprocessors = 0, resident = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, block_threads, 0);
  const std::int64_t wanted = (n + block_elements - 1) / block_elements;
  return static_cast<int>(std::clamp<std::int64_t>(wanted, 1, multiprocessors * resident));
}

}  // namespace atomics
