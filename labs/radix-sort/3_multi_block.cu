// Stage 3, many blocks, digits of 8 bits: four passes over any number of keys.
//
// The table of stage 2 again, with blocks for columns: a tile of 4096 keys for each block, 256
// digit values, a row for each. One kernel counts, one scans the rows, one moves. A key's place is
//
//     keys with smaller digits + keys with its digit in earlier tiles
//                              + in its tile before it
//
// The third term a warp finds for 32 keys at once: __match_any_sync gives each lane the lanes with
// the same digit, and those below it are the keys before it. A table for each warp remembers what
// its earlier keys took.
#include "labs/radix-sort/radix-sort.h"

namespace {

constexpr int digit_bits = 8;
constexpr int digit_values = 1 << digit_bits;
constexpr int passes = 32 / digit_bits;
constexpr int block_threads = digit_values;  // thread t keeps the books of digit value t
constexpr int warps = block_threads / 32;
constexpr int items = 16;  // keys for each thread
constexpr int tile_keys = items * block_threads;
constexpr unsigned full_warp = 0xffffffff;

__device__ unsigned digit_of(std::uint32_t key, int shift) {
  return key >> shift & (digit_values - 1);
}

/// Sum of `x` over the threads before this one, and over all. All threads of the block must call
/// it.
struct Sums {
  std::uint32_t before, all;
};

__device__ Sums sum_before(std::uint32_t x) {
  __shared__ std::uint32_t warp_sums[warps];
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  std::uint32_t sum = x;
  for (unsigned distance = 1; distance < 32; distance *= 2) {
    const std::uint32_t lower = __shfl_up_sync(full_warp, sum, distance);
    if (lane >= distance) sum += lower;
  }
  if (lane == 31) warp_sums[warp] = sum;
  __syncthreads();
  std::uint32_t all = 0;
  for (unsigned w = 0; w < warps; ++w) {
    if (w == warp) sum += all;
    all += warp_sums[w];
  }
  __syncthreads();
  return {sum - x, all};
}

/// Element i of the tile for this lane: the order of the input is the order of (warp, item, lane).
__device__ std::uint32_t element(int item) {
  return blockIdx.x * tile_keys + (threadIdx.x / 32 * items + item) * 32 + threadIdx.x % 32;
}

/// counts[digit * gridDim.x + block]: how often the digit occurs in the block's tile.
__global__ void __launch_bounds__(block_threads)
    count_digits(const std::uint32_t* keys, std::uint32_t* counts, std::uint32_t n, int shift) {
  __shared__ std::uint32_t of_digit[digit_values];
  of_digit[threadIdx.x] = 0;
  __syncthreads();
  // TODO(1): count the digits of the tile's keys in of_digit.
  //   keys[element(i)] for i = 0 … items - 1, as far as element(i) < n. Several threads may meet
  //   one digit at the same time.
  (void)digit_of, (void)element, (void)of_digit, (void)keys, (void)n, (void)shift;
  // TODO(1) end
  __syncthreads();
  counts[threadIdx.x * gridDim.x + blockIdx.x] = of_digit[threadIdx.x];
}

/// Block d replaces the row of digit d by its exclusive scan and writes its sum to totals[d].
__global__ void __launch_bounds__(block_threads)
    scan_rows(std::uint32_t* counts, std::uint32_t* totals, std::uint32_t blocks) {
  std::uint32_t* row = counts + std::size_t{blockIdx.x} * blocks;
  std::uint32_t carried = 0;
  for (std::uint32_t first = 0; first < blocks; first += block_threads) {
    const std::uint32_t i = first + threadIdx.x;
    const Sums sums = sum_before(i < blocks ? row[i] : 0);
    if (i < blocks) row[i] = carried + sums.before;
    carried += sums.all;
  }
  if (threadIdx.x == 0) totals[blockIdx.x] = carried;
}

/// The place of this lane's key, and the next place for its digit in the warp's table. Lanes with
/// equal digits get places in the order of the lanes: that makes the sort stable. All lanes of a
/// warp must call it; those without a key say so.
__device__ std::uint32_t take_place(std::uint32_t* slots, unsigned digit, bool has_key) {
  const unsigned lane = threadIdx.x % 32, up_to_me = full_warp >> (31 - lane);
  // TODO(2): the lane's place, and the next one for its digit.
  //   slots[digit] is the next free place for the digit; lanes with the same digit read the same
  //   word. __match_any_sync(full_warp, x) gives each lane the lanes that have its x: what is x for
  //   a lane without a key? The lane's place is slots[digit] plus its peers before it. One of the
  //   peers stores the new next place: not before all have read the old one, and before they come
  //   again.
  return has_key ? slots[digit] + __popc(up_to_me) : 0;
  // TODO(2) end
}

/// Moves the keys to where the scanned counts say.
__global__ void __launch_bounds__(block_threads)
    move_keys(const std::uint32_t* keys, std::uint32_t* out, const std::uint32_t* counts,
              const std::uint32_t* totals, std::uint32_t n, int shift) {
  // First how many keys of each warp have a digit value, then where the warp's next one goes.
  __shared__ std::uint32_t slots[warps][digit_values];
  const unsigned tid = threadIdx.x, warp = tid / 32;
  for (int w = 0; w < warps; ++w) slots[w][tid] = 0;
  __syncthreads();

  std::uint32_t mine[items] = {};
#pragma unroll
  for (int i = 0; i < items; ++i) {
    if (element(i) >= n) continue;
    mine[i] = keys[element(i)];
    atomicAdd(&slots[warp][digit_of(mine[i], shift)], 1u);
  }
  __syncthreads();

  // Thread t, for digit value t: behind all smaller digits, the digit in earlier tiles and the
  // digit in earlier warps.
  std::uint32_t place = sum_before(totals[tid]).before + counts[tid * gridDim.x + blockIdx.x];
  // TODO(3): counts become places.
  //   slots[w][tid] is how many keys of warp w have digit value tid. Replace it by the place of the
  //   first of them; warp 0's goes to `place`.
  slots[0][tid] = place;
  // TODO(3) end
  __syncthreads();

  // TODO(4): move the keys.
  //   In the order of the items, or the sort is not stable. All lanes call take_place(), also those
  //   whose element(i) is not there.
  (void)take_place, (void)mine, (void)slots, (void)warp, (void)out;
  // TODO(4) end
}

}  // namespace

void sort_keys(const std::uint32_t* in, std::uint32_t* out, std::int64_t n,
               gridstride::Scratch scratch, cudaStream_t stream) {
  const std::int64_t blocks = (n + tile_keys - 1) / tile_keys;
  if (blocks == 0) return;
  std::uint32_t* spare = static_cast<std::uint32_t*>(scratch.data);
  std::uint32_t* counts = spare + n;
  std::uint32_t* totals = counts + digit_values * blocks;

  const std::uint32_t* from = in;
  for (int pass = 0; pass < passes; ++pass) {
    const int shift = pass * digit_bits;
    std::uint32_t* to = pass % 2 == 0 ? spare : out;  // the last one goes to `out`
    count_digits<<<blocks, block_threads, 0, stream>>>(from, counts, n, shift);
    scan_rows<<<digit_values, block_threads, 0, stream>>>(counts, totals, blocks);
    move_keys<<<blocks, block_threads, 0, stream>>>(from, to, counts, totals, n, shift);
    from = to;
  }
}
