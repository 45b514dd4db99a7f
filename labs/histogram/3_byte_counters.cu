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
// TODO(1): how many words of four elements may a thread count before its counters are full?
//   All of its elements may be equal.
constexpr int words_before_merge = 1;
// TODO(1) end
constexpr std::int64_t round_words = std::int64_t{words_before_merge} * block_threads;  // a block's

struct alignas(4) Counters {  // cleared and added up by words
  std::uint8_t count[byte_bins][block_threads];
};

/// Where thread t keeps its counter within a bin's row: 0 … 127, another place for each thread.
__device__ unsigned place(unsigned t) {
  // TODO(2): bank = byte / 4 % 32. Which bytes of a row are lane l's, so that no two lanes of a
  //   warp share a bank, whatever bins they count in?
  return t;
  // TODO(2) end
}

__device__ void clear(Counters& counters) {
  std::uint32_t* words = reinterpret_cast<std::uint32_t*>(&counters);
  for (unsigned i = threadIdx.x; i < sizeof(Counters) / 4; i += block_threads) words[i] = 0;
}

/// Counts the four bytes of `word` in the thread's own counters, those at place `mine`.
__device__ void count(Counters& counters, std::uint32_t word, unsigned mine) {
  // TODO(3): add 1 to four counters. Nobody else has this column: no atomics.
  // TODO(3) end
}

/// The sum of a bin's 128 counters, which it clears for the next round.
__device__ std::uint32_t take_row(Counters& counters, unsigned bin) {
  // TODO(4): add up counters.count[bin][0 … 127] and set them to 0.
  //   Read four at a time, as words. Thread t takes row t: if all begin with the first word of
  //   their row, in which bank do they meet? Where could each begin instead?
  return 0;
  // TODO(4) end
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
    // TODO(5): the end of a round: the rows go to `lower` and `upper`. Where must the block wait?
    lower += take_row(counters, tid);
    upper += take_row(counters, tid + block_threads);
    // TODO(5) end
  }
  if (lower > 0) atomicAdd(&bins[tid], lower);
  if (upper > 0) atomicAdd(&bins[tid + block_threads], upper);
  // TODO(6): the bytes that no word holds: in[0] … in[cut.head - 1] and the last cut.tail.
  //   They are so few that they may go straight to the result. One block is enough for them.
  // TODO(6) end
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
  // TODO(7): the counters hold anything when the call begins.
  // TODO(7) end
  const std::int64_t rounds = (cut_at_4_bytes(in, n).words + round_words - 1) / round_words;
  count_without_atomics<<<grid_blocks(rounds), block_threads, 0, stream>>>(in, bins, n);
}
