// A mistake, from published code: to each section the sum of the one before it is added, not of
// all.
#include "labs/scan/scan.h"
#include "labs/scan/sections.cuh"

namespace {

constexpr int block_threads = 512;
constexpr int block_elements = 2 * block_threads;

/// Up: the sum of each pair of x[0] … x[block_elements - 1], then of each four, … at the right end
/// of what it is the sum of. Returns the sum of all to all threads. Every thread of the block must
/// call it.
__device__ float sum_up(float* x) {
  const unsigned tid = threadIdx.x;
  for (unsigned s = 1; s < block_elements; s *= 2) {
    __syncthreads();
    const unsigned right = 2 * s * (tid + 1) - 1;
    if (right < block_elements) x[right] += x[right - s];
  }
  __syncthreads();
  return x[block_elements - 1];
}

/// Down: makes of what sum_up() left the exclusive scan. A node knows what stands before it. So its
/// left child has the same before it, and its right child has the left one's sum before it in
/// addition. Every thread of the block must call it.
__device__ void scan_down(float* x) {
  const unsigned tid = threadIdx.x;
  __syncthreads();  // all have read the sum: it can be cleared
  if (tid == 0) x[block_elements - 1] = 0.0f;
  for (unsigned s = block_elements / 2; s > 0; s /= 2) {
    __syncthreads();
    const unsigned right = 2 * s * (tid + 1) - 1;
    if (right < block_elements) {
      const float left_sum = x[right - s];
      x[right - s] = x[right];
      x[right] += left_sum;
    }
  }
  __syncthreads();
}

/// Writes the exclusive scan of the block's section of in[0] … in[n - 1] to out, and the section's
/// sum to sums[blockIdx.x].
__global__ void scan_sections(const float* in, float* out, float* sums, std::int64_t n) {
  __shared__ float x[block_elements];
  const unsigned tid = threadIdx.x;
  const std::int64_t i = std::int64_t{blockIdx.x} * block_elements + tid, j = i + block_threads;

  // Half a section apart, so that the lanes of a warp read 128 bytes in a row both times.
  x[tid] = i < n ? in[i] : 0.0f;
  x[tid + block_threads] = j < n ? in[j] : 0.0f;
  const float sum = sum_up(x);
  scan_down(x);
  if (i < n) out[i] = x[tid];
  if (j < n) out[j] = x[tid + block_threads];
  if (tid == 0) sums[blockIdx.x] = sum;
}

}  // namespace

void exclusive_scan(const float* in, float* out, std::int64_t n, gridstride::Scratch scratch,
                    cudaStream_t stream) {
  float* sums = static_cast<float*>(scratch.data);
  const std::int64_t blocks = (n + block_elements - 1) / block_elements;
  if (blocks == 0) return;
  scan_sections<<<blocks, block_threads, 0, stream>>>(in, out, sums + 1, n);
  cudaMemsetAsync(sums, 0, sizeof(float), stream);
  scan::add_to_sections<block_elements><<<blocks, block_threads, 0, stream>>>(out, sums, n);
}
