// Stage 1, Hillis and Steele: a block scans its elements in log2(n) steps, all of them at once.
//
// In step s = 1, 2, 4, … each element takes in the one at distance s before it:
//
//     index   0      1      2      3      4      5      6      7
//     s = 1   0      0..1   1..2   2..3   3..4   4..5   5..6   6..7
//     s = 2   0      0..1   0..2   0..3   1..4   2..5   3..6   4..7
//     s = 4   0      0..1   0..2   0..3   0..4   0..5   0..6   0..7
//
// Everybody reads what others overwrite, so a step goes from one array to another: double
// buffering, with one barrier a step. It is short but not thrifty: n log2(n) additions, where a
// loop needs n.
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
  // TODO(1): the steps.
  //   For s = 1, 2, 4, … below block_threads: from one array to the other. Element tid becomes the
  //   sum of itself and of the element at distance s before it; one that has none is copied. Then
  //   the arrays change places. Nobody may read what is not yet written, nor write what is still
  //   read: one barrier a step is enough. Where?
  return buffers[0];
  // TODO(1) end
}

/// Writes the exclusive scan of the block's section of in[0] … in[n - 1] to out, and the section's
/// sum to sums[blockIdx.x].
__global__ void scan_sections(const float* in, float* out, float* sums, std::int64_t n) {
  const unsigned tid = threadIdx.x;
  const std::int64_t i = std::int64_t{blockIdx.x} * block_elements + tid;

  // Past the end stands 0, the identity: no special case for the last block.
  const float* prefix = scan_block(i < n ? in[i] : 0.0f);
  // TODO(2): what is written.
  //   prefix[k] is the sum of elements 0 … k of the section. out[i] must be the sum of those
  //   before element tid, without it. One thread writes the sum of the whole section to
  //   sums[blockIdx.x].
  (void)prefix, (void)out, (void)sums;
  // TODO(2) end
}

}  // namespace

void exclusive_scan(const float* in, float* out, std::int64_t n, gridstride::Scratch scratch,
                    cudaStream_t stream) {
  float* sums = static_cast<float*>(scratch.data);
  // TODO(3): any length.
  //   This scans the first section and no other. labs/scan/sections.cuh has what makes one scan of
  //   many sections: read it, and call it with your kernel.
  if (n > 0 && n <= block_elements)
    scan_sections<<<1, block_threads, 0, stream>>>(in, out, sums, n);
  // TODO(3) end
}
