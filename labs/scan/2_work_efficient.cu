// Stage 2, work-efficient: up a tree and down again, 2 (n - 1) additions instead of n log2(n).
//
//     index   0      1      2      3      4      5      6      7
//     up      .      0..1   .      2..3   .      4..5   .      6..7
//             .      .      .      0..3   .      .      .      4..7
//             .      .      .      .      .      .      .      0..7   the sum: kept, then cleared
//     down    .      .      .      0      .      .      .      0..3
//             .      0      .      0..1   .      0..3   .      0..5
//             0      0..0   0..1   0..2   0..3   0..4   0..5   0..6
//
// The second half of the picture says what stands before: 0..3 at index 7 is the sum of elements 0
// to 3, the four before the right half. A step has at most half as many additions as the block has
// elements, so a thread takes two elements.
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
  // TODO(1): up.
  //   For s = 1, 2, 4, … below block_elements: the t-th addition of the step puts its sum at
  //   2 s (t + 1) - 1, where a sum of s elements stands, and takes in the sum at distance s
  //   before it. A step must be over before the next one begins, and x must be there before the
  //   first.
  x[2 * tid] = x[2 * tid + 1] = 0.0f;
  // TODO(1) end
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
  // TODO(2): down.
  //   For s = block_elements / 2, …, 4, 2, 1: the same places in the opposite order. What stands
  //   at `right` goes to its left child at right - s; the left child's sum, which stood there, is
  //   added at `right`.
  // TODO(2) end
  __syncthreads();
}

/// Writes the exclusive scan of the block's section of in[0] … in[n - 1] to out, and the section's
/// sum to sums[blockIdx.x].
__global__ void scan_sections(const float* in, float* out, float* sums, std::int64_t n) {
  __shared__ float x[block_elements];
  // TODO(3): two elements a thread.
  //   Which two, so that the lanes of a warp read 128 bytes in a row each time? Put them into x,
  //   0 where the input has none; go up and down; write the two results, where `out` has them, and
  //   let one thread write the section's sum.
  sum_up(x);
  scan_down(x);
  (void)in, (void)out, (void)sums, (void)n;
  // TODO(3) end
}

}  // namespace

void exclusive_scan(const float* in, float* out, std::int64_t n, gridstride::Scratch scratch,
                    cudaStream_t stream) {
  float* sums = static_cast<float*>(scratch.data);
  // TODO(4): any length, as in stage 1.
  if (n > 0 && n <= block_elements)
    scan_sections<<<1, block_threads, 0, stream>>>(in, out, sums, n);
  // TODO(4) end
}
