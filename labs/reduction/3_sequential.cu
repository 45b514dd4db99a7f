// Stage 3, sequential addressing: halves instead of neighbours.
//
// In each step the upper half of the sums is added to the lower half. Working threads and the sums
// they touch both stand side by side: neighbouring lanes use neighbouring banks.
//
//     index   0   1   2   3   4   5   6   7
//     s = 4   0+4 1+5 2+6 3+7
//     s = 2   …   …
//     s = 1   0..7

#include "labs/reduction/reduction.h"

namespace {

constexpr int block_threads = 256;
constexpr int block_elements = block_threads;

/// Adds sums[0] … sums[blockDim.x - 1] up into sums[0]. Every thread of the block must call it.
__device__ void sum_tree(float* sums) {
  // TODO(1): the tree from the other end.
  //   Start with s = half the block and halve it until nothing is left to halve. In each step
  //   thread t, if it has work, adds the sum at t + s to the sum at t. Which threads have work,
  //   and which banks do the lanes of a warp touch?
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
