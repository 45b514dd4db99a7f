// Stage 4, register blocks: 8 x 8 elements of C a thread, 128 x 128 a block.
//
// What tiles do for global memory, registers do for shared memory. A thread that computes one
// element reads two floats for each multiplication. One that computes 8 x 8 reads 8 + 8 floats and
// multiplies 64 times: an eighth of the reads. All 64 sums and the 16 factors are in registers,
// which is why every loop over them must be unrolled: registers have no index.
#include "labs/tiled-gemm/tiled-gemm.h"

namespace {

constexpr int BM = 128, BN = 128;  // rows and columns of C of a block
constexpr int BK = 8;              // columns of A and rows of B that it holds at a time
constexpr int block_edge = 16;     // threads in each direction
constexpr int block_threads = block_edge * block_edge;
constexpr int TM = BM / block_edge;  // rows of C of a thread: 8, 16 apart
constexpr int TN = BN / block_edge;  // columns
constexpr int blocks_on_multiprocessor = 2;

/// Element (row, column) of a matrix of `rows` rows and `columns` columns; 0 outside of it.
__device__ float element(const float* matrix, int row, int column, int rows, int columns) {
  return row < rows && column < columns ? matrix[std::int64_t{row} * columns + column] : 0.0f;
}

/// c = alpha * sum + beta * c, without reading c when beta is 0.
__device__ void update(float& c, float alpha, float sum, float beta) {
  c = beta == 0 ? alpha * sum : alpha * sum + beta * c;
}

struct Tiles {
  float a[BM][BK];
  float b[BK][BN];
};

/// The block's threads load both tiles. They are not square, so a thread's place among them is not
/// its place in C: threads are numbered through, and neighbours load neighbouring floats.
__device__ void load_tiles(Tiles& tiles, const float* a, const float* b, int first, int m, int n,
                           int k) {
  const int thread = threadIdx.y * block_edge + threadIdx.x;
  const int first_row = blockIdx.y * BM, first_column = blockIdx.x * BN;
  // TODO(1): load both tiles: thread t takes elements t, t + 256, t + 512 and t + 768 of each.
  //   Element i of the tile of A stands in row i / BK and column i % BK. And of B's?
  if (thread < BM) tiles.a[thread][0] = element(a, first_row, first, m, k);
  if (thread < BN) tiles.b[0][thread] = element(b, first, first_column, k, n);
  // TODO(1) end
}

/// sum += a column of A's tile times a row of B's tile, for the thread's rows and columns.
__device__ void add_products(float (&sum)[TM][TN], const Tiles& tiles, int p) {
  float a[TM], b[TN];
  // TODO(2): read 8 + 8 factors, then multiply each of a with each of b.
  //   Rows of C are threadIdx.y, threadIdx.y + 16, …; columns threadIdx.x, threadIdx.x + 16, …
  //   Unroll every loop.
  a[0] = tiles.a[threadIdx.y][p];
  b[0] = tiles.b[p][threadIdx.x];
  sum[0][0] += a[0] * b[0];
  // TODO(2) end
}

__global__ void __launch_bounds__(block_threads, blocks_on_multiprocessor)
    multiply_blocks(const float* a, const float* b, float* c, int m, int n, int k, float alpha,
                    float beta) {
  __shared__ Tiles tiles;
  float sum[TM][TN] = {};

  for (int first = 0; first < k; first += BK) {
    // TODO(3): one round: load, multiply for each p, and the barriers.
    load_tiles(tiles, a, b, first, m, n, k);
    __syncthreads();
    add_products(sum, tiles, 0);
    // TODO(3) end
  }

  // TODO(4): write the thread's 64 elements of C, those that exist.
  (void)update, (void)alpha, (void)sum, (void)beta, (void)c;
  // TODO(4) end
}

}  // namespace

void gemm(const float* a, const float* b, float* c, std::int32_t m, std::int32_t n, std::int32_t k,
          float alpha, float beta, cudaStream_t stream) {
  if (m == 0 || n == 0) return;
  const dim3 blocks((n + BN - 1) / BN, (m + BM - 1) / BM);
  multiply_blocks<<<blocks, dim3(block_edge, block_edge), 0, stream>>>(a, b, c, m, n, k, alpha,
                                                                       beta);
}
