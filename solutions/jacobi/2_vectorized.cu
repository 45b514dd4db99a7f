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
  const float4* x4 = reinterpret_cast<const float4*>(x);
  for (std::int64_t j = threadIdx.x; j < vectors; j += block_threads) {
    float4 piece[block_rows];
#pragma unroll
    for (int k = 0; k < block_rows; ++k)
      piece[k] = __ldcs(reinterpret_cast<const float4*>(row[k]) + j);
    const float4 factor = __ldg(x4 + j);
#pragma unroll
    for (int k = 0; k < block_rows; ++k) share[k] += dot(piece[k], factor);
  }
  const std::int64_t last = 4 * vectors + threadIdx.x;
  if (last < n) {
#pragma unroll
    for (int k = 0; k < block_rows; ++k) share[k] += row[k][last] * x[last];
  }
}

__global__ void __launch_bounds__(block_threads)
    sweep_rows(const float* a, std::int64_t pitch, const float* f, const float* x, float* next,
               std::int64_t n, Method method, float alpha) {
  __shared__ float warp_shares[block_rows][block_threads / 32];
  const std::int64_t first = std::int64_t{blockIdx.x} * block_rows;
  float share[block_rows];
  share_of_rows(a, pitch, x, n, first, share);
#pragma unroll
  for (int k = 0; k < block_rows; ++k) {
    const float sum = sum_warp(share[k]);
    if (threadIdx.x % 32 == 0) warp_shares[k][threadIdx.x / 32] = sum;
  }
  __syncthreads();
  const std::int64_t i = first + threadIdx.x;
  if (threadIdx.x >= block_rows || i >= n) return;
  float product = 0.0f;
  for (const float sum : warp_shares[threadIdx.x]) product += sum;
  const float r = f[i] - product;
  next[i] = method == Method::jacobi ? x[i] + r / a[i * pitch + i] : x[i] - alpha * r;
}

}  // namespace

void sweep(const float* a, std::int64_t pitch, const float* f, const float* x, float* next,
           std::int64_t n, Method method, float alpha, gridstride::Scratch, cudaStream_t stream) {
  if (n == 0) return;
  const auto blocks = static_cast<unsigned>((n + block_rows - 1) / block_rows);
  sweep_rows<<<blocks, block_threads, 0, stream>>>(a, pitch, f, x, next, n, method, alpha);
}
