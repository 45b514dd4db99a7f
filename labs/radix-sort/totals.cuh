// Given to stages 5 and 6: how often each value of each digit occurs in all keys, for all four
// passes at once. The totals do not depend on the order of the keys, so they can be counted before
// anything is moved.
//
// This is a histogram of 4 x 256 bins. Each lane counts in a column of its own, so that the lanes
// of a warp never meet in a bank: 128 KB of shared memory, one block on a multiprocessor.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "common/contract.h"
#include "labs/radix-sort/digits.cuh"

namespace radix_sort {

constexpr int total_threads = 1024;
constexpr int total_copies = 32;  // a column of counters for each lane: no bank conflicts
constexpr int total_loads_in_flight = 8;
constexpr std::size_t total_table_bytes =
    sizeof(std::uint32_t) * passes * digit_values * total_copies;

/// Adds the digits of all keys to totals[pass * digit_values + digit]; clears the words of
/// to_clear.
template <typename Order>
__global__ void __launch_bounds__(total_threads)
    count_totals(const std::uint32_t* keys, std::uint32_t* totals, std::uint32_t n,
                 std::uint32_t* to_clear, std::uint32_t words_to_clear) {
  extern __shared__ std::uint32_t columns[];  // [pass][digit][copy]
  constexpr int counters = passes * digit_values;
  const unsigned tid = threadIdx.x, stride = gridDim.x * total_threads;
  for (unsigned i = tid; i < counters * total_copies; i += total_threads) columns[i] = 0;
  __syncthreads();

  std::uint32_t* mine = columns + tid % total_copies;
  const auto count = [mine](std::uint32_t key) {
#pragma unroll
    for (int pass = 0; pass < passes; ++pass) {
      const unsigned digit = key >> pass * digit_bits & (digit_values - 1);
      atomicAdd(&mine[(pass * digit_values + digit) * total_copies], 1u);
    }
  };
  std::uint32_t i = blockIdx.x * total_threads + tid;
  for (std::uint32_t word = i; word < words_to_clear; word += stride) to_clear[word] = 0;
  for (; i + (total_loads_in_flight - 1) * stride < n; i += total_loads_in_flight * stride) {
    std::uint32_t loaded[total_loads_in_flight];
#pragma unroll
    for (int k = 0; k < total_loads_in_flight; ++k) loaded[k] = __ldg(keys + i + k * stride);
#pragma unroll
    for (int k = 0; k < total_loads_in_flight; ++k) count(Order::encode(loaded[k]));
  }
  for (; i < n; i += stride) count(Order::encode(keys[i]));
  __syncthreads();

  for (unsigned counter = tid; counter < counters; counter += total_threads) {
    std::uint32_t sum = 0;  // each lane begins in another column, that is, in another bank
    for (unsigned k = 0; k < total_copies; ++k)
      sum += columns[counter * total_copies + (k + counter) % total_copies];
    if (sum > 0) atomicAdd(&totals[counter], sum);
  }
}

/// Adds the digits of n keys to totals[pass * digit_values + digit], which the caller has cleared,
/// and clears `words_to_clear` words from `to_clear` on, for the first pass. n > 0.
template <typename Order>
void launch_totals(const std::uint32_t* keys, std::uint32_t* totals, std::uint32_t n,
                   std::uint32_t* to_clear, std::uint32_t words_to_clear, cudaStream_t stream) {
  int device = 0, multiprocessors = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  cudaFuncSetAttribute(count_totals<Order>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       total_table_bytes);
  constexpr std::uint32_t round = total_threads * total_loads_in_flight;
  const std::uint32_t blocks = std::min<std::uint32_t>(multiprocessors, n / round + 1);
  count_totals<Order><<<blocks, total_threads, total_table_bytes, stream>>>(
      keys, totals, n, to_clear, words_to_clear);
}

}  // namespace radix_sort
