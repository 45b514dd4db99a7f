// Stage 1, tiles of 16: a block loads what its threads share once, into shared memory.
//
// A block computes a tile of 16 x 16 elements of C. It walks along a strip of 16 rows of A and a
// strip of 16 columns of B, 16 x 16 of each at a time. Every element that is loaded serves 16
// threads, so global memory is asked for a sixteenth of what the baseline asks for.
#include "labs/tiled-gemm/tiled-gemm.h"

namespace {

constexpr int tile = 16;

/// Element (row, column) of a matrix of `rows` rows and `columns` columns; 0 outside of it, which
/// adds nothing to any sum.
__device__ float element(const float* matrix, int row, int column, int rows, int columns) {
  return row < rows && column < columns ? matrix[std::int64_t{row} * columns + column] : 0.0f;
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
    // TODO(1): this thread's element of each of the two tiles.
    //   The tile of A has the rows of this block's C and the columns from `first` on, that of B
    //   the rows from `first` on and the columns of this block's C. element() gives 0 where a
    //   matrix ends.
    a_tile[y][x] = element(a, y, first, m, k);
    b_tile[y][x] = 0;
    // TODO(1) end
    // TODO(2): add the products of the tiles to `sum`: row y of A's with column x of B's.
    //   Two barriers belong here. Between whom and whom stands each of them?
    sum += a_tile[y][x] * b_tile[y][x];
    // TODO(2) end
  }

  // TODO(3): write the element of C. Not every thread has one.
  (void)update, (void)row, (void)column, (void)alpha, (void)sum, (void)beta, (void)c;
  // TODO(3) end
}

}  // namespace

void gemm(const float* a, const float* b, float* c, std::int32_t m, std::int32_t n, std::int32_t k,
          float alpha, float beta, cudaStream_t stream) {
  if (m == 0 || n == 0) return;
  const dim3 blocks((n + tile - 1) / tile, (m + tile - 1) / tile);
  multiply_tiles<<<blocks, dim3(tile, tile), 0, stream>>>(a, b, c, m, n, k, alpha, beta);
}
