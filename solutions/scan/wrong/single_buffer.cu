// A mistake: one array for both sides of a step. Threads overwrite what others have not yet read.
#include "labs/scan/scan.h"
#include "labs/scan/sections.cuh"

namespace {

constexpr int block_threads = 512;
constexpr int block_elements = block_threads;

/// The inclusive scan of the block's values, one a thread, in the array that is returned. Every
/// thread of the block must call it.
__device__ const float* scan_block(float value) {
  __shared__ float sums[block_threads];
  const unsigned tid = threadIdx.x;

  sums[tid] = value;
  __syncthreads();
  for (unsigned s = 1; s < block_threads; s *= 2) {
    if (tid >= s) sums[tid] += sums[tid - s];
    __syncthreads();
  }
  return sums;
}

/// Writes the exclusive scan of the block's section of in[0] … in[n - 1] to out, and the section's
/// sum to sums[blockIdx.x].
__global__ void scan_sections(const float* in, float* out, float* sums, std::int64_t n) {
  const unsigned tid = threadIdx.x;
  const std::int64_t i = std::int64_t{blockIdx.x} * block_elements + tid;

  // Past the end stands 0, the identity: no special case for the last block.
  const float* prefix = scan_block(i < n ? in[i] : 0.0f);
  // Exclusive is inclusive, one element later.
  if (i < n) out[i] = tid == 0 ? 0.0f : prefix[tid - 1];
  if (tid == 0) sums[blockIdx.x] = prefix[block_threads - 1];
}

}  // namespace

void exclusive_scan(const float* in, float* out, std::int64_t n, gridstride::Scratch scratch,
                    cudaStream_t stream) {
  float* sums = static_cast<float*>(scratch.data);
  scan::scan_by_sections<block_threads, block_elements>(scan_sections, in, out, n, sums, stream);
}
