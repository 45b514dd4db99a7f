// A mistake: the root is cleared while other threads still read the sum.
#include "labs/scan/scan.h"
#include "labs/scan/sections.cuh"

namespace {

constexpr int block_threads = 512;
constexpr int block_elements = 2 * block_threads;

/// Where element i stands in shared memory.
__device__ constexpr unsigned at(unsigned i) { return i + i / 32; }

/// Up: the sum of each pair of x[at(0)] … x[at(block_elements - 1)], then of each four, … at the
/// right end of what it is the sum of. Returns the sum of all to all threads. Every thread of the
/// block must call it.
__device__ float sum_up(float* x) {
  const unsigned tid = threadIdx.x;
  for (unsigned s = 1; s < block_elements; s *= 2) {
    __syncthreads();
    const unsigned right = 2 * s * (tid + 1) - 1;
    if (right < block_elements) x[at(right)] += x[at(right - s)];
  }
  __syncthreads();
  return x[at(block_elements - 1)];
}

/// Down: makes of what sum_up() left the exclusive scan. A node knows what stands before it. So its
/// left child has the same before it, and its right child has the left one's sum before it in
/// addition. Every thread of the block must call it.
__device__ void scan_down(float* x) {
  const unsigned tid = threadIdx.x;
  if (tid == 0) x[at(block_elements - 1)] = 0.0f;
  for (unsigned s = block_elements / 2; s > 0; s /= 2) {
    __syncthreads();
    const unsigned right = 2 * s * (tid + 1) - 1;
    if (right < block_elements) {
      const float left_sum = x[at(right - s)];
      x[at(right - s)] = x[at(right)];
      x[at(right)] += left_sum;
    }
  }
  __syncthreads();
}

/// Writes the exclusive scan of the block's section of in[0] … in[n - 1] to out, and the section's
/// sum to sums[blockIdx.x].
__global__ void scan_sections(const float* in, float* out, float* sums, std::int64_t n) {
  __shared__ float x[at(block_elements)];
  const unsigned tid = threadIdx.x;
  const std::int64_t i = std::int64_t{blockIdx.x} * block_elements + tid, j = i + block_threads;

  // Half a section apart, so that the lanes of a warp read 128 bytes in a row both times.
  x[at(tid)] = i < n ? in[i] : 0.0f;
  x[at(tid + block_threads)] = j < n ? in[j] : 0.0f;
  const float sum = sum_up(x);
  scan_down(x);
  if (i < n) out[i] = x[at(tid)];
  if (j < n) out[j] = x[at(tid + block_threads)];
  if (tid == 0) sums[blockIdx.x] = sum;
}

}  // namespace

void exclusive_scan(const float* in, float* out, std::int64_t n, gridstride::Scratch scratch,
                    cudaStream_t stream) {
  float* sums = static_cast<float*>(scratch.data);
  scan::scan_by_sections<block_threads, block_elements>(scan_sections, in, out, n, sums, stream);
}
