// Stage 1, a warp for each row: the lanes of a warp read 128 bytes of one row together.
//
//     lane    0  1  2 … 31
//     row i   a₀ a₁ a₂ … a₃₁ │ a₃₂ …        one load: 4 sectors, all of them used
//
// Each lane adds up its share of the row, every 32nd product; five shuffles bring the shares
// together.
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
  // TODO(1): the warp's product of a row with x.
  //   Lane l takes the elements l, l + 32, l + 64, … of the row, each times the same element of x.
  //   Then the 32 shares are added: every lane gets the sum.
  // TODO(1) end
  return sum;
}

__global__ void sweep_rows(const float* a, std::int64_t pitch, const float* f, const float* x,
                           float* next, std::int64_t n, Method method, float alpha) {
  // TODO(2): which row is this warp's, and the next x of it.
  //   Whole warps leave when there is no row for them. One lane writes; the method says what.
  // TODO(2) end
}

}  // namespace

void sweep(const float* a, std::int64_t pitch, const float* f, const float* x, float* next,
           std::int64_t n, Method method, float alpha, gridstride::Scratch, cudaStream_t stream) {
  if (n == 0) return;
  const auto blocks = static_cast<unsigned>((n + block_rows - 1) / block_rows);
  sweep_rows<<<blocks, block_threads, 0, stream>>>(a, pitch, f, x, next, n, method, alpha);
}
