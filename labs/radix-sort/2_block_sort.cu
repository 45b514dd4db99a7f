// Stage 2, a block sorts 2048 keys by digits of 4 bits: 8 passes instead of 32.
//
// A digit of 4 bits has 16 values. A key goes behind all keys with smaller digits and behind the
// keys with its digit that stand before it. Let every thread count the digits of its own 8 keys:
// a table of 16 rows (one for each value) and 256 columns (one for each thread), and the exclusive
// scan over the table, row after row, is for each value and thread the place where the thread's
// first key with that value goes.
//
//              thread 0  1  2 …             scan:  thread 0   1   2 …
//     digit 0         2  0  1 …                           0   2   2 …
//     digit 1         1  3  0 …                          Z0   …        (Z0: keys with digit 0)
//
// To be stable, "before it" must be the order of the input: so thread t takes the keys
// 8 t … 8 t + 7.
#include "labs/radix-sort/radix-sort.h"

namespace {

constexpr int section_keys = radix_sort::block_section;
constexpr int block_threads = 256;
constexpr int items = section_keys / block_threads;  // keys of a thread
constexpr int digit_bits = 4;
constexpr int digit_values = 1 << digit_bits;
constexpr int warps = block_threads / 32;
constexpr unsigned full_warp = 0xffffffff;

__device__ unsigned digit_of(std::uint32_t key, int shift) {
  return key >> shift & (digit_values - 1);
}

/// A table of 16-bit counters (a count is at most 2048) of one row for each digit value and one
/// column for each thread. As one array of 4096 counters, each thread scans 16 in a row; the
/// padding of one word for each 16 counters keeps the lanes, 8 words apart, out of each other's
/// banks.
struct Table {
  std::uint16_t counts[digit_values * block_threads + digit_values * block_threads / 16 * 2];

  __device__ std::uint16_t& at(unsigned i) { return counts[i + i / 16 * 2]; }
  __device__ std::uint16_t& of(unsigned digit, unsigned thread) {
    return at(digit * block_threads + thread);
  }
};

/// Sum of `x` over the threads before this one. All threads of the block must call it.
__device__ unsigned sum_before(unsigned x) {
  __shared__ unsigned warp_sums[warps];
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  unsigned sum = x;
  for (unsigned distance = 1; distance < 32; distance *= 2) {
    const unsigned lower = __shfl_up_sync(full_warp, sum, distance);
    if (lane >= distance) sum += lower;
  }
  if (lane == 31) warp_sums[warp] = sum;
  __syncthreads();
  for (unsigned w = 0; w < warp; ++w) sum += warp_sums[w];
  __syncthreads();
  return sum - x;
}

/// Exclusive scan of the whole table, in place: 4096 counters, 16 in a row for each of 256 threads.
/// All threads of the block must call it.
__device__ void scan(Table& table) {
  const unsigned first = threadIdx.x * digit_values;
  // TODO(1): replace each counter by the sum of all before it.
  //   The thread adds up its 16 counters, table.at(first) … table.at(first + 15), learns from
  //   sum_before() what stands before them, and goes through them once more.
  sum_before(table.at(first));
  // TODO(1) end
}

/// Puts the block's keys in the order of the digit at bit `shift`; stable.
__device__ void sort_by_digit(std::uint32_t* keys, Table& table, int shift) {
  const unsigned tid = threadIdx.x;
  for (unsigned value = 0; value < digit_values; ++value) table.of(value, tid) = 0;

  // TODO(2): count, scan, move.
  //   Take the thread's keys, keys[tid * items] and the `items` - 1 behind it, into registers, and
  //   count their digits in the thread's column of the table. scan() makes places of the counts.
  //   Then each key goes to the place of its digit, and the next one with this digit behind it.
  //   Where do threads touch what others have written, and where must a barrier stand?
  (void)digit_of, (void)scan, (void)keys, (void)table, (void)shift, (void)tid, (void)items;
  // TODO(2) end
}

__global__ void __launch_bounds__(block_threads)
    sort_blocks(const std::uint32_t* in, std::uint32_t* out, std::int64_t n) {
  __shared__ std::uint32_t keys[section_keys];
  __shared__ Table table;
  const std::int64_t first = std::int64_t{blockIdx.x} * section_keys;

  // TODO(3): load the section, sort it, write it.
  //   From the lowest digit to the highest. Neighbouring threads load and write neighbouring keys.
  //   A place without a key gets one that ends up behind all others.
  keys[threadIdx.x] = first + threadIdx.x < n ? in[first + threadIdx.x] : 0;
  sort_by_digit(keys, table, 0);
  (void)out;
  // TODO(3) end
}

}  // namespace

void sort_block_sections(const std::uint32_t* in, std::uint32_t* out, std::int64_t n,
                         gridstride::Scratch, cudaStream_t stream) {
  const std::int64_t blocks = (n + section_keys - 1) / section_keys;
  if (blocks > 0) sort_blocks<<<blocks, block_threads, 0, stream>>>(in, out, n);
}
