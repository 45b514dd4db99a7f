// Stage 3, padded: the tree of stage 2 without its bank conflicts.
//
// In stage 2 neighbouring threads touch elements 2 s apart: at s = 16 the lanes of a warp all want
// the same bank, and wait in line for it. With one unused word after every 32 elements, element i
// stands at i + i / 32, so elements 32 apart are in neighbouring banks:
//
//     element     0    32    64    96   …          bank of stage 2: 0, 0, 0, 0, …
//     stands at   0    33    66    99   …          bank here:       0, 1, 2, 3, …
#include "labs/scan/scan.h"
#include "labs/scan/sections.cuh"

namespace {

constexpr int block_threads = 512;
constexpr int block_elements = 2 * block_threads;

/// Where element i stands in shared memory.
// TODO(1): one unused word after every 32 elements.
__device__ constexpr unsigned at(unsigned i) { return i; }
// TODO(1) end

/// Up: the sum of each pair of x[at(0)] … x[at(block_elements - 1)], then of each four, … at the
/// right end of what it is the sum of. Returns the sum of all to all threads. Every thread of the
/// block must call it.
__device__ float sum_up(float* x) {
  // TODO(2): up, as in stage 2.
  //   Every x[i] becomes x[at(i)]; what is added to what stays the same.
  return x[at(0)];
  // TODO(2) end
}

/// Down: makes of what sum_up() left the exclusive scan. A node knows what stands before it. So its
/// left child has the same before it, and its right child has the left one's sum before it in
/// addition. Every thread of the block must call it.
__device__ void scan_down(float* x) {
  // TODO(3): down, as in stage 2.
  x[at(threadIdx.x)] = 0.0f;
  // TODO(3) end
}

/// Writes the exclusive scan of the block's section of in[0] … in[n - 1] to out, and the section's
/// sum to sums[blockIdx.x].
__global__ void scan_sections(const float* in, float* out, float* sums, std::int64_t n) {
  __shared__ float x[at(block_elements)];
  // TODO(4): load and store as in stage 2, at the padded places.
  x[at(threadIdx.x)] = 0.0f;
  sum_up(x);
  scan_down(x);
  (void)in, (void)out, (void)sums, (void)n;
  // TODO(4) end
}

}  // namespace

void exclusive_scan(const float* in, float* out, std::int64_t n, gridstride::Scratch scratch,
                    cudaStream_t stream) {
  float* sums = static_cast<float*>(scratch.data);
  // TODO(5): any length, as in stage 1.
  if (n > 0 && n <= block_elements)
    scan_sections<<<1, block_threads, 0, stream>>>(in, out, sums, n);
  // TODO(5) end
}
