// Stage 4, a table for each warp: atomics in shared memory, spread over several tables.
//
// Since Maxwell (2014) shared memory adds by itself: an atomicAdd whose result nobody uses is one
// instruction. What it costs depends on the addresses of a warp's lanes: lanes with the same
// counter are served together (the hardware counts them), lanes with different counters in the same
// bank one after the other. One table for each warp keeps warps apart from each other.
//
// (Before that, one wrote the count with the number of the writing lane in its upper bits, read it
// back, and tried again if another lane's number stood there.)

#include "labs/histogram/histogram.h"

namespace {

using histogram::byte_bins;

constexpr int block_threads = 256;
constexpr int warps = block_threads / 32;
constexpr int loads_in_flight = 4;

struct Counts {
  std::uint32_t of[warps][byte_bins];
};

/// Every thread must call it; none may count before a barrier.
__device__ void clear(Counts& counts) {
  // TODO(1): set all warps * byte_bins counters to 0. There are more of them than threads.
  // TODO(1) end
}

/// Counts the four bytes of `word` in the table of the thread's warp.
__device__ void count(std::uint32_t* table, std::uint32_t word) {
  // TODO(2): add 1 to the counters of four bytes. The lanes of a warp share the table: what if two
  //   of them have the same byte?
  // TODO(2) end
}

/// The input cut where 4-byte loads can start and must end.
struct Cut {
  std::int64_t head;   ///< bytes before the first address that is a multiple of 4: 0 … 3
  std::int64_t words;  ///< whole words from there
  std::int64_t tail;   ///< bytes behind them: 0 … 3
};

__device__ Cut cut_at_4_bytes(const std::uint8_t* in, std::int64_t n) {
  const std::int64_t to_boundary = (4 - reinterpret_cast<std::uintptr_t>(in) % 4) % 4;
  const std::int64_t head = to_boundary < n ? to_boundary : n;
  return {head, (n - head) / 4, (n - head) % 4};
}

__global__ void __launch_bounds__(block_threads)
    count_by_warp(const std::uint8_t* in, std::uint32_t* bins, std::int64_t n) {
  __shared__ Counts counts;
  const unsigned tid = threadIdx.x;
  const Cut cut = cut_at_4_bytes(in, n);
  const std::uint32_t* words = reinterpret_cast<const std::uint32_t*>(in + cut.head);
  clear(counts);
  __syncthreads();

  // TODO(3): the table of the thread's warp.
  std::uint32_t* mine = counts.of[0];
  // TODO(3) end
  const std::int64_t stride = std::int64_t{gridDim.x} * block_threads;
  const std::int64_t thread = std::int64_t{blockIdx.x} * block_threads + tid;
  std::int64_t i = thread;
  for (; i + (loads_in_flight - 1) * stride < cut.words; i += loads_in_flight * stride) {
    std::uint32_t loaded[loads_in_flight];
#pragma unroll
    for (int k = 0; k < loads_in_flight; ++k) loaded[k] = __ldg(words + i + k * stride);
#pragma unroll
    for (int k = 0; k < loads_in_flight; ++k) count(mine, loaded[k]);
  }
  for (; i < cut.words; i += stride) count(mine, __ldg(words + i));
  __syncthreads();

  // TODO(4): merge, and count the bytes that no word holds.
  //   A bin's count is the sum over the warps' tables; one addition to the result for each block
  //   and bin. All byte_bins bins, however many threads a block has. in[0] … in[cut.head - 1] and
  //   the last cut.tail bytes may go straight to the result; `thread` is the thread's number in
  //   the grid.
  // TODO(4) end
}

/// As many blocks as the device holds at once, but no more than there is work for and at least one.
int grid_blocks(std::int64_t words) {
  int device = 0, multiprocessors = 0, resident = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, count_by_warp, block_threads, 0);
  const std::int64_t useful = (words + block_threads - 1) / block_threads;
  return max(1, static_cast<int>(min(useful, std::int64_t{multiprocessors * resident})));
}

}  // namespace

void count_bytes(const std::uint8_t* in, std::uint32_t* bins, std::int64_t n, gridstride::Scratch,
                 cudaStream_t stream) {
  // TODO(5): the counters hold anything when the call begins.
  // TODO(5) end
  count_by_warp<<<grid_blocks(n / 4), block_threads, 0, stream>>>(in, bins, n);
}
