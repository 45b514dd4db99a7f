// Stage 1, predicate, scan, pack: where an element goes is how many are kept before it.
//
//     in          3  -1   4   1  -5   9
//     kept        1   0   1   1   0   1     the predicate, as 0 or 1
//     scanned     0   1   1   2   3   3     exclusive: the address
//     out         3   4   1   9
//
// One block does it, 1024 elements at a time, and carries the count from piece to piece. The flags
// are integers: a float counts exactly only to 2^24.
#include "labs/compact-split/compact-split.h"

namespace {

constexpr int block_threads = 1024;

__device__ bool is_kept(float value) { return value > 0.0f; }

/// The inclusive scan of the block's values, one a thread, in the array that is returned (Hillis
/// and Steele, two buffers). Every thread of the block must call it.
__device__ const int* scan_block(int value) {
  __shared__ int buffers[2][block_threads];
  const unsigned tid = threadIdx.x;
  int *from = buffers[0], *to = buffers[1];

  __syncthreads();  // everybody is done with the last call's result
  from[tid] = value;
  __syncthreads();
  // TODO(1): the scan.
  //   In the step with distance s = 1, 2, 4, … element t becomes the sum of t - s and t; those
  //   with t < s stay. Read from one buffer, write to the other, and swap them: who reads and who
  //   writes the same buffer in one step needs more than a barrier.
  to[tid] = from[tid];
  // TODO(1) end
  return from;
}

/// One block packs in[0] … in[n - 1].
__global__ void pack(const float* in, float* out, std::int64_t* count, std::int64_t n) {
  const unsigned tid = threadIdx.x;
  std::int64_t before = 0;  // kept in the pieces before this one
  for (std::int64_t first = 0; first < n; first += block_threads) {
    const std::int64_t i = first + tid;
    const float value = i < n ? in[i] : 0.0f;  // 0 is not kept
    const int* through = scan_block(is_kept(value));
    // TODO(2): write `value` to its place in `out`, if it is kept, and add this piece to `before`.
    //   through[t] is the number of kept elements among the piece's first t + 1: inclusive. An
    //   address is exclusive.
    if (is_kept(value)) before += through[tid];
    // TODO(2) end
  }
  // TODO(3): who writes *count, and what? For n = 0, too.
  // TODO(3) end
}

}  // namespace

void compact(const float* in, float* out, std::int64_t* count, std::int64_t n, gridstride::Scratch,
             cudaStream_t stream) {
  pack<<<1, block_threads, 0, stream>>>(in, out, count, n);
}
