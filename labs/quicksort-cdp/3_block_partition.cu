// Stage 3, a block partitions, and sorts what is small by the bitonic sort of stage 1.
//
// Each warp takes strips of the range, as in stage 2. Where its keys go it cannot know without the
// other warps, so there are two cursors for the block, in shared memory: a warp counts what its
// strip has, moves the cursor on by that with one atomic addition, and the places between are its
// own. Whose come first does not matter, for they are sorted later.
//
//     cursor     front ->  [ warp 3 | warp 0 | warp 7 | …        …  | warp 0 | warp 7 ]  <- back
//
// So there is no barrier within a partition. Leaves are as large as a block sorts in shared memory:
// fewer levels, and launches only of what keeps a block busy for longer than a launch takes.
#include "labs/quicksort-cdp/ranges.cuh"

namespace {

using namespace quicksort_cdp;

constexpr int leaf = 2048;               // keys
constexpr int block_threads = leaf / 2;  // one comparison of the bitonic sort each
constexpr int warps = block_threads / 32;
constexpr int smallest_launch = leaf;
constexpr int rows = 8;  // of 32 keys
constexpr int strip_keys = 32 * rows;
constexpr int most_stacked = 32;

// TODO(1): the bitonic sort of your stage 1, with all that belongs to it.
__device__ void bitonic_sort(std::int32_t* keys, unsigned count) { (void)keys, (void)count; }
// TODO(1) end

/// Moves one strip of the range, from its key `first` on. All lanes of a warp must call it.
__device__ void move_strip(const Range& range, std::int32_t first, std::int32_t pivot,
                           const Job& job, Cursors* cursors) {
  const std::int32_t* from = source(range, job);
  std::int32_t* to = target(range, job);
  const int lane = static_cast<int>(threadIdx.x % 32);
  const unsigned lower_lanes = (1u << lane) - 1;
  std::int32_t keys[rows];
  for (int r = 0; r < rows; ++r) {
    const std::int32_t i = first + 32 * r + lane;
    keys[r] = i < range.end ? from[i] : pivot;  // the pivot goes nowhere
  }
  // TODO(2): the strip's places, and its keys to them.
  //   The ballots of all rows first, to be kept: for the cursors are moved by the whole strip at
  //   once, with one atomic addition each, by one lane, which tells the others what was there
  //   before. cursors->greater counts from the end of the range. Then the rows as in stage 2.
  (void)first, (void)to, (void)cursors, (void)&keys, (void)lower_lanes;
  // TODO(2) end
}

/// Moves the keys of the range that are less than the pivot to the front of target(), those that
/// are greater to its back, and writes what is equal to out. All threads of the block must call it.
__device__ Parts partition(const Range& range, std::int32_t pivot, const Job& job) {
  __shared__ Cursors cursors;
  if (threadIdx.x == 0) cursors = {0, 0};
  __syncthreads();
  // TODO(3): all strips of the range.
  //   A strip is strip_keys keys. The warps of the block take them in turn.
  (void)move_strip, (void)warps, (void)strip_keys, (void)range, (void)pivot, (void)job;
  // TODO(3) end
  __syncthreads();
  const Parts parts = parts_of(range, pivot, cursors.less, cursors.greater);
  for (std::int32_t i = parts.less.end + static_cast<std::int32_t>(threadIdx.x);
       i < parts.greater.begin; i += block_threads) {
    job.out[i] = pivot;
  }
  // The cursors are free again; what was written is the block's, and its children's, from here on.
  __syncthreads();
  return parts;
}

/// Writes at most `leaf` keys to out, sorted.
__device__ void sort_leaf(const Range& range, const Job& job) {
  __shared__ std::int32_t keys[leaf];
  const std::int32_t count = range.size();
  for (std::int32_t i = threadIdx.x; i < count; i += block_threads) {
    keys[i] = source(range, job)[range.begin + i];
  }
  bitonic_sort(keys, count);
  for (std::int32_t i = threadIdx.x; i < count; i += block_threads) {
    job.out[range.begin + i] = keys[i];
  }
  __syncthreads();
}

__global__ void sort_by_block(Range range, Job job);

/// Whether the range was launched: the device may have no room for one more.
__device__ bool launch(const Range& range, const Job& job) {
  bool launched = false;
  if (threadIdx.x == 0) {
    sort_by_block<<<1, block_threads, 0, cudaStreamFireAndForget>>>(range, job);
    launched = cudaGetLastError() == cudaSuccess;
  }
  return __syncthreads_or(launched);
}

/// Sorts the range, with the help of children. All threads of the block must call it.
__device__ void sort_range(Range range, const Job& job) {
  __shared__ Range stack[most_stacked];
  int stacked = 0;
  for (;;) {
    // TODO(4): as in stage 2, with a block instead of a warp.
    (void)choose_pivot, (void)partition, (void)sort_leaf, (void)launch;
    (void)job, (void)&stack, (void)&stacked;
    return;
    // TODO(4) end
  }
}

__global__ void __launch_bounds__(block_threads) sort_by_block(Range range, Job job) {
  sort_range(range, job);
}

}  // namespace

void quicksort(const std::int32_t* in, std::int32_t* out, std::int64_t n,
               gridstride::Scratch scratch, cudaStream_t stream) {
  if (n == 0) return;
  const Job job = job_for(in, out, n, scratch, smallest_launch);
  sort_by_block<<<1, block_threads, 0, stream>>>(all_keys(n), job);
}
