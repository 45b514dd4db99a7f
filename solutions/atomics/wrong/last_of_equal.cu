// Wrong: of equal values the last one wins, for the index is not turned upside down.
#include "labs/atomics/atomics.h"
#include "labs/atomics/elements.cuh"

namespace {

using namespace atomics;

using Packed = unsigned long long;

/// The float's bits as a number: a < b exactly if ordered(a) < ordered(b), and -0 below +0.
__device__ unsigned ordered(float value) {
  const unsigned bits = __float_as_uint(value);
  const bool negative = bits >> 31 != 0;
  return bits ^ (negative ? 0xffffffff : 0x80000000);
}

__device__ Packed pack(float value, std::int64_t index) {
  return Packed{ordered(value)} << 32 | static_cast<unsigned>(index);
}

__global__ void __launch_bounds__(block_threads)
    find_largest(const float* in, Packed* result, std::int64_t n) {
  Packed best = 0;
  for_each_of_mine(in, n, [&](float value, std::int64_t i) { best = max(best, pack(value, i)); });

  best = largest_in_warp(best);
  if (threadIdx.x % 32 == 0) atomicMax(result, best);
}

__global__ void unpack(const Packed* result, std::int64_t* index) {
  *index = *result == 0 ? -1 : std::int64_t{static_cast<unsigned>(*result)};
}

}  // namespace

void index_of_largest(const float* in, std::int64_t* index, std::int64_t n,
                      gridstride::Scratch scratch, cudaStream_t stream) {
  Packed* result = static_cast<Packed*>(scratch.data);
  cudaMemsetAsync(result, 0, sizeof(*result), stream);
  const int blocks = grid_blocks(find_largest, n, round_elements);
  find_largest<<<blocks, block_threads, 0, stream>>>(in, result, n);
  unpack<<<1, 1, 0, stream>>>(result, index);
}
