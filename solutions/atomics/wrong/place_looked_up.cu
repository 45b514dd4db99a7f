// Wrong: looks the counter up and adds to it afterwards. What the atomic returned would have been
// its own; what was looked up, others have looked up, too.
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

/// Keeps the positive ones of the block's elements. All threads must call it.
__device__ void keep(const float* in, std::int64_t left, float* out, unsigned long long* total) {
  float mine[items];
  load(in, left, mine);

#pragma unroll
  for (int k = 0; k < items; ++k) {
    if (!(mine[k] > 0)) continue;
    out[*static_cast<volatile unsigned long long*>(total)] = mine[k];
    atomicAdd(total, 1ull);
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
