// Stage 6, one sweep for keys of any type with values.
//
// Stage 5 with what stage 4 added: the first pass turns keys into unsigned numbers, the last one
// turns them back, and a value is loaded, placed and written beside its key. Nothing else changes,
// but the price does: twice the shared memory and twice the registers for a tile of the same size,
// hence half as many blocks on a multiprocessor to hide each other's waiting.
//
// Traffic: 4 bytes a pair for the totals, 16 bytes a pair for each pass, 68 in all.
#include <array>

#include "labs/radix-sort/digits.cuh"
#include "labs/radix-sort/radix-sort.h"
#include "labs/radix-sort/totals.cuh"

namespace {

using radix_sort::digit_values;
using radix_sort::KeyType;
using radix_sort::lanes_with_my_digit;
using radix_sort::passes;
using radix_sort::Unsigned;
using radix_sort::word_of_digit;

constexpr int block_threads = digit_values;  // thread t keeps the books of digit value t
constexpr int warps = block_threads / 32;
constexpr unsigned full_warp = 0xffffffff;

constexpr int items = 32;  // keys that a thread has in its registers at once
constexpr int tile_keys = items * block_threads;

// --- Orders of keys that are no unsigned numbers.

/// Two's complement: the sign bit counts the wrong way round.
struct Signed {
  static __device__ std::uint32_t encode(std::uint32_t bits) { return bits ^ 0x80000000; }
  static __device__ std::uint32_t decode(std::uint32_t bits) { return bits ^ 0x80000000; }
};

/// Sign and magnitude: positive floats are in order once they stand above the negative ones, and
/// of those all bits count the wrong way round.
struct Float {
  static __device__ std::uint32_t encode(std::uint32_t bits) {
    return bits ^ (bits >> 31 ? 0xffffffff : 0x80000000);
  }
  static __device__ std::uint32_t decode(std::uint32_t bits) {
    return bits ^ (bits >> 31 ? 0x80000000 : 0xffffffff);
  }
};

// --- One pass.

/// What a pass works on.
struct Pass {
  const std::uint32_t* keys_in;
  std::uint32_t* keys_out;
  const std::uint32_t* values_in;
  std::uint32_t* values_out;
  std::uint32_t n;
  const std::uint32_t* totals;  ///< how often each digit value occurs in all keys
  std::uint32_t* published;     ///< look-back words of this pass, one for each tile and digit value
  std::uint32_t* to_clear;      ///< those of the next pass
  std::uint32_t* next_tile;     ///< counts the tiles that have been handed out
};

/// Where a tile's element stands in shared memory: one word is left free after every 32. Keys that
/// were in order before (a ramp, say) have a digit of each value in turn, 32 of each in a tile, and
/// would all go to places that are multiples of 32 apart: to one bank.
constexpr __host__ __device__ unsigned padded(unsigned place) { return place + place / 32; }

/// 75 KB of shared memory and 128 registers a thread. Smaller tiles would make room for more
/// blocks, but then fewer keys of a tile go to one place, and to write a few neighbours costs
/// memory as much as to write many: 16 elements a thread and 4 blocks were slower by a third.
constexpr int blocks_on_multiprocessor = 2;

struct Shared {
  /// First how many keys of each warp have a digit value, then where in the tile the warp's next
  /// key with that value goes.
  std::uint32_t slots[warps * digit_values];
  /// The tile, sorted by digit.
  std::uint32_t keys[padded(tile_keys)];
  // TODO(1): room for the values, laid out like the keys.
  std::uint32_t values[1];
  // TODO(1) end
  /// Where a digit's keys begin in keys_out, minus where they begin in the tile.
  std::uint32_t offset[digit_values];
  std::uint32_t warp_sums[warps];
  std::uint32_t tile;
};

/// Sum of `x` over the threads before this one. All threads of the block must call it, with a
/// barrier between two calls.
__device__ std::uint32_t sum_before(std::uint32_t x, std::uint32_t* warp_sums) {
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  std::uint32_t sum = x;
  for (unsigned distance = 1; distance < 32; distance *= 2) {
    const std::uint32_t lower = __shfl_up_sync(full_warp, sum, distance);
    if (lane >= distance) sum += lower;
  }
  if (lane == 31) warp_sums[warp] = sum;
  __syncthreads();
  for (unsigned w = 0; w < warps; ++w)
    if (w < warp) sum += warp_sums[w];
  return sum - x;
}

/// Clears the warps' counters and takes a tile: tiles in the order in which blocks start to work.
/// blockIdx would not do: the hardware promises no order, and a tile that looks back at one that
/// has not started might wait for ever.
__device__ std::uint32_t start_tile(Shared& shared, std::uint32_t* next_tile) {
  if (threadIdx.x == 0) shared.tile = atomicAdd(next_tile, 1u);
  for (int warp = 0; warp < warps; ++warp) shared.slots[warp * digit_values + threadIdx.x] = 0;
  __syncthreads();
  return shared.tile;
}

/// Lane l of warp w gets, as item i, element (w * items + i) * 32 + l of the tile: coalesced, and
/// the order of the input is the order of (warp, item, lane), which ranking keeps. Past the end of
/// the input stands the largest key, so that it ends up behind all others.
template <typename Order, int count>
__device__ void load(const std::uint32_t* tile, std::uint32_t left,
                     std::uint32_t (&loaded)[count]) {
  const unsigned first = threadIdx.x / 32 * 32 * count + threadIdx.x % 32;
  const std::uint32_t* mine = tile + first;
  if (left >= count * block_threads) {
#pragma unroll
    for (int i = 0; i < count; ++i) loaded[i] = Order::encode(mine[32 * i]);
  } else {
#pragma unroll
    for (int i = 0; i < count; ++i)
      loaded[i] = first + 32 * i < left ? Order::encode(mine[32 * i]) : 0xffffffff;
  }
}

/// How many keys of the tile have digit value threadIdx.x.
__device__ std::uint32_t count_of_digit(const Shared& shared) {
  std::uint32_t count = 0;
  for (int warp = 0; warp < warps; ++warp) count += shared.slots[warp * digit_values + threadIdx.x];
  return count;
}

/// Turns the warps' counts of digit value threadIdx.x into the places in the tile where each warp's
/// first key with it goes: behind `place` keys with smaller digits and those of earlier warps.
__device__ void counts_to_places(Shared& shared, std::uint32_t place) {
  for (int warp = 0; warp < warps; ++warp) {
    std::uint32_t& slot = shared.slots[warp * digit_values + threadIdx.x];
    const std::uint32_t count = slot;
    slot = place;
    place += count;
  }
}

/// The place in the tile of this lane's key, and the next place for the digit in the warp's table.
/// Lanes with equal digits get places in the order of the lanes: that makes the sort stable. All
/// lanes must call it.
template <int shift>
__device__ std::uint32_t take_place(std::uint32_t* slots, std::uint32_t key) {
  const unsigned up_to_me = full_warp >> (31 - threadIdx.x % 32);
  const unsigned peers = lanes_with_my_digit<shift>(key);
  std::uint32_t& slot = word_of_digit<shift>(slots, threadIdx.x / 32, key);
  const std::uint32_t behind = slot + __popc(peers & up_to_me);
  __syncwarp();                          // all have read before one writes
  if (peers <= up_to_me) slot = behind;  // no peer above: the last one knows where the next goes
  __syncwarp();                          // and it has written before all read for their next key
  return behind - 1;
}

// A look-back word: two bits that say what it is, 30 bits of count. Both in one word, so that
// nobody can see one without the other, and no fence is needed.
constexpr std::uint32_t counted = 1u << 30;  // the tile's own count
constexpr std::uint32_t summed = 2u << 30;   // with all tiles before it, and all smaller digits
constexpr std::uint32_t count_mask = counted - 1;

__device__ void publish(std::uint32_t* word, std::uint32_t value) {
  __nv_atomic_store_n(word, value, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
}

__device__ std::uint32_t wait_for(std::uint32_t* word) {
  std::uint32_t value;
  do {
    value = __nv_atomic_load_n(word, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  } while (value == 0);
  return value;
}

/// Keys of earlier tiles with digit value threadIdx.x: adds up what they published, backwards,
/// until one says what stands before it.
__device__ std::uint32_t look_back(std::uint32_t* published, std::uint32_t tile) {
  std::uint32_t sum = 0;
  for (std::uint32_t* word = published + (tile - 1) * digit_values + threadIdx.x;;
       word -= digit_values) {
    const std::uint32_t value = wait_for(word);
    sum += value & count_mask;
    if (value & summed) return sum;
  }
}

/// Where the tile's keys with digit value threadIdx.x begin in the output, and tells later tiles.
/// All threads must call it.
__device__ std::uint32_t begin_of_digit(const Pass& pass, std::uint32_t tile, std::uint32_t count,
                                        std::uint32_t* warp_sums) {
  const unsigned digit = threadIdx.x;
  const std::uint32_t begin =
      tile == 0 ? sum_before(pass.totals[digit], warp_sums) : look_back(pass.published, tile);
  publish(&pass.published[tile * digit_values + digit], summed | (begin + count));
  return begin;
}

/// Writes the sorted tile. Keys with equal digits stand side by side in the tile and in the output,
/// so the lanes of a warp write to a few runs of neighbours and not to 32 places.
template <int shift, typename Order>
__device__ void write(Shared& shared, const Pass& pass, std::uint32_t left) {
  const auto write_one = [&](unsigned place) {
    const std::uint32_t key = shared.keys[padded(place)];
    const std::uint32_t to = word_of_digit<shift>(shared.offset, 0, key) + place;
    // TODO(2): write the key, as the caller wants it, and its value.
    (void)Order::decode, (void)to, (void)pass, (void)key;
    // TODO(2) end
  };
  if (left >= tile_keys) {
#pragma unroll
    for (int i = 0; i < items; ++i) write_one(i * block_threads + threadIdx.x);
  } else {
    for (unsigned place = threadIdx.x; place < left; place += block_threads) write_one(place);
  }
}

/// Moves keys and values from keys_in to keys_out in the order of one digit; stable. InOrder and
/// OutOrder say how keys stand in memory before and after.
template <int shift, typename InOrder, typename OutOrder>
__global__ void __launch_bounds__(block_threads, blocks_on_multiprocessor)
    sort_by_digit(const Pass pass) {
  extern __shared__ std::uint32_t shared_words[];  // static arrays end at 48 KB
  Shared& shared = *reinterpret_cast<Shared*>(shared_words);
  const unsigned tid = threadIdx.x;

  const std::uint32_t tile = start_tile(shared, pass.next_tile);
  const std::uint32_t first = tile * tile_keys, left = pass.n - first;
  pass.to_clear[tile * digit_values + tid] = 0;

  std::uint32_t keys[items];  // registers: all indices are constants once unrolled
  load<InOrder>(pass.keys_in + first, left, keys);
  // TODO(3): load the values, as the keys are loaded.
  //   A value is a number of 32 bits: nothing to encode.
  std::uint32_t values[items] = {};
  // TODO(3) end

#pragma unroll
  for (int i = 0; i < items; ++i)
    atomicAdd(&word_of_digit<shift>(shared.slots, tid / 32, keys[i]), 1u);
  __syncthreads();

  // The counts go out before the long part, ranking: whoever looks back finds them there.
  const std::uint32_t count = count_of_digit(shared);
  if (tile > 0) publish(&pass.published[tile * digit_values + tid], counted | count);
  const std::uint32_t before = sum_before(count, shared.warp_sums);
  counts_to_places(shared, before);
  __syncthreads();

#pragma unroll
  for (int i = 0; i < items; ++i) {
    const unsigned place = padded(take_place<shift>(shared.slots, keys[i]));
    shared.keys[place] = keys[i];
    // TODO(4): a value goes where its key goes.
    //   shared.values is laid out like shared.keys.
    (void)values[i];
    // TODO(4) end
  }
  shared.offset[tid] = begin_of_digit(pass, tile, count, shared.warp_sums) - before;
  __syncthreads();
  write<shift, OutOrder>(shared, pass, left);
}

// --- The whole sort.

/// How the scratch memory is divided.
struct Buffers {
  std::uint32_t* keys;
  std::uint32_t* values;
  std::array<std::uint32_t*, 2> published;  ///< of even and of odd passes
  std::uint32_t* totals;                    ///< passes * digit_values
  std::uint32_t* next_tile;                 ///< one for each pass, behind the totals
};

Buffers divide(gridstride::Scratch scratch, std::int64_t n, std::int64_t tiles) {
  std::uint32_t* free = static_cast<std::uint32_t*>(scratch.data);
  const auto take = [&free](std::int64_t words) {
    std::uint32_t* taken = free;
    free += words;
    return taken;
  };
  Buffers buffers;
  buffers.keys = take(n);
  buffers.values = take(n);
  for (std::uint32_t*& words : buffers.published) words = take(tiles * digit_values);
  buffers.totals = take(passes * digit_values);
  buffers.next_tile = take(passes);
  return buffers;
}

template <int shift, typename InOrder, typename OutOrder>
void launch_pass(const Pass& pass, cudaStream_t stream) {
  const auto kernel = sort_by_digit<shift, InOrder, OutOrder>;
  constexpr std::size_t bytes = sizeof(Shared);
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  kernel<<<(pass.n + tile_keys - 1) / tile_keys, block_threads, bytes, stream>>>(pass);
}

/// Elements on their way from one pass to the next.
struct Elements {
  std::uint32_t* keys;
  std::uint32_t* values;
};

template <typename Order>
void sort(const std::uint32_t* keys_in, const std::uint32_t* values_in, Elements out,
          std::int64_t n, gridstride::Scratch scratch, cudaStream_t stream) {
  if (n == 0) return;
  const std::int64_t tiles = (n + tile_keys - 1) / tile_keys;
  const Buffers buffers = divide(scratch, n, tiles);
  const Elements spare = {buffers.keys, buffers.values};
  cudaMemsetAsync(buffers.totals, 0, sizeof(std::uint32_t) * passes * (digit_values + 1), stream);
  radix_sort::launch_totals<Order>(keys_in, buffers.totals, n, buffers.published[0],
                                   tiles * digit_values, stream);

  const auto pass = [&](int number, const std::uint32_t* from_keys,
                        const std::uint32_t* from_values, Elements to) {
    return Pass{from_keys,
                to.keys,
                from_values,
                to.values,
                static_cast<std::uint32_t>(n),
                buffers.totals + number * digit_values,
                buffers.published[number % 2],
                buffers.published[1 - number % 2],
                buffers.next_tile + number};
  };
  // TODO(5): four passes, for the digits from the lowest on.
  //   From the input to `spare`, to `out`, to `spare` and to `out`. Who encodes, and who decodes?
  launch_pass<0, Order, Order>(pass(0, keys_in, values_in, spare), stream);
  // TODO(5) end
}

}  // namespace

void sort_pairs(const std::uint32_t* keys_in, const std::uint32_t* values_in,
                std::uint32_t* keys_out, std::uint32_t* values_out, std::int64_t n, KeyType type,
                gridstride::Scratch scratch, cudaStream_t stream) {
  const auto sort_as = type == KeyType::signed_integer   ? sort<Signed>
                       : type == KeyType::floating_point ? sort<Float>
                                                         : sort<Unsigned>;
  sort_as(keys_in, values_in, {keys_out, values_out}, n, scratch, stream);
}
