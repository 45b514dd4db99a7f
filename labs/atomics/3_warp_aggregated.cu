// Stage 3, one atomic for many threads: a filter whose lanes take their places together.
//
// An atomic returns what stood there before, so a counter hands out places: whoever adds 1 gets a
// place for itself. 32 lanes that add 1 each get 32 places, one after the other. If one lane adds
// their number and tells the others where the places begin, it is one atomic for all:
//
//     keepers   = the lanes that keep their element         (ballot)
//     first     = atomicAdd(count, number of keepers)       (one lane)
//     my place  = first + number of keepers below me        (popc)
//
// The same once more one level up: the warps of a block take their places from a counter in shared
// memory, and one thread takes the block's places from the counter in global memory. That is one
// global atomic for 4096 elements. One for each element, or for each warp, takes longer than
// everything else.
#include "labs/atomics/atomics.h"
#include "labs/atomics/elements.cuh"

namespace {

using namespace atomics;

constexpr int items = 16;
constexpr int block_elements = items * block_threads;

/// The warp's part of the block's elements: element k of lane l is in[32 * k + l]. Past the end
/// stands 0, which is not positive.
__device__ void load(const float* in, std::int64_t left, float (&mine)[items]) {
  const unsigned lane = threadIdx.x % 32;
#pragma unroll
  for (int k = 0; k < items; ++k) mine[k] = 32 * k + lane < left ? __ldg(in + 32 * k + lane) : 0.0f;
}

/// Takes `count` places for each warp, all for the block at once, and returns the warp's first. All
/// threads must call it; `count` and the result are the same for the lanes of a warp.
__device__ unsigned long long take_places(unsigned count, unsigned long long* total) {
  // TODO(1): one atomic for the block.
  //   A counter in shared memory, set to 0. Lane 0 of each warp adds `count` to it: what it gets
  //   back is how many places of the block stand before the warp's. One thread adds the block's
  //   number to *total: what it gets back is the block's first place. The sum of both, for all
  //   lanes: __shfl_sync(full_warp, value, 0) is lane 0's value. Where must barriers stand? This
  //   is called once in every round of a loop.
  return *total + count;
  // TODO(1) end
}

/// Keeps the positive ones of the block's elements. All threads must call it.
__device__ void keep(const float* in, std::int64_t left, float* out, unsigned long long* total) {
  const unsigned below_me = (1u << threadIdx.x % 32) - 1;
  float mine[items];
  load(in, left, mine);

  unsigned keepers[items];  // bit l: lane l keeps its element k
  unsigned kept = 0;        // by the warp, of all its elements
  // TODO(2): who keeps what.
  //   For each k (unrolled: `#pragma unroll` before the loop) __ballot_sync(full_warp, condition) is
  //   a word whose bit l says whether the condition holds in lane l. __popc counts bits.
  keepers[0] = 0;
  // TODO(2) end
  unsigned long long place = take_places(kept, total);
  // TODO(3): write them.
  //   The warp's elements with k = 0 stand from `place` on, those of k = 1 behind them. Which of
  //   them is the lane's? `below_me` has a one for every lane below.
  (void)place, (void)below_me, (void)out, (void)&keepers;
  // TODO(3) end
}

__global__ void __launch_bounds__(block_threads)
    keep_by_block(const float* in, float* out, std::int64_t* count, std::int64_t n) {
  const std::int64_t of_warp = std::int64_t{threadIdx.x / 32} * 32 * items;
  const std::int64_t stride = std::int64_t{gridDim.x} * block_elements;
  for (std::int64_t first = std::int64_t{blockIdx.x} * block_elements; first < n; first += stride)
    keep(in + first + of_warp, n - first - of_warp, out,
         reinterpret_cast<unsigned long long*>(count));
}

}  // namespace

void keep_positive(const float* in, float* out, std::int64_t* count, std::int64_t n,
                   gridstride::Scratch, cudaStream_t stream) {
  // TODO(4): where does counting start?
  // TODO(4) end
  const int blocks = grid_blocks(keep_by_block, n, block_elements);
  keep_by_block<<<blocks, block_threads, 0, stream>>>(in, out, count, n);
}
