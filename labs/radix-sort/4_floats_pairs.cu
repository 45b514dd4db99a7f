// Stage 4, negative numbers, floats, and keys with values.
//
// The sort of stage 3 compares bits from the lowest to the highest, as unsigned numbers. Any key
// will do whose bits can be turned into an unsigned number of the same order, on the way into the
// first pass, and back on the way out of the last. Between them nobody knows what the keys are.
//
// A value goes where its key goes. Equal keys keep the order of their values because every pass is
// stable, and a radix sort from the lowest digit would not even sort if it were not.
#include "labs/radix-sort/radix-sort.h"

namespace {

using radix_sort::KeyType;

constexpr int digit_bits = 8;
constexpr int digit_values = 1 << digit_bits;
constexpr int block_threads = digit_values;  // thread t keeps the books of digit value t
constexpr int warps = block_threads / 32;
constexpr int items = 16;  // keys for each thread
constexpr int tile_keys = items * block_threads;
constexpr unsigned full_warp = 0xffffffff;

// Keys whose bits, read as an unsigned number, are not in the order of the keys.

struct Unsigned {
  static __device__ std::uint32_t encode(std::uint32_t bits) { return bits; }
  static __device__ std::uint32_t decode(std::uint32_t bits) { return bits; }
};

/// Two's complement: the sign bit counts the wrong way round.
struct Signed {
  // TODO(1): bits whose order as unsigned numbers is the order of signed ones, and back.
  //   0x80000000 is the smallest signed number and must become 0, 0x7fffffff the largest.
  static __device__ std::uint32_t encode(std::uint32_t bits) { return bits; }
  static __device__ std::uint32_t decode(std::uint32_t bits) { return bits; }
  // TODO(1) end
};

/// Sign and magnitude: positive floats are in order once they stand above the negative ones, and
/// of those all bits count the wrong way round.
struct Float {
  // TODO(2): the same for floats.
  //   Which bits must be flipped depends on the sign bit; on the way back, on what has become of
  //   it.
  static __device__ std::uint32_t encode(std::uint32_t bits) { return bits; }
  static __device__ std::uint32_t decode(std::uint32_t bits) { return bits; }
  // TODO(2) end
};

/// What a pass works on.
struct Pass {
  const std::uint32_t* keys_in;
  std::uint32_t* keys_out;
  const std::uint32_t* values_in;
  std::uint32_t* values_out;
  std::uint32_t n;
  std::uint32_t* counts;  ///< of each digit value in each tile, then what stands before it
  std::uint32_t* totals;  ///< of each digit value
};

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
template <typename Order>
__global__ void __launch_bounds__(block_threads)
    count_digits(const std::uint32_t* keys, std::uint32_t* counts, std::uint32_t n, int shift) {
  __shared__ std::uint32_t of_digit[digit_values];
  of_digit[threadIdx.x] = 0;
  __syncthreads();
  for (int i = 0; i < items; ++i)
    if (element(i) < n) atomicAdd(&of_digit[digit_of(Order::encode(keys[element(i)]), shift)], 1u);
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
  // A lane without a key goes with digit_values, which nobody else has.
  const unsigned peers = __match_any_sync(full_warp, has_key ? digit : unsigned{digit_values});
  const std::uint32_t behind = slots[digit] + __popc(peers & up_to_me);
  __syncwarp();                                             // all have read before one writes
  if (has_key && peers <= up_to_me) slots[digit] = behind;  // the last of the peers
  __syncwarp();
  return behind - 1;
}

/// Moves the keys to where the scanned counts say.
template <typename InOrder, typename OutOrder>
__global__ void __launch_bounds__(block_threads) move_keys(Pass pass, int shift) {
  // First how many keys of each warp have a digit value, then where the warp's next one goes.
  __shared__ std::uint32_t slots[warps][digit_values];
  const unsigned tid = threadIdx.x, warp = tid / 32;
  for (int w = 0; w < warps; ++w) slots[w][tid] = 0;
  __syncthreads();

  std::uint32_t mine[items] = {};
#pragma unroll
  for (int i = 0; i < items; ++i) {
    if (element(i) >= pass.n) continue;
    mine[i] = InOrder::encode(pass.keys_in[element(i)]);
    atomicAdd(&slots[warp][digit_of(mine[i], shift)], 1u);
  }
  __syncthreads();

  // Thread t, for digit value t: behind all smaller digits, the digit in earlier tiles and the
  // digit in earlier warps.
  std::uint32_t place =
      sum_before(pass.totals[tid]).before + pass.counts[tid * gridDim.x + blockIdx.x];
  for (int w = 0; w < warps; ++w) {
    const std::uint32_t count = slots[w][tid];
    slots[w][tid] = place;
    place += count;
  }
  __syncthreads();

#pragma unroll
  for (int i = 0; i < items; ++i) {
    const bool has_key = element(i) < pass.n;
    const unsigned digit = has_key ? digit_of(mine[i], shift) : 0;
    const std::uint32_t place = take_place(slots[warp], digit, has_key);
    // TODO(3): write the key and its value.
    //   Both go to `place`. mine[i] is an unsigned number; what goes to memory is OutOrder's.
    (void)OutOrder::decode, (void)has_key, (void)place, (void)pass, (void)mine[i];
    // TODO(3) end
  }
}

template <typename InOrder, typename OutOrder>
void run_pass(const Pass& pass, int shift, cudaStream_t stream) {
  const unsigned blocks = (pass.n + tile_keys - 1) / tile_keys;
  count_digits<InOrder>
      <<<blocks, block_threads, 0, stream>>>(pass.keys_in, pass.counts, pass.n, shift);
  scan_rows<<<digit_values, block_threads, 0, stream>>>(pass.counts, pass.totals, blocks);
  move_keys<InOrder, OutOrder><<<blocks, block_threads, 0, stream>>>(pass, shift);
}

template <typename Order>
void sort(const std::uint32_t* keys_in, const std::uint32_t* values_in, std::uint32_t* keys_out,
          std::uint32_t* values_out, std::int64_t n, gridstride::Scratch scratch,
          cudaStream_t stream) {
  if (n == 0) return;
  std::uint32_t* keys = static_cast<std::uint32_t*>(scratch.data);
  std::uint32_t* values = keys + n;
  std::uint32_t* counts = values + n;
  std::uint32_t* totals = counts + digit_values * ((n + tile_keys - 1) / tile_keys);
  const std::uint32_t size = n;
  const auto to_scratch = [&](const std::uint32_t* from_keys, const std::uint32_t* from_values) {
    return Pass{from_keys, keys, from_values, values, size, counts, totals};
  };
  const Pass to_out = {keys, keys_out, values, values_out, size, counts, totals};

  // TODO(4): four passes.
  //   The first reads what the caller gave, the last writes what the caller gets; between them keys
  //   are unsigned numbers, and go from scratch memory to the output and back.
  run_pass<Order, Order>(to_scratch(keys_in, values_in), 0, stream);
  run_pass<Unsigned, Unsigned>(to_out, 8, stream);
  // TODO(4) end
}

}  // namespace

void sort_pairs(const std::uint32_t* keys_in, const std::uint32_t* values_in,
                std::uint32_t* keys_out, std::uint32_t* values_out, std::int64_t n, KeyType type,
                gridstride::Scratch scratch, cudaStream_t stream) {
  const auto sort_as = type == KeyType::signed_integer   ? sort<Signed>
                       : type == KeyType::floating_point ? sort<Float>
                                                         : sort<Unsigned>;
  sort_as(keys_in, values_in, keys_out, values_out, n, scratch, stream);
}
