// Stage 1, interleaved addressing: a block sums its elements by a tree in shared memory.
//
// In step s = 1, 2, 4, … the sums that stand 2 s apart take in their neighbour at distance s:
//
//     index   0   1   2   3   4   5   6   7
//     s = 1   0+1     2+3     4+5     6+7
//     s = 2   0..3            4..7
//     s = 4   0..7
//
// A block leaves one partial sum, and the kernel is launched again on the partial sums until one
// value is left.

#include "labs/reduction/reduction.h"

namespace {

constexpr int block_threads = 256;
constexpr int block_elements = block_threads;

/// Adds sums[0] … sums[blockDim.x - 1] up into sums[0]. Every thread of the block must call it.
__device__ void sum_tree(float* sums) {
  // TODO(1): the tree.
  //   For s = 1, 2, 4, … below blockDim.x: every thread whose index is a multiple of 2 * s adds
  //   the sum at distance s to its own. A step must be over before the next one begins. Mind
  //   where the barrier, __syncthreads(), stands: all threads of the block have to come to it.
  // TODO(1) end
}

/// Writes the sum of the block's section of in[0] … in[n - 1] to partial[blockIdx.x].
__global__ void sum_sections(const float* in, float* partial, std::int64_t n) {
  __shared__ float sums[block_threads];
  // TODO(2): the load.
  //   Each thread puts its element of the block's section into its place of `sums`. Element t of
  //   the section is element blockIdx.x * block_elements + t of the input: an index of 64 bits.
  //   Where the input has no such element, put 0: then the tree needs no special case for the
  //   last block. No thread may go on before all have loaded.
  // TODO(2) end
  sum_tree(sums);
  // TODO(3): one thread writes the block's sum, sums[0], to partial[blockIdx.x].
  // TODO(3) end
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
