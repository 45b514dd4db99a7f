// A mistake: the inclusive scan, in[i] is in out[i] already.
#include "labs/scan/scan.h"
#include "labs/scan/sections.cuh"

namespace {

constexpr int block_threads = 512;
constexpr int block_elements = block_threads;

/// The inclusive scan of the block's values, one a thread, in the array that is returned. Every
/// thread of the block must call it.
__device__ const float* scan_block(float value) {
  __shared__ float buffers[2][block_threads];
  const unsigned tid = threadIdx.x;

  buffers[0][tid] = value;
  float *from = buffers[0], *to = buffers[1];
  __syncthreads();
  for (unsigned s = 1; s < block_threads; s *= 2) {
    to[tid] = tid >= s ? from[tid - s] + from[tid] : from[tid];
    __syncthreads();  // the step is complete, and the old array is free to be written
    float* const done = to;
    to = from;
    from = done;
  }
  return from;
}

/// Writes the exclusive scan of the block's section of in[0] … in[n - 1] to out, and the section's
/// sum to sums[blockIdx.x].
__global__ void scan_sections(const float* in, float* out, float* sums, std::int64_t n) {
  const unsigned tid = threadIdx.x;
  const std::int64_t i = std::int64_t{blockIdx.x} * block_elements + tid;

  // Past the end stands 0, the identity: no special case for the last block.
  const float* prefix = scan_block(i < n ? in[i] : 0.0f);
  if (i < n) out[i] = prefix[tid];
  if (tid == 0) sums[blockIdx.x] = prefix[block_threads - 1];
}

}  // namespace

void exclusive_scan(const float* in, float* out, std::int64_t n, gridstride::Scratch scratch,
                    cudaStream_t stream) {
  float* sums = static_cast<float*>(scratch.data);
  scan::scan_by_sections<block_threads, block_elements>(scan_sections, in, out, n, sums, stream);
}
