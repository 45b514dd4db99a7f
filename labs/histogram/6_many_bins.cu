// Stage 6, 65536 bins: a table that does not fit, made to fit.
//
// 65536 counters of 4 bytes are 256 KB, and a block gets 227 KB at most. With 2 bytes for each they
// take 128 KB. Two counters share a word, the even bin in the lower half, and an addition of 1 or
// 65536 to the word counts in one or the other: there are no 16-bit atomics that would be as fast.
//
// A counter of 16 bits that overflows would carry into its neighbour. So the thread whose addition
// takes a counter from below 32768 to 32768 or more moves 32768 of it to the result in global
// memory. (It knows because the atomic returns what stood there before.) Between that addition and
// its repair the others go on counting, but not far: the block meets at a barrier after every 32768
// elements at most, 32767 + 32768 is 65535, and so no counter ever carries.

#include "labs/histogram/histogram.h"

namespace {

using histogram::wide_bins;

constexpr int block_threads = 1024;
constexpr int table_words = wide_bins / 2;
constexpr std::size_t table_bytes = table_words * sizeof(std::uint32_t);
constexpr std::uint32_t full = 32768;  // counts that leave for global memory together
constexpr int loads_in_flight = 4;
constexpr std::int64_t round_vectors = std::int64_t{loads_in_flight} * block_threads;  // a block's
constexpr std::int64_t round_elements = 8 * round_vectors;
static_assert(round_elements <= full, "a counter could carry into its neighbour");

/// Counts `times` elements of one value; the block counts at most 32768 between two barriers.
__device__ void count(std::uint32_t* table, std::uint32_t* bins, unsigned value,
                      std::uint32_t times) {
  // TODO(1): add `times` to the half of table[value / 2] that is the value's.
  //   atomicAdd returns the word as it was before. If this very addition took the half from below
  //   `full` to `full` or more, take `full` out of it again and add that to bins[value]. Nobody
  //   else will: who comes later finds it above, who came earlier left it below.
  // TODO(1) end
}

/// Counts the eight values of a 16-byte piece.
__device__ void count(std::uint32_t* table, std::uint32_t* bins, uint4 v) {
  // Eight equal values are one addition of 8. Where an image has a plain background this saves most
  // of the atomics, and the 32 lanes of a warp that add to one counter have to take turns.
  if (v.x == v.y && v.x == v.z && v.x == v.w && v.x >> 16 == (v.x & 0xffff)) {
    count(table, bins, v.x & 0xffff, 8);
    return;
  }
  const std::uint32_t words[] = {v.x, v.y, v.z, v.w};
#pragma unroll
  for (const std::uint32_t word : words) {
    count(table, bins, word & 0xffff, 1);
    count(table, bins, word >> 16, 1);
  }
}

/// Counts the block's share of the input.
__device__ void count_share(std::uint32_t* table, std::uint32_t* bins, const uint4* vectors,
                            std::int64_t vector_count) {
  for (std::int64_t first = blockIdx.x * round_vectors; first < vector_count;
       first += gridDim.x * round_vectors) {
    uint4 loaded[loads_in_flight];
    const std::int64_t i = first + threadIdx.x;
#pragma unroll
    for (int k = 0; k < loads_in_flight; ++k)
      if (i + k * block_threads < vector_count) loaded[k] = __ldg(vectors + i + k * block_threads);
#pragma unroll
    for (int k = 0; k < loads_in_flight; ++k)
      if (i + k * block_threads < vector_count) count(table, bins, loaded[k]);
    // TODO(2): a warp that runs ahead could fill a counter that another has not repaired yet. What
    //   keeps it from that, and what makes the last round's counts visible to those who merge?
    // TODO(2) end
  }
}

/// The input cut where 16-byte loads can start and must end, in elements.
struct Cut {
  std::int64_t head, vectors, tail;
};

__device__ Cut cut_at_16_bytes(const std::uint16_t* in, std::int64_t n) {
  const std::int64_t past = reinterpret_cast<std::uintptr_t>(in) / sizeof(*in) % 8;
  const std::int64_t head = min(n, (8 - past) % 8);
  return {head, (n - head) / 8, (n - head) % 8};
}

__global__ void __launch_bounds__(block_threads)
    count_grid(const std::uint16_t* in, std::uint32_t* bins, std::int64_t n) {
  extern __shared__ std::uint32_t table[];  // more than 48 KB: only a launch can ask for that
  const unsigned tid = threadIdx.x;
  for (unsigned i = tid; i < table_words; i += block_threads) table[i] = 0;
  __syncthreads();

  const Cut cut = cut_at_16_bytes(in, n);
  count_share(table, bins, reinterpret_cast<const uint4*>(in + cut.head), cut.vectors);

  // TODO(3): merge, and count the elements that no uint4 holds.
  //   table[i] has the counts of bins 2 * i and 2 * i + 1. Many are 0: an atomic for those would
  //   be for nothing. in[0] … in[cut.head - 1] and the last cut.tail elements may go straight to
  //   the result, by the threads of one block.
  // TODO(3) end
}

/// As many blocks as the device holds at once, but no more than `rounds` and at least one.
int grid_blocks(std::int64_t rounds) {
  int device = 0, multiprocessors = 0, resident = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, count_grid, block_threads, table_bytes);
  return max(1, static_cast<int>(min(rounds, std::int64_t{multiprocessors * resident})));
}

}  // namespace

void count_words(const std::uint16_t* in, std::uint32_t* bins, std::int64_t n, gridstride::Scratch,
                 cudaStream_t stream) {
  cudaFuncSetAttribute(count_grid, cudaFuncAttributeMaxDynamicSharedMemorySize, table_bytes);
  // TODO(4): the counters hold anything when the call begins.
  // TODO(4) end
  count_grid<<<grid_blocks(n / round_elements), block_threads, table_bytes, stream>>>(in, bins, n);
}
