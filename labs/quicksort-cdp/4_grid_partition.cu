// Stage 4, many blocks partition the first ranges, and a tail launch goes on when they are done.
//
// In stage 3 one block reads all keys, then two blocks half of them each: most of the device sleeps
// through the first levels. Here a grid partitions a large range: the cursors stand in global
// memory, and each warp of each block draws its places from them.
//
// Who launches the children? No block knows when the others are done, and none can wait for them:
// the device runtime has no cudaDeviceSynchronize any more. What comes after a grid is launched
// into the stream cudaStreamTailLaunch. It starts when the grid is over, with all that it has
// launched, and sees what all of them have written.
//
//     start ── partition_by_grid ──tail──> divide ─┬─ partition_by_grid ──tail──> divide ─┬─ …
//                                                  │                                      └─ …
//                                                  └─ sort_by_block: stage 3
#include "labs/quicksort-cdp/ranges.cuh"

namespace {

using namespace quicksort_cdp;

constexpr int leaf = 2048;               // keys
constexpr int block_threads = leaf / 2;  // one comparison of the bitonic sort each
constexpr int warps = block_threads / 32;
constexpr int smallest_launch = leaf;
constexpr int rows = 8;  // of 32 keys
constexpr int strip_keys = 32 * rows;
constexpr int block_keys = warps * strip_keys;
constexpr int grid_size = 32768;  // keys: larger ranges are partitioned by a grid
constexpr int most_stacked = 32;

// TODO(1): stage 3, from the bitonic sort to sort_by_block().
//   Nothing in it changes.
__device__ void move_strip(const Range& range, std::int32_t first, std::int32_t pivot,
                           const Job& job, Cursors* cursors) {
  (void)range, (void)first, (void)pivot, (void)job, (void)cursors;
}
__device__ void sort_range(Range range, const Job& job) {
  (void)range, (void)job, (void)most_stacked;
}
__global__ void __launch_bounds__(block_threads) sort_by_block(Range range, Job job) {
  sort_range(range, job);
}
// TODO(1) end

/// The cursors of a range of more than grid_size keys. It holds a multiple of grid_size, which no
/// other range that is worked on at the same time does.
__device__ Cursors* cursors_of(const Range& range, const Job& job) {
  return job.cursors + (range.begin + (grid_size - 1)) / grid_size;
}

/// Never more than 512 grids and as many tail launches wait, so there is room for each. Were it
/// otherwise, a launch that is missing must not look like a sort that is done.
__device__ void must_be_launched() {
  if (cudaGetLastError() != cudaSuccess) __trap();
}

__global__ void partition_by_grid(Range range, std::int32_t pivot, Job job);

/// Launches what sorts the range, if it is worth a launch. All lanes of a warp must call it.
__device__ void start(const Range& range, const Job& job) {
  // TODO(2): what is launched.
  //   Nothing, if the range is not worth it. A range of at most grid_size keys: sort_by_block. A
  //   larger one: partition_by_grid, a block for each block_keys keys; its cursors must be 0
  //   before. All lanes choose the pivot, one launches.
  (void)range, (void)job, (void)block_keys, (void)partition_by_grid;
  // TODO(2) end
}

__global__ void start_all(Range range, Job job) { start(range, job); }

__global__ void __launch_bounds__(block_threads)
    fill(std::int32_t* keys, std::int32_t n, std::int32_t value) {
  const std::int32_t i = blockIdx.x * block_threads + threadIdx.x;
  if (i < n) keys[i] = value;
}

/// Goes on with a range that a grid has partitioned: launches what is worth it, does the rest.
__global__ void __launch_bounds__(block_threads) divide(Range range, std::int32_t pivot, Job job) {
  // TODO(3): what comes after a partition.
  //   The cursors say how large the parts are. start() launches what is worth it: give each part a
  //   warp of its own, for launching takes long. Keys that are equal to the pivot: by this block,
  //   or, if they are more than job.launch_size, by fill(). What is not worth a launch:
  //   sort_range(). Who still reads the cursors when a part begins to use them?
  (void)range, (void)pivot, (void)job, (void)fill, (void)must_be_launched;
  // TODO(3) end
}

/// Moves the keys of the range: a strip for each warp. Its cursors must be 0.
__global__ void __launch_bounds__(block_threads)
    partition_by_grid(Range range, std::int32_t pivot, Job job) {
  // TODO(4): the grid's work, and what comes after it.
  //   One thread of the grid launches divide() so that it starts when the whole grid is done. Each
  //   warp moves one strip, if the range has so many.
  (void)range, (void)pivot, (void)job, (void)move_strip, (void)divide, (void)cursors_of;
  // TODO(4) end
}

}  // namespace

void quicksort(const std::int32_t* in, std::int32_t* out, std::int64_t n,
               gridstride::Scratch scratch, cudaStream_t stream) {
  if (n == 0) return;
  const Job job = job_for(in, out, n, scratch, smallest_launch);
  const Range all = all_keys(n);
  if (n <= grid_size) {
    sort_by_block<<<1, block_threads, 0, stream>>>(all, job);
  } else {
    start_all<<<1, 32, 0, stream>>>(all, job);
  }
}
