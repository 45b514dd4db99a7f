// Stage 5, warp shuffles: the last five steps happen in registers.
//
// The 32 lanes of a warp hand each other registers with __shfl_down_sync: no shared memory, and no
// barrier, because the instruction itself waits for the lanes its mask names. Each warp sums its
// own values, one barrier, and the first warp sums the warps' sums: five steps and five steps are
// the ten steps of a block of 1024.

#include "labs/reduction/reduction.h"

namespace {

constexpr int block_threads = 256;
constexpr int block_elements = 2 * block_threads;

constexpr unsigned full_warp = 0xffffffff;

/// The sum of the warp's 32 values, in lane 0. Every lane must call it.
__device__ float sum_warp(float sum) {
  // TODO(1): five steps in registers.
  //   For offset = 16, 8, 4, 2, 1: __shfl_down_sync(full_warp, sum, offset) is what `sum` is in
  //   the lane `offset` further up. Which lanes hold a sum that means something after each step?
  return __shfl_down_sync(full_warp, sum, 0);
  // TODO(1) end
}

/// The sum of the block's values, in thread 0. Every thread must call it.
__device__ float sum_block(float sum) {
  // TODO(2): from warps to the block.
  //   Sum each warp. Its lane 0 puts the warp's sum into an array in shared memory, of
  //   block_threads / 32 floats. Then the first warp sums that array; a lane for which the array
  //   has no entry brings 0. Between writing and reading stands the only barrier of this stage.
  return sum_warp(sum);
  // TODO(2) end
}

/// Writes the sum of the block's section of in[0] … in[n - 1] to partial[blockIdx.x].
__global__ void sum_sections(const float* in, float* partial, std::int64_t n) {
  const unsigned tid = threadIdx.x;

  const std::int64_t i = std::int64_t{blockIdx.x} * block_elements + tid;
  const float first = i < n ? in[i] : 0.0f;
  const float second = i + block_threads < n ? in[i + block_threads] : 0.0f;

  // TODO(3): the block's sum.
  //   Of all `first + second`; one thread writes it to partial[blockIdx.x].
  sum_block(first + second);
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
