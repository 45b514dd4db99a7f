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
  atomicAdd(&counts.of[value][threadIdx.x % copies], 1u);
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
  const std::int64_t past = reinterpret_cast<std::uintptr_t>(in) % 16;
  const std::int64_t head = min(n, (16 - past) % 16);
  return {head, (n - head) / 16, (n - head) % 16};
}

/// Counts the thread's share of the input: every stride-th uint4, stride = threads of the grid.
__device__ void count_share(Counts& counts, const std::uint8_t* in, std::int64_t n) {
  const std::int64_t thread = std::int64_t{blockIdx.x} * block_threads + threadIdx.x;
  const std::int64_t stride = std::int64_t{gridDim.x} * block_threads;
  const Cut cut = cut_at_16_bytes(in, n);
  const uint4* vectors = reinterpret_cast<const uint4*>(in + cut.head);

  uint4 loaded[loads_in_flight];  // indexed by constants once unrolled, so these are registers
  std::int64_t i = thread;
  for (; i + (loads_in_flight - 1) * stride < cut.vectors; i += loads_in_flight * stride) {
    // All loads before the first count: they wait for memory together, not one by one.
#pragma unroll
    for (int k = 0; k < loads_in_flight; ++k) loaded[k] = __ldg(vectors + i + k * stride);
#pragma unroll
    for (int k = 0; k < loads_in_flight; ++k) count(counts, loaded[k]);
  }
  for (; i < cut.vectors; i += stride) count(counts, __ldg(vectors + i));

  if (thread < cut.head) count(counts, in[thread]);
  if (thread < cut.tail) count(counts, in[cut.head + 16 * cut.vectors + thread]);
}

/// Adds the block's counts to the result, thread t those of bin t.
__device__ void merge(const Counts& counts, std::uint32_t* bins) {
  const unsigned bin = threadIdx.x;
  if (bin >= byte_bins) return;
  std::uint32_t sum = 0;
  // Neighbouring lanes read neighbouring rows, and a column is a bank: all would meet in one. So
  // each lane begins in the column of its own number.
  for (unsigned i = 0; i < copies; ++i) sum += counts.of[bin][(i + bin) % copies];
  if (sum > 0) atomicAdd(&bins[bin], sum);
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
  cudaMemsetAsync(bins, 0, byte_bins * sizeof(*bins), stream);
  count_grid<<<grid_blocks(n / round_bytes), block_threads, 0, stream>>>(in, bins, n);
}
