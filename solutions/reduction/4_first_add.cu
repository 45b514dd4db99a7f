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
  const unsigned tid = threadIdx.x;
  for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
    if (tid < s) sums[tid] += sums[tid + s];
    __syncthreads();
  }
}

/// Writes the sum of the block's section of in[0] … in[n - 1] to partial[blockIdx.x].
__global__ void sum_sections(const float* in, float* partial, std::int64_t n) {
  __shared__ float sums[block_threads];
  const unsigned tid = threadIdx.x;

  const std::int64_t i = std::int64_t{blockIdx.x} * block_elements + tid;
  const float first = i < n ? in[i] : 0.0f;
  const float second = i + block_threads < n ? in[i + block_threads] : 0.0f;
  sums[tid] = first + second;
  __syncthreads();
  sum_tree(sums);
  if (tid == 0) partial[blockIdx.x] = sums[0];
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
