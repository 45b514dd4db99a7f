// A mistake: the sums are split among blocks, which add their parts to C in whatever order they
// come.
#include "labs/tiled-gemm/tiled-gemm.h"

namespace {

constexpr int tile = 32;
constexpr int parts = 4;                           // of each sum
constexpr int block_rows = 8;                      // of threads; a row is a warp
constexpr int rows_of_thread = tile / block_rows;  // of C

/// Element (row, column) of a matrix of `rows` rows and `columns` columns; 0 outside of it.
__device__ float element(const float* matrix, int row, int column, int rows, int columns) {
  return row < rows && column < columns ? matrix[std::int64_t{row} * columns + column] : 0.0f;
}

__global__ void scale(float* c, std::int64_t count, float beta) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) c[i] = beta == 0 ? 0 : beta * c[i];
}

__global__ void __launch_bounds__(tile* block_rows)
    multiply_tiles(const float* a, const float* b, float* c, int m, int n, int k, float alpha) {
  __shared__ float a_tile[tile][tile], b_tile[tile][tile];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * tile + y, column = blockIdx.x * tile + x;  // the first of four rows
  float sum[rows_of_thread] = {};

  for (int first = blockIdx.z * tile; first < k; first += parts * tile) {
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
    if (c_row < m && column < n) atomicAdd(&c[std::int64_t{c_row} * n + column], alpha * sum[i]);
  }
}

}  // namespace

void gemm(const float* a, const float* b, float* c, std::int32_t m, std::int32_t n, std::int32_t k,
          float alpha, float beta, cudaStream_t stream) {
  if (m == 0 || n == 0) return;
  const dim3 blocks((n + tile - 1) / tile, (m + tile - 1) / tile, parts);
  const std::int64_t count = std::int64_t{m} * n;
  scale<<<static_cast<unsigned>((count + 255) / 256), 256, 0, stream>>>(c, count, beta);
  multiply_tiles<<<blocks, dim3(tile, block_rows), 0, stream>>>(a, b, c, m, n, k, alpha);
}
