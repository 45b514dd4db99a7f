// Stage 6, grid stride and 16-byte loads: a grid that fits the device once, and a full memory pipe.
//
// Three changes, each for the memory system:
//   - a thread loads 16 bytes at a time: a quarter of the load instructions for the same bytes;
//   - it has several loads under way before it needs the first: by Little's law, bytes in flight =
//     bandwidth x latency, 12 KB at least on every multiprocessor of an H200;
//   - the grid is as large as the device can hold and strides over the input, so that a block's
//     tree, the part without loads, is paid for once a resident block and not once a section.
//
// And one launch instead of three: the last block to finish sums what all blocks left.

#include "labs/reduction/reduction.h"

namespace {

constexpr int block_threads = 1024;
constexpr int blocks_on_multiprocessor = 2;  // 2048 threads, all that one of an H200 holds
constexpr int loads_in_flight = 4;
constexpr std::int64_t round_elements = 4 * loads_in_flight * block_threads;  // of one block
constexpr unsigned full_warp = 0xffffffff;

/// The sum of the warp's 32 values, in lane 0. Every lane must call it.
__device__ float sum_warp(float sum) {
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(full_warp, sum, offset);
  return sum;
}

/// The sum of the block's values, in thread 0. Every thread must call it.
__device__ float sum_block(float sum) {
  __shared__ float warp_sums[block_threads / 32];
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;

  sum = sum_warp(sum);
  if (lane == 0) warp_sums[warp] = sum;
  __syncthreads();
  if (warp == 0) sum = sum_warp(lane < block_threads / 32 ? warp_sums[lane] : 0.0f);
  return sum;
}

/// The input cut where 16-byte loads can start and must end.
struct Cut {
  std::int64_t head;     ///< elements before the first address that is a multiple of 16: 0 … 3
  std::int64_t vectors;  ///< whole float4 from there
  std::int64_t tail;     ///< elements behind them: 0 … 3
};

__device__ Cut cut_at_16_bytes(const float* in, std::int64_t n) {
  // TODO(1): where does the address of `in` stand between two multiples of 16?
  //   `in` is a multiple of 4 bytes and need not be one of 16. A float4 load from an address that
  //   is none is an error ("misaligned address"). n may be less than the head.
  return {0, 0, 0};
  // TODO(1) end
}

__device__ float sum_of(float4 v) { return (v.x + v.y) + (v.z + v.w); }

/// The thread's share of in[0] … in[n - 1]: every stride-th float4, stride = threads of the grid.
__device__ float sum_thread(const float* in, std::int64_t n) {
  const std::int64_t thread = std::int64_t{blockIdx.x} * block_threads + threadIdx.x;
  const std::int64_t stride = std::int64_t{gridDim.x} * block_threads;
  const Cut cut = cut_at_16_bytes(in, n);
  const float4* vectors = reinterpret_cast<const float4*>(in + cut.head);

  // TODO(2): the thread's share, 16 bytes at a time.
  //   Thread `thread` of the grid takes vectors[thread], vectors[thread + stride], … Put
  //   loads_in_flight of them into an array first and add them up after that. With #pragma unroll
  //   before loops of constant length the array lives in registers. The last round is seldom
  //   full. Head and tail have three elements at most: let the first threads of the grid take one
  //   each.
  return thread + stride < cut.vectors ? sum_of(vectors[thread]) : 0.0f;
  // TODO(2) end
}

/// Blocks of the running grid that have left their partial sum. Zero between grids, which therefore
/// must not overlap; a call that may run beside another needs a counter of its own.
__device__ unsigned blocks_done = 0;

/// True, in all threads, for the block that comes here last: then it sees what thread 0 of every
/// block wrote before.
__device__ bool is_last_block() {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    __threadfence();  // first the partial sum is visible to the device, then the count
    last = atomicInc(&blocks_done, gridDim.x - 1) == gridDim.x - 1;  // the last one wraps it to 0
    __threadfence();  // first the count is read, then the others' partial sums
  }
  __syncthreads();
  return last;
}

__global__ void __launch_bounds__(block_threads, blocks_on_multiprocessor)
    sum_grid(const float* in, float* partial, float* out, std::int64_t n) {
  float sum = sum_block(sum_thread(in, n));
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
  if (!is_last_block()) return;

  // TODO(3): the last block adds up the partial sums.
  //   There are gridDim.x of them, maybe more than the block has threads. Add them in an order
  //   that does not depend on which block came last, and let one thread write the sum to *out.
  // TODO(3) end
}

/// As many blocks as the device holds at once, but no more than `rounds` and at least one.
int grid_blocks(std::int64_t rounds) {
  // TODO(4): how many blocks?
  //   Ask the device: cudaDeviceGetAttribute (cudaDevAttrMultiProcessorCount) and
  //   cudaOccupancyMaxActiveBlocksPerMultiprocessor.
  return rounds > 1 ? 2 : 1;
  // TODO(4) end
}

}  // namespace

void reduce_sum(const float* in, float* out, std::int64_t n, gridstride::Scratch scratch,
                cudaStream_t stream) {
  const int blocks = grid_blocks(n / round_elements);
  sum_grid<<<blocks, block_threads, 0, stream>>>(in, static_cast<float*>(scratch.data), out, n);
}
