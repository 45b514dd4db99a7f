// Loses sums of blocks when their number is not a power of two: the second launch halves the count
// of partial sums as the tree halves a block. From published teaching code.

#include "labs/reduction/reduction.h"

namespace {

constexpr int block_threads = 256;
constexpr int block_elements = block_threads;

/// Adds sums[0] … sums[blockDim.x - 1] up into sums[0]. Every thread of the block must call it.
__device__ void sum_tree(float* sums) {
  const unsigned tid = threadIdx.x;
  for (unsigned s = 1; s < blockDim.x; s *= 2) {
    if (tid % (2 * s) == 0) sums[tid] += sums[tid + s];
    __syncthreads();  // outside the branch: every thread of the block must arrive
  }
}

/// Writes the sum of the block's section of in[0] … in[n - 1] to partial[blockIdx.x].
__global__ void sum_sections(const float* in, float* partial, std::int64_t n) {
  __shared__ float sums[block_threads];
  const unsigned tid = threadIdx.x;

  // Past the end stands 0, the identity, so the tree below needs no special case for the last
  // block.
  const std::int64_t i = std::int64_t{blockIdx.x} * block_elements + tid;
  sums[tid] = i < n ? in[i] : 0.0f;
  __syncthreads();
  sum_tree(sums);
  if (tid == 0) partial[blockIdx.x] = sums[0];
}

}  // namespace

__global__ void sum_partial(float* partial, float* out, unsigned count) {
  for (unsigned s = count / 2; s > 0; s /= 2) {
    for (unsigned i = threadIdx.x; i < s; i += blockDim.x) partial[i] += partial[i + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) *out = partial[0];
}

void reduce_sum(const float* in, float* out, std::int64_t n, gridstride::Scratch scratch,
                cudaStream_t stream) {
  float* partial = static_cast<float*>(scratch.data);
  const std::int64_t blocks = max(std::int64_t{1}, (n + block_elements - 1) / block_elements);
  sum_sections<<<blocks, block_threads, 0, stream>>>(in, partial, n);
  sum_partial<<<1, block_threads, 0, stream>>>(partial, out, blocks);
}
