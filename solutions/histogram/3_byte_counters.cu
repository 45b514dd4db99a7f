// Stage 3, byte counters for each thread: no atomics while counting.
//
// If every thread has a table of its own, nobody can lose an addition. 256 counters of 4 bytes for
// each of 128 threads do not fit into shared memory; 256 counters of 1 byte do: 32 KB. A byte
// counts to 255, so a thread may count at most 255 elements before the block has to add the
// counters up.
//
// The counter of thread t for bin b stands at byte 128 * b + place(t). A row of 128 bytes covers
// all 32 banks once, whatever b is, so the bank depends on place(t) alone: on where a thread has
// its byte in a row.

#include "labs/histogram/histogram.h"

namespace {

using histogram::byte_bins;

constexpr int block_threads = 128;  // four warps: as many as a word has bytes
constexpr int loads_in_flight = 4;
constexpr int words_before_merge = 63;  // 252 elements for each thread, 255 is the most
constexpr std::int64_t round_words = std::int64_t{words_before_merge} * block_threads;  // a block's

struct alignas(4) Counters {  // cleared and added up by words
  std::uint8_t count[byte_bins][block_threads];
};

/// Where thread t keeps its counter within a bin's row: 0 … 127, another place for each thread.
__device__ unsigned place(unsigned t) {
  // Lane l of every warp has bank l for itself, and the four warps share out the four bytes of a
  // word. With `return t` four neighbouring lanes would share a word's column, and two of them with
  // different bins would be two words in one bank: a conflict.
  return 4 * (t % 32) + t / 32;
}

__device__ void clear(Counters& counters) {
  std::uint32_t* words = reinterpret_cast<std::uint32_t*>(&counters);
  for (unsigned i = threadIdx.x; i < sizeof(Counters) / 4; i += block_threads) words[i] = 0;
}

/// Counts the four bytes of `word` in the thread's own counters, those at place `mine`.
__device__ void count(Counters& counters, std::uint32_t word, unsigned mine) {
#pragma unroll
  for (int shift = 0; shift < 32; shift += 8) ++counters.count[word >> shift & 0xff][mine];
}

/// The sum of a bin's 128 counters, which it clears for the next round.
__device__ std::uint32_t take_row(Counters& counters, unsigned bin) {
  std::uint32_t* row = reinterpret_cast<std::uint32_t*>(counters.count[bin]);
  std::uint32_t pairs = 0;  // two sums of at most 32 * 2 * 255 side by side in 16 bits each
  for (unsigned i = 0; i < block_threads / 4; ++i) {
    // Each lane has a row, and all rows begin in bank 0: so each begins at another word.
    const unsigned at = (i + bin) % (block_threads / 4);
    pairs += (row[at] & 0x00ff00ff) + (row[at] >> 8 & 0x00ff00ff);
    row[at] = 0;
  }
  return (pairs & 0xffff) + (pairs >> 16);
}

/// The input cut where 4-byte loads can start and must end.
struct Cut {
  std::int64_t head;   ///< bytes before the first address that is a multiple of 4: 0 … 3
  std::int64_t words;  ///< whole words from there
  std::int64_t tail;   ///< bytes behind them: 0 … 3
};

__host__ __device__ Cut cut_at_4_bytes(const std::uint8_t* in, std::int64_t n) {
  const std::int64_t to_boundary = (4 - reinterpret_cast<std::uintptr_t>(in) % 4) % 4;
  const std::int64_t head = to_boundary < n ? to_boundary : n;
  return {head, (n - head) / 4, (n - head) % 4};
}

__global__ void __launch_bounds__(block_threads)
    count_without_atomics(const std::uint8_t* in, std::uint32_t* bins, std::int64_t n) {
  __shared__ Counters counters;
  const unsigned tid = threadIdx.x, mine = place(tid);
  const Cut cut = cut_at_4_bytes(in, n);
  const std::uint32_t* words = reinterpret_cast<const std::uint32_t*>(in + cut.head);
  clear(counters);
  __syncthreads();

  std::uint32_t lower = 0, upper = 0;  // the counts of bins tid and tid + 128: each thread adds two
  for (std::int64_t first = blockIdx.x * round_words; first < cut.words;
       first += gridDim.x * round_words) {
    const std::int64_t end = min(cut.words, first + round_words);
    std::int64_t i = first + tid;
    for (; i + (loads_in_flight - 1) * block_threads < end; i += loads_in_flight * block_threads) {
      std::uint32_t loaded[loads_in_flight];
#pragma unroll
      for (int k = 0; k < loads_in_flight; ++k) loaded[k] = __ldg(words + i + k * block_threads);
#pragma unroll
      for (int k = 0; k < loads_in_flight; ++k) count(counters, loaded[k], mine);
    }
    for (; i < end; i += block_threads) count(counters, __ldg(words + i), mine);
    __syncthreads();  // nobody adds up before all have counted
    lower += take_row(counters, tid);
    upper += take_row(counters, tid + block_threads);
    __syncthreads();  // nobody counts before all rows are clear
  }
  if (lower > 0) atomicAdd(&bins[tid], lower);
  if (upper > 0) atomicAdd(&bins[tid + block_threads], upper);
  // The few bytes that no word holds go straight to the result.
  if (blockIdx.x == 0 && tid < cut.head) atomicAdd(&bins[in[tid]], 1u);
  if (blockIdx.x == 0 && tid < cut.tail) atomicAdd(&bins[in[n - 1 - tid]], 1u);
}

/// As many blocks as the device holds at once, but no more than `rounds` and at least one.
int grid_blocks(std::int64_t rounds) {
  int device = 0, multiprocessors = 0, resident = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, count_without_atomics, block_threads, 0);
  return max(1, static_cast<int>(min(rounds, std::int64_t{multiprocessors * resident})));
}

}  // namespace

void count_bytes(const std::uint8_t* in, std::uint32_t* bins, std::int64_t n, gridstride::Scratch,
                 cudaStream_t stream) {
  cudaMemsetAsync(bins, 0, byte_bins * sizeof(*bins), stream);
  const std::int64_t rounds = (cut_at_4_bytes(in, n).words + round_words - 1) / round_words;
  count_without_atomics<<<grid_blocks(rounds), block_threads, 0, stream>>>(in, bins, n);
}
