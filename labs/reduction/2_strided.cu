// Stage 2, strided index: the same tree, with the working threads side by side.
//
// The sums that are added, and where they stand, are those of stage 1. Only who does it changes:
// thread t takes the t-th addition of the step, so the threads with work fill whole warps and the
// other warps have none at all.

#include "labs/reduction/reduction.h"

namespace {

constexpr int block_threads = 256;
constexpr int block_elements = block_threads;

/// Adds sums[0] … sums[blockDim.x - 1] up into sums[0]. Every thread of the block must call it.
__device__ void sum_tree(float* sums) {
  // TODO(1): the tree of stage 1, with other threads at work.
  //   In the step with distance s the sums at 0, 2 * s, 4 * s, … take in their neighbours. Let
  //   thread 0 do the first of these additions, thread 1 the second, and so on; no remainder (%)
  //   is needed. Which threads have work in a step, and how many warps are they?
  // TODO(1) end
}

/// Writes the sum of the block's section of in[0] … in[n - 1] to partial[blockIdx.x].
__global__ void sum_sections(const float* in, float* partial, std::int64_t n) {
  __shared__ float sums[block_threads];
  const unsigned tid = threadIdx.x;

  const std::int64_t i = std::int64_t{blockIdx.x} * block_elements + tid;
  sums[tid] = i < n ? in[i] : 0.0f;
  __syncthreads();
  sum_tree(sums);
  // TODO(2): one thread writes the block's sum, sums[0], to partial[blockIdx.x].
  // TODO(2) end
}

}  // namespace

void reduce_sum(const float* in, float* out, std::int64_t n, gridstride::Scratch scratch,
                cudaStream_t stream) {
  float* unused = static_cast<float*>(scratch.data);
  for (;;) {
    const std::int64_t blocks = max(std::int64_t{1}, (n + block_elements - 1) / block_elements);
    float* partial = blocks == 1 ? out : unused;
    sum_sections<<<blocks, block_threads, 0, stream>>>(in, partial, n);
    if (blocks == 1) return;
    // What this pass wrote is what the next one reads; its own partial sums go behind it.
    in = partial;
    n = blocks;
    unused += blocks;
  }
}
