// Stage 2, a block for four rows, 16 bytes a thread: long stretches of memory, many of them under
// way.
//
// Three changes, all against waiting:
//   - a thread loads 16 bytes of a row at a time: a quarter of the instructions for the same bytes;
//   - a block takes four rows at once, so that a thread has four such loads under way before it
//     needs the first, and each piece of x, once fetched, is used four times;
//   - the threads of a block read one stretch of 4 KB of each row together.
//
// A is read once and never again, x by every block: A is loaded past the L1 (__ldcs), which keeps
// x.
#include "labs/jacobi/jacobi.h"

namespace {

using jacobi::Method;

constexpr int block_threads = 256;
constexpr int block_rows = 4;
constexpr unsigned full_warp = 0xffffffff;

/// The sum of the warp's 32 values, in every lane. Every lane must call it.
__device__ float sum_warp(float sum) {
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(full_warp, sum, offset);
  return sum;
}

__device__ float dot(float4 a, float4 b) {
  return (a.x * b.x + a.y * b.y) + (a.z * b.z + a.w * b.w);
}

/// This thread's share of (A x)[first] … (A x)[first + block_rows - 1]. Rows from n on give what
/// the last row gives: loads need no condition then, and nobody looks at the sums.
__device__ void share_of_rows(const float* a, std::int64_t pitch, const float* x, std::int64_t n,
                              std::int64_t first, float (&share)[block_rows]) {
  const float* row[block_rows];
#pragma unroll
  for (int k = 0; k < block_rows; ++k) {
    row[k] = a + min(first + k, n - 1) * pitch;
    share[k] = 0.0f;
  }
  const std::int64_t vectors = n / 4;
  // TODO(1): whole float4 of the rows and of x: thread t takes the vectors t, t + block_threads, …
  //   In each round first load one float4 of each of the four rows, then multiply.
  // TODO(1) end
  // TODO(2): the last n % 4 elements, by as many threads. What stands behind them is not the row's.
  // TODO(2) end
}

__global__ void __launch_bounds__(block_threads)
    sweep_rows(const float* a, std::int64_t pitch, const float* f, const float* x, float* next,
               std::int64_t n, Method method, float alpha) {
  __shared__ float warp_shares[block_rows][block_threads / 32];
  const std::int64_t first = std::int64_t{blockIdx.x} * block_rows;
  float share[block_rows];
  share_of_rows(a, pitch, x, n, first, share);
  // TODO(3): add up the shares of each row.
  //   Within warps, then across them through warp_shares. The first four threads write the next x
  //   of four rows.
  // TODO(3) end
}

}  // namespace

void sweep(const float* a, std::int64_t pitch, const float* f, const float* x, float* next,
           std::int64_t n, Method method, float alpha, gridstride::Scratch, cudaStream_t stream) {
  if (n == 0) return;
  const auto blocks = static_cast<unsigned>((n + block_rows - 1) / block_rows);
  sweep_rows<<<blocks, block_threads, 0, stream>>>(a, pitch, f, x, next, n, method, alpha);
}
