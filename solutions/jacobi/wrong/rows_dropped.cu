// A mistake: the number of blocks is rounded down, so that the last rows have none.
#include "labs/jacobi/jacobi.h"

namespace {

using jacobi::Method;

constexpr int block_threads = 256;
constexpr int block_rows = block_threads / 32;
constexpr unsigned full_warp = 0xffffffff;

/// The sum of the warp's 32 values, in every lane. Every lane must call it.
__device__ float sum_warp(float sum) {
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(full_warp, sum, offset);
  return sum;
}

/// (A x)[i] for row = the begin of row i, in every lane.
__device__ float product_of_row(const float* row, const float* x, std::int64_t n) {
  const unsigned lane = threadIdx.x % 32;
  float sum = 0.0f;
  for (std::int64_t j = lane; j < n; j += 32) sum += row[j] * x[j];
  sum = sum_warp(sum);
  return sum;
}

__global__ void sweep_rows(const float* a, std::int64_t pitch, const float* f, const float* x,
                           float* next, std::int64_t n, Method method, float alpha) {
  const std::int64_t i = std::int64_t{blockIdx.x} * block_rows + threadIdx.x / 32;
  if (i >= n) return;  // the whole warp, so that no shuffle waits for a lane that left
  const float* row = a + i * pitch;
  const float r = f[i] - product_of_row(row, x, n);
  if (threadIdx.x % 32 == 0)
    next[i] = method == Method::jacobi ? x[i] + r / row[i] : x[i] - alpha * r;
}

}  // namespace

void sweep(const float* a, std::int64_t pitch, const float* f, const float* x, float* next,
           std::int64_t n, Method method, float alpha, gridstride::Scratch, cudaStream_t stream) {
  if (n == 0) return;
  const auto blocks = static_cast<unsigned>(max(n / block_rows, std::int64_t{1}));
  sweep_rows<<<blocks, block_threads, 0, stream>>>(a, pitch, f, x, next, n, method, alpha);
}
