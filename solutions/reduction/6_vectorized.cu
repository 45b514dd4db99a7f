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
  const std::int64_t past = reinterpret_cast<std::uintptr_t>(in) / sizeof(float) % 4;
  const std::int64_t head = min(n, (4 - past) % 4);
  return {head, (n - head) / 4, (n - head) % 4};
}

__device__ float sum_of(float4 v) { return (v.x + v.y) + (v.z + v.w); }

/// The thread's share of in[0] … in[n - 1]: every stride-th float4, stride = threads of the grid.
__device__ float sum_thread(const float* in, std::int64_t n) {
  const std::int64_t thread = std::int64_t{blockIdx.x} * block_threads + threadIdx.x;
  const std::int64_t stride = std::int64_t{gridDim.x} * block_threads;
  const Cut cut = cut_at_16_bytes(in, n);
  const float4* vectors = reinterpret_cast<const float4*>(in + cut.head);

  float sum = 0.0f;
  float4 loaded[loads_in_flight];  // indexed by constants once unrolled, so these are registers
  std::int64_t i = thread;
  for (; i + (loads_in_flight - 1) * stride < cut.vectors; i += loads_in_flight * stride) {
    // All loads before the first addition: they wait for memory together, not one by one.
#pragma unroll
    for (int k = 0; k < loads_in_flight; ++k) loaded[k] = __ldg(vectors + i + k * stride);
#pragma unroll
    for (int k = 0; k < loads_in_flight; ++k) sum += sum_of(loaded[k]);
  }
  // What is left is less than a full round. It waits together, too.
#pragma unroll
  for (int k = 0; k < loads_in_flight; ++k) {
    const std::int64_t last = i + k * stride;
    loaded[k] = last < cut.vectors ? __ldg(vectors + last) : float4{0, 0, 0, 0};
  }
#pragma unroll
  for (int k = 0; k < loads_in_flight; ++k) sum += sum_of(loaded[k]);

  if (thread < cut.head) sum += in[thread];
  if (thread < cut.tail) sum += in[cut.head + 4 * cut.vectors + thread];
  return sum;
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

  // Which block is last changes from run to run. The order in which it adds does not, so neither
  // does the result.
  sum = 0.0f;
  for (unsigned block = threadIdx.x; block < gridDim.x; block += block_threads)
    sum += partial[block];
  sum = sum_block(sum);
  if (threadIdx.x == 0) *out = sum;
}

/// As many blocks as the device holds at once, but no more than `rounds` and at least one.
int grid_blocks(std::int64_t rounds) {
  int device = 0, multiprocessors = 0, resident = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, sum_grid, block_threads, 0);
  return max(1, static_cast<int>(min(rounds, std::int64_t{multiprocessors * resident})));
}

}  // namespace

void reduce_sum(const float* in, float* out, std::int64_t n, gridstride::Scratch scratch,
                cudaStream_t stream) {
  const int blocks = grid_blocks(n / round_elements);
  sum_grid<<<blocks, block_threads, 0, stream>>>(in, static_cast<float*>(scratch.data), out, n);
}
