// Stage 5, 16 bytes at a time and two of everything: one tile is loaded while the other is used.
//
// The arithmetic is that of stage 4: 8 x 8 elements of C a thread, 128 x 128 a block. What changes
// is how factors come to it:
//   - shared memory is read 16 bytes at a time, so that 16 factors are four instructions, not
//     sixteen. The tile of A is stored transposed for that: what a thread needs together lies
//     together;
//   - global memory is read 16 bytes at a time, where the matrices allow it;
//   - there are two pairs of tiles. The next one is fetched to registers while the block computes,
//     and stored where nobody reads any more: no waiting, one barrier a round instead of two;
//   - there are two sets of factors. The next one is read while the thread multiplies.
#include "labs/tiled-gemm/tiled-gemm.h"

namespace {

constexpr int BM = 128, BN = 128;  // rows and columns of C of a block
constexpr int BK = 8;              // columns of A and rows of B that it holds at a time
constexpr int block_threads = 256;
constexpr int blocks_on_multiprocessor = 2;
constexpr int TM = 8, TN = 8;  // rows and columns of C of a thread: two groups of 4 each

// A warp computes 32 x 64 of the block's 128 x 128, in four parts of 16 x 32. In each of them a
// lane has 4 x 4: there are 4 groups of rows and 8 groups of columns.
constexpr int warp_rows = 32, warp_columns = 64;
constexpr int part_rows = 16, part_columns = 32;

struct alignas(16) Tiles {
  /// A's tile, transposed: a[p][row]. Four more floats a row: the threads of a warp store p = 0 and
  /// p = 4 of 16 rows each, and 4 * (128 + 4) is 16 banks further on.
  float a[BK][BM + 4];
  float b[BK][BN];
};

/// Where the thread's first element of C stands in the block's tile.
struct Place {
  int row, column;
};

__device__ Place place_of_thread() {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  // Shared memory serves eight lanes of a 16-byte read at a time, or 16 when every two lanes t and
  // t xor 1, or every two lanes t and t xor 2, ask for the same. So lanes t and t xor 1 share their
  // rows, lanes t and t xor 2 their columns.
  const int row_group = (lane >> 1 & 1) | (lane >> 4 & 1) << 1;  // bits 1 and 4
  const int column_group = (lane & 1) | (lane >> 2 & 3) << 1;    // bits 0, 2 and 3
  const int warps_across = BN / warp_columns;
  return {warp / warps_across * warp_rows + row_group * 4,
          warp % warps_across * warp_columns + column_group * 4};
}

/// Four neighbouring floats, of which the first `there` exist; 0 for the others. With `vectors` all
/// four exist or none does, and the address is a multiple of 16 bytes.
template <bool vectors>
__device__ float4 load_four(const float* from, int there) {
  if constexpr (vectors)
    return there > 0 ? __ldg(reinterpret_cast<const float4*>(from)) : float4{0, 0, 0, 0};
  return {there > 0 ? __ldg(from) : 0, there > 1 ? __ldg(from + 1) : 0,
          there > 2 ? __ldg(from + 2) : 0, there > 3 ? __ldg(from + 3) : 0};
}

/// The thread's 16 bytes of each of the next tiles, on their way from global to shared memory.
struct Fetched {
  float4 a, b;
};

/// A's tile has 128 rows of 2 x 4 floats, B's 8 rows of 32 x 4: one 16-byte piece of each a thread.
struct Piece {
  int row, column;
};
__device__ Piece piece_of_a() {
  return {static_cast<int>(threadIdx.x) / 2, static_cast<int>(threadIdx.x) % 2 * 4};
}
__device__ Piece piece_of_b() {
  return {static_cast<int>(threadIdx.x) / 32, static_cast<int>(threadIdx.x) % 32 * 4};
}

/// Where the thread fetches from: its piece of the tiles, which move along A's rows and down B's
/// columns.
class Source {
 public:
  __device__ Source(const float* a, const float* b, int m, int n, int k) {
    const Piece of_a = piece_of_a(), of_b = piece_of_b();
    const int row = blockIdx.y * BM + of_a.row, column = blockIdx.x * BN + of_b.column;
    a_ = a + std::int64_t{row} * k + of_a.column;
    b_ = b + std::int64_t{of_b.row} * n + column;
    a_left_ = row < m ? k - of_a.column : 0;
    b_rows_left_ = k - of_b.row;
    b_there_ = n - column;
  }

  /// Starts loading from the next tiles: nobody waits before the values are used.
  template <bool vectors>
  __device__ Fetched fetch(int n) {
    const Fetched fetched = {load_four<vectors>(a_, a_left_),
                             load_four<vectors>(b_, b_rows_left_ > 0 ? b_there_ : 0)};
    a_ += BK;
    b_ += std::int64_t{BK} * n;
    a_left_ -= BK;
    b_rows_left_ -= BK;
    return fetched;
  }

 private:
  const float *a_, *b_;
  int a_left_;       // floats in A's row from a_ on
  int b_rows_left_;  // rows of B from b_ on
  int b_there_;      // floats in B's row from b_ on
};

__device__ void put(Tiles& tiles, const Fetched& fetched) {
  const Piece a = piece_of_a(), b = piece_of_b();
  // TODO(1): store the thread's two pieces.
  //   That of A is four neighbours of a row: they go to four rows of tiles.a, for it is transposed.
  //   That of B stays together: one store of 16 bytes.
  tiles.a[a.column][a.row] = fetched.a.x;
  tiles.b[b.row][b.column] = fetched.b.x;
  // TODO(1) end
}

/// What a thread multiplies for one p: its rows of A's column p, its columns of B's row p.
struct alignas(16) Factors {  // written 16 bytes at a time
  float a[TM], b[TN];
};

__device__ void read(Factors& factors, const Tiles& tiles, int p, Place place) {
  // TODO(2): read what the thread needs for p: two groups of four of each, 16 bytes at a time.
  //   Its first row is place.row, and the second group of four begins part_rows further down; so
  //   with columns.
  factors.a[0] = tiles.a[p][place.row + part_rows];
  factors.b[0] = tiles.b[p][place.column + part_columns];
  // TODO(2) end
}

__device__ void add_products(float (&sum)[TM][TN], const Factors& factors) {
#pragma unroll
  for (int i = 0; i < TM; ++i)
#pragma unroll
    for (int j = 0; j < TN; ++j) sum[i][j] += factors.a[i] * factors.b[j];
}

/// c = alpha * sum + beta * c for four neighbours, of which the first `there` exist.
template <bool vectors>
__device__ void update_four(float* c, float alpha, const float* sum, float beta, int there) {
  if (there <= 0) return;
  float4 result{alpha * sum[0], alpha * sum[1], alpha * sum[2], alpha * sum[3]};
  if (beta != 0) {
    const float4 old = load_four<vectors>(c, there);
    result = {result.x + beta * old.x, result.y + beta * old.y, result.z + beta * old.z,
              result.w + beta * old.w};
  }
  if constexpr (vectors) {
    *reinterpret_cast<float4*>(c) = result;
  } else {
    c[0] = result.x;
    if (there > 1) c[1] = result.y;
    if (there > 2) c[2] = result.z;
    if (there > 3) c[3] = result.w;
  }
}

template <bool vectors>
__global__ void __launch_bounds__(block_threads, blocks_on_multiprocessor)
    multiply_blocks(const float* a, const float* b, float* c, int m, int n, int k, float alpha,
                    float beta) {
  __shared__ Tiles tiles[2];
  const Place place = place_of_thread();
  float sum[TM][TN] = {};
  Factors factors[2];

  Source source(a, b, m, n, k);
  Fetched next = source.fetch<vectors>(n);
  put(tiles[0], next);
  __syncthreads();
  read(factors[0], tiles[0], 0, place);

  int current = 0;  // of tiles
  for (int first = 0; first < k; first += BK) {
    const bool more = first + BK < k;
    // TODO(3): one round, p = 0 … BK - 1, unrolled.
    //   While factors[p % 2] are multiplied, those of p + 1 are on their way to the other set: read
    //   them first. For the last p they come from the next tiles, so before that the fetched pieces
    //   are put there, if there are `more`, and the block meets. Fetch early: behind the last tiles
    //   fetch() gives zeros. Where is the one barrier, and why is it enough?
    if (more) next = source.fetch<vectors>(n);
    add_products(sum, factors[0]);
    current ^= 1;
    // TODO(3) end
  }

  // TODO(4): write the thread's elements, four neighbours of a row at a time: update_four().
  //   In which row and which column of C does sum[i][j] belong? See read().
  (void)update_four<vectors>, (void)alpha, (void)sum, (void)beta, (void)c;
  // TODO(4) end
}

/// Whether every row of a matrix with rows of `columns` floats begins at a multiple of 16 bytes.
bool has_vector_rows(const float* matrix, int columns) {
  return reinterpret_cast<std::uintptr_t>(matrix) % sizeof(float4) == 0 && columns % 4 == 0;
}

}  // namespace

void gemm(const float* a, const float* b, float* c, std::int32_t m, std::int32_t n, std::int32_t k,
          float alpha, float beta, cudaStream_t stream) {
  if (m == 0 || n == 0) return;
  const dim3 blocks((n + BN - 1) / BN, (m + BM - 1) / BM);
  const bool vectors = has_vector_rows(a, k) && has_vector_rows(b, n) && has_vector_rows(c, n);
  const auto kernel = vectors ? multiply_blocks<true> : multiply_blocks<false>;
  kernel<<<blocks, block_threads, 0, stream>>>(a, b, c, m, n, k, alpha, beta);
}
