// Stage 5, a table for each lane, 16-byte loads: shared memory without conflicts, whatever the
// data.
//
// An atomic instruction of a warp takes as long as its fullest bank: 32 lanes that count random
// bytes in a table of 256 counters put 3.5 different counters into one bank on average, and the
// other banks wait. So the block keeps 32 copies of the table and lane l counts in copy l. The
// copies stand side by side:
//
//     of[bin][copy]      bank = (32 * bin + copy) % 32 = copy
//
// Lane l has bank l for itself: one wavefront for each instruction, for random bytes as for equal
// ones. The warps share the copies; that is why the additions are still atomics. 32 KB of tables
// are the price, and with 1024 threads to a block two blocks fill a multiprocessor.
//
// What is left is to feed it: 16 bytes for each load, four loads under way.

#include "labs/histogram/histogram.h"

namespace {

using histogram::byte_bins;

constexpr int block_threads = 1024;
constexpr int blocks_on_multiprocessor = 2;  // 2048 threads: all that one of an H200 holds
constexpr int copies = 32;                   // one for each lane, and so for each bank
constexpr int loads_in_flight = 4;
constexpr std::int64_t round_bytes = 16 * loads_in_flight * block_threads;  // of one block

struct Counts {
  std::uint32_t of[byte_bins][copies];
};

__device__ void clear(Counts& counts) {
  for (unsigned i = threadIdx.x; i < byte_bins * copies; i += block_threads)
    counts.of[i / copies][i % copies] = 0;
}

/// Counts a byte in the lane's copy.
__device__ void count(Counts& counts, std::uint8_t value) {
  // TODO(1): add 1 to the counter of `value` in the copy of this thread's lane.
  //   The same lane of another warp may be at the same counter.
  // TODO(1) end
}

__device__ void count(Counts& counts, std::uint32_t word) {
#pragma unroll
  for (int shift = 0; shift < 32; shift += 8)
    count(counts, static_cast<std::uint8_t>(word >> shift));
}

__device__ void count(Counts& counts, uint4 v) {
  count(counts, v.x);
  count(counts, v.y);
  count(counts, v.z);
  count(counts, v.w);
}

/// The input cut where 16-byte loads can start and must end.
struct Cut {
  std::int64_t head;     ///< bytes before the first address that is a multiple of 16: 0 … 15
  std::int64_t vectors;  ///< whole uint4 from there
  std::int64_t tail;     ///< bytes behind them: 0 … 15
};

__device__ Cut cut_at_16_bytes(const std::uint8_t* in, std::int64_t n) {
  // TODO(2): where does the address of `in` stand between two multiples of 16? `in` may be
  //   anywhere, and n may be less than the head.
  return {0, 0, 0};
  // TODO(2) end
}

/// Counts the thread's share of the input: every stride-th uint4, stride = threads of the grid.
__device__ void count_share(Counts& counts, const std::uint8_t* in, std::int64_t n) {
  const std::int64_t thread = std::int64_t{blockIdx.x} * block_threads + threadIdx.x;
  const std::int64_t stride = std::int64_t{gridDim.x} * block_threads;
  const Cut cut = cut_at_16_bytes(in, n);
  const uint4* vectors = reinterpret_cast<const uint4*>(in + cut.head);

  // TODO(3): the thread's share, 16 bytes at a time.
  //   Thread `thread` of the grid takes vectors[thread], vectors[thread + stride], … Load
  //   loads_in_flight of them into an array before the first is counted; #pragma unroll before
  //   loops of constant length keeps the array in registers. The last round is seldom full. Head
  //   and tail have 15 bytes at most: one for each of the first threads of the grid.
  if (thread + stride < cut.vectors) count(counts, vectors[thread]);
  // TODO(3) end
}

/// Adds the block's counts to the result, thread t those of bin t.
__device__ void merge(const Counts& counts, std::uint32_t* bins) {
  // TODO(4): thread t < byte_bins adds up the copies of bin t and adds the sum to bins[t].
  //   In which bank is of[t][0], for each t? In which order could thread t go through its row so
  //   that the lanes never meet?
  // TODO(4) end
}

__global__ void __launch_bounds__(block_threads, blocks_on_multiprocessor)
    count_grid(const std::uint8_t* in, std::uint32_t* bins, std::int64_t n) {
  __shared__ Counts counts;
  clear(counts);
  __syncthreads();
  count_share(counts, in, n);
  __syncthreads();
  merge(counts, bins);
}

/// As many blocks as the device holds at once, but no more than `rounds` and at least one.
int grid_blocks(std::int64_t rounds) {
  int device = 0, multiprocessors = 0, resident = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, count_grid, block_threads, 0);
  return max(1, static_cast<int>(min(rounds, std::int64_t{multiprocessors * resident})));
}

}  // namespace

void count_bytes(const std::uint8_t* in, std::uint32_t* bins, std::int64_t n, gridstride::Scratch,
                 cudaStream_t stream) {
  // TODO(5): the counters hold anything when the call begins.
  // TODO(5) end
  count_grid<<<grid_blocks(n / round_bytes), block_threads, 0, stream>>>(in, bins, n);
}
