// Stage 3, A B^T: the tile of B is read by columns, and a padded row keeps the banks apart.
//
// Now a row of `b` is a column of what is multiplied. It is loaded along its row, as it lies, for
// neighbouring lanes must load neighbouring floats. Then lane x needs element p of row x: a column
// of the tile, whose elements are a row's length apart. With rows of 32 floats they are all in one
// bank; with rows of 33 in 32 different ones.
#include "labs/tiled-gemm/tiled-gemm.h"

namespace {

constexpr int tile = 32;
// TODO(1): how many floats from one row of b_tile to the next?
constexpr int padded = tile;
// TODO(1) end
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
  __shared__ float a_tile[tile][tile], b_tile[tile][padded];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * tile + y, column = blockIdx.x * tile + x;  // the first of four rows
  float sum[rows_of_thread] = {};

  for (int first = 0; first < k; first += tile) {
    // TODO(2): load four elements of each tile.
    //   The tile of B has as many rows of `b` as the block has columns of C; neighbouring lanes
    //   load neighbouring elements of a row.
    a_tile[y][x] = element(a, y, first, m, k);
    b_tile[y][x] = 0;
    // TODO(2) end
    // TODO(3): the products. Column x of B^T is row x of b_tile.
    sum[0] += a_tile[y][x] * b_tile[x][y];
    // TODO(3) end
  }

  // TODO(4): write the thread's elements of C, as in stage 2.
  (void)update, (void)row, (void)column, (void)alpha, (void)sum, (void)beta, (void)c;
  // TODO(4) end
}

}  // namespace

void gemm_abt(const float* a, const float* b, float* c, std::int32_t m, std::int32_t n,
              std::int32_t k, float alpha, float beta, cudaStream_t stream) {
  if (m == 0 || n == 0) return;
  const dim3 blocks((n + tile - 1) / tile, (m + tile - 1) / tile);
  multiply_tiles<<<blocks, dim3(tile, block_rows), 0, stream>>>(a, b, c, m, n, k, alpha, beta);
}
