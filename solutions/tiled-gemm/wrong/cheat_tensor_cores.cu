// A cheat: includes what it would take for tensor cores.
#include <mma.h>

#include "labs/tiled-gemm/tiled-gemm.h"

namespace {

constexpr int tile = 32;
constexpr int block_rows = 8;                      // of threads; a row is a warp
constexpr int rows_of_thread = tile / block_rows;  // of C

/// Element (row, column) of a matrix of `rows` rows and `columns` columns; 0 outside of it.
__device__ float element(const float* matrix, int row, int column, int rows, int columns) {
  return row < rows && column < columns ? matrix[std::int64_t{row} * columns + column] : 0.0f;
}

/// c = alpha * sum + beta * c, without reading c when beta is 0.
__device__ void update(float& c, float alpha, float sum, float beta) {
  c = beta == 0 ? alpha * sum : alpha * sum + beta * c;
}

__global__ void __launch_bounds__(tile* block_rows)
    multiply_tiles(const float* a, const float* b, float* c, int m, int n, int k, float alpha,
                   float beta) {
  __shared__ float a_tile[tile][tile], b_tile[tile][tile];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * tile + y, column = blockIdx.x * tile + x;  // the first of four rows
  float sum[rows_of_thread] = {};

  for (int first = 0; first < k; first += tile) {
    for (int i = 0; i < tile; i += block_rows) {
      a_tile[y + i][x] = element(a, row + i, first + x, m, k);
      b_tile[y + i][x] = element(b, first + y + i, column, k, n);
    }
    __syncthreads();
    for (int p = 0; p < tile; ++p) {
      const float b_element = b_tile[p][x];
#pragma unroll
      for (int i = 0; i < rows_of_thread; ++i) sum[i] += a_tile[y + i * block_rows][p] * b_element;
    }
    __syncthreads();
  }

#pragma unroll
  for (int i = 0; i < rows_of_thread; ++i) {
    const int c_row = row + i * block_rows;
    if (c_row < m && column < n) update(c[std::int64_t{c_row} * n + column], alpha, sum[i], beta);
  }
}

void honest(const float* a, const float* b, float* c, std::int32_t m, std::int32_t n,
            std::int32_t k, float alpha, float beta, cudaStream_t stream) {
  if (m == 0 || n == 0) return;
  const dim3 blocks((n + tile - 1) / tile, (m + tile - 1) / tile);
  multiply_tiles<<<blocks, dim3(tile, block_rows), 0, stream>>>(a, b, c, m, n, k, alpha, beta);
}

}  // namespace

void gemm(const float* a, const float* b, float* c, std::int32_t m, std::int32_t n, std::int32_t k,
          float alpha, float beta, cudaStream_t stream) {
  honest(a, b, c, m, n, k, alpha, beta, stream);
}
