// Stage 4, first addition during the load: two elements a thread.
//
// In stage 3 half of the threads load one element and never add anything. Here a block takes twice
// as many elements and every thread adds two of them on their way into shared memory: half the
// blocks, half the barriers an element, and two loads under way in each thread instead of one.

#include "labs/reduction/reduction.h"

namespace {

constexpr int block_threads = 256;
constexpr int block_elements = 2 * block_threads;

/// Adds sums[0] … sums[blockDim.x - 1] up into sums[0]. Every thread of the block must call it.
__device__ void sum_tree(float* sums) {
  // TODO(1): the tree of stage 3.
  // TODO(1) end
}

/// Writes the sum of the block's section of in[0] … in[n - 1] to partial[blockIdx.x].
__global__ void sum_sections(const float* in, float* partial, std::int64_t n) {
  __shared__ float sums[block_threads];
  const unsigned tid = threadIdx.x;

  // TODO(2): the load.
  //   The block's section has two elements for each thread now. Thread t adds element t of the
  //   section and element t + block_threads and puts their sum into sums[t]. (Not t and t + 1:
  //   what would that do to the sectors of a request?) Either may lie past the end of the input;
  //   0 stands for it.
  sums[tid] = 0.0f;
  // TODO(2) end
  __syncthreads();
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
