// Stage 2, tiles of 32: half the traffic again, and four elements of C a thread.
//
// The tile need not have as many elements as the block has threads. 32 x 8 threads share a tile of
// 32 x 32: each computes four elements of one column, eight rows apart. They all multiply by the
// same element of B, which is read from shared memory once and stays in a register.
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
    // TODO(1): four elements of each tile: rows y, y + 8, y + 16 and y + 24, column x.
    a_tile[y][x] = element(a, y, first, m, k);
    b_tile[y][x] = 0;
    // TODO(1) end
    // TODO(2): the products of the tiles, four sums at a time.
    //   For each p, read the element of B once, to a register. The thread's rows of the tile of A
    //   are y + i * block_rows. Unroll the loop over the four sums, or they cannot stay in
    //   registers.
    sum[0] += a_tile[y][x] * b_tile[y][x];
    // TODO(2) end
  }

  // TODO(3): write the thread's elements of C, those that exist: rows row + i * block_rows.
  (void)update, (void)row, (void)column, (void)alpha, (void)sum, (void)beta, (void)c;
  // TODO(3) end
}

}  // namespace

void gemm(const float* a, const float* b, float* c, std::int32_t m, std::int32_t n, std::int32_t k,
          float alpha, float beta, cudaStream_t stream) {
  if (m == 0 || n == 0) return;
  const dim3 blocks((n + tile - 1) / tile, (m + tile - 1) / tile);
  multiply_tiles<<<blocks, dim3(tile, block_rows), 0, stream>>>(a, b, c, m, n, k, alpha, beta);
}
