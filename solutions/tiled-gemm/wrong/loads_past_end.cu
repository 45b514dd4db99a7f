// A mistake: what is loaded is taken for granted, as if every size were a multiple of the tile.
#include "labs/tiled-gemm/tiled-gemm.h"

namespace {

constexpr int tile = 16;

/// Element (row, column) of a matrix of `rows` rows and `columns` columns; 0 outside of it, which
/// adds nothing to any sum.
__device__ float element(const float* matrix, int row, int column, int rows, int columns) {
  return row < rows || column < columns ? matrix[std::int64_t{row} * columns + column] : 0.0f;
}

/// c = alpha * sum + beta * c, without reading c when beta is 0.
__device__ void update(float& c, float alpha, float sum, float beta) {
  c = beta == 0 ? alpha * sum : alpha * sum + beta * c;
}

__global__ void __launch_bounds__(tile* tile)
    multiply_tiles(const float* a, const float* b, float* c, int m, int n, int k, float alpha,
                   float beta) {
  __shared__ float a_tile[tile][tile], b_tile[tile][tile];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * tile + y, column = blockIdx.x * tile + x;
  float sum = 0;

  for (int first = 0; first < k; first += tile) {
    a_tile[y][x] = element(a, row, first + x, m, k);
    b_tile[y][x] = element(b, first + y, column, k, n);
    __syncthreads();  // the tiles are complete before anybody reads them
    for (int p = 0; p < tile; ++p) sum += a_tile[y][p] * b_tile[p][x];
    __syncthreads();  // everybody has read them before anybody overwrites them
  }

  if (row < m && column < n) update(c[std::int64_t{row} * n + column], alpha, sum, beta);
}

}  // namespace

void gemm(const float* a, const float* b, float* c, std::int32_t m, std::int32_t n, std::int32_t k,
          float alpha, float beta, cudaStream_t stream) {
  if (m == 0 || n == 0) return;
  const dim3 blocks((n + tile - 1) / tile, (m + tile - 1) / tile);
  multiply_tiles<<<blocks, dim3(tile, tile), 0, stream>>>(a, b, c, m, n, k, alpha, beta);
}
