// What comes after the partition is launched to run at once, beside it.
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

constexpr unsigned warp_span = 64;

__device__ void end_step(unsigned span) {
  if (span > warp_span) {
    __syncthreads();
  } else {
    __syncwarp();
  }
}

__device__ void compare(std::int32_t* keys, unsigned i, unsigned j, unsigned count) {
  if (j >= count || keys[i] <= keys[j]) return;
  const std::int32_t smaller = keys[j];
  keys[j] = keys[i];
  keys[i] = smaller;
}

/// Stage 1's.
__device__ void bitonic_sort(std::int32_t* keys, unsigned count) {
  const unsigned t = threadIdx.x;
  __syncthreads();
  for (unsigned size = 2; size / 2 < count; size *= 2) {
    const unsigned piece = t / (size / 2) * size, k = t % (size / 2);
    compare(keys, piece + k, piece + size - 1 - k, count);
    end_step(size);
    for (unsigned distance = size / 4; distance > 0; distance /= 2) {
      const unsigned i = t / distance * 2 * distance + t % distance;
      compare(keys, i, i + distance, count);
      end_step(2 * distance);
    }
    end_step(2 * size);
  }
  __syncthreads();
}

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
  unsigned are_less[rows], are_greater[rows];
  int all_less = 0, all_greater = 0;
  for (int r = 0; r < rows; ++r) {
    are_less[r] = __ballot_sync(full_warp, keys[r] < pivot);
    are_greater[r] = __ballot_sync(full_warp, keys[r] > pivot);
    all_less += __popc(are_less[r]);
    all_greater += __popc(are_greater[r]);
  }
  std::int32_t less = 0, greater = 0;
  if (lane == 0) {
    less = range.begin + atomicAdd(&cursors->less, all_less);
    greater = range.end - atomicAdd(&cursors->greater, all_greater);
  }
  less = __shfl_sync(full_warp, less, 0);
  greater = __shfl_sync(full_warp, greater, 0);
  for (int r = 0; r < rows; ++r) {
    if (keys[r] < pivot) to[less + __popc(are_less[r] & lower_lanes)] = keys[r];
    if (keys[r] > pivot) to[greater - 1 - __popc(are_greater[r] & lower_lanes)] = keys[r];
    less += __popc(are_less[r]);
    greater -= __popc(are_greater[r]);
  }
}

/// Moves the keys of the range that are less than the pivot to the front of target(), those that
/// are greater to its back, and writes what is equal to out. All threads of the block must call it.
__device__ Parts partition(const Range& range, std::int32_t pivot, const Job& job) {
  __shared__ Cursors cursors;
  if (threadIdx.x == 0) cursors = {0, 0};
  __syncthreads();
  const int warp = static_cast<int>(threadIdx.x / 32);
  for (int strip = warp; range.begin + strip * strip_keys < range.end; strip += warps) {
    move_strip(range, range.begin + strip * strip_keys, pivot, job, &cursors);
  }
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
    if (range.size() > leaf) {
      const Parts parts = partition(range, choose_pivot(range, job), job);
      const bool less_is_smaller = parts.less.size() < parts.greater.size();
      const Range larger = less_is_smaller ? parts.greater : parts.less;
      const Range smaller = less_is_smaller ? parts.less : parts.greater;
      if (smaller.size() <= job.launch_size || !launch(larger, job)) {
        if (threadIdx.x == 0) stack[stacked] = larger;
        ++stacked;
      }
      range = smaller;
    } else {
      sort_leaf(range, job);
      if (stacked == 0) return;
      range = stack[--stacked];
      __syncthreads();  // before another is put there
    }
  }
}

__global__ void __launch_bounds__(block_threads) sort_by_block(Range range, Job job) {
  sort_range(range, job);
}

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
  if (range.size() <= job.launch_size) return;
  const std::int32_t pivot = choose_pivot(range, job);
  if (threadIdx.x % 32 != 0) return;
  if (range.size() <= grid_size) {
    sort_by_block<<<1, block_threads, 0, cudaStreamFireAndForget>>>(range, job);
  } else {
    *cursors_of(range, job) = {0, 0};
    const int blocks = (range.size() + block_keys - 1) / block_keys;
    partition_by_grid<<<blocks, block_threads, 0, cudaStreamFireAndForget>>>(range, pivot, job);
  }
  must_be_launched();
}

__global__ void start_all(Range range, Job job) { start(range, job); }

__global__ void __launch_bounds__(block_threads)
    fill(std::int32_t* keys, std::int32_t n, std::int32_t value) {
  const std::int32_t i = blockIdx.x * block_threads + threadIdx.x;
  if (i < n) keys[i] = value;
}

/// Goes on with a range that a grid has partitioned: launches what is worth it, does the rest.
__global__ void __launch_bounds__(block_threads) divide(Range range, std::int32_t pivot, Job job) {
  const Cursors moved = *cursors_of(range, job);
  const Parts parts = parts_of(range, pivot, moved.less, moved.greater);
  __syncthreads();  // all have read the cursors, which a part may use again
  const unsigned warp = threadIdx.x / 32;
  if (warp == 0) start(parts.less, job);
  if (warp == 1) start(parts.greater, job);

  std::int32_t* equal = job.out + parts.less.end;
  const std::int32_t equals = parts.greater.begin - parts.less.end;
  if (equals <= job.launch_size) {
    for (std::int32_t i = threadIdx.x; i < equals; i += block_threads) equal[i] = pivot;
  } else if (threadIdx.x == 64) {  // a warp that starts nothing else
    const int blocks = (equals + block_threads - 1) / block_threads;
    fill<<<blocks, block_threads, 0, cudaStreamFireAndForget>>>(equal, equals, pivot);
    must_be_launched();
  }
  if (parts.less.size() <= job.launch_size) sort_range(parts.less, job);
  if (parts.greater.size() <= job.launch_size) sort_range(parts.greater, job);
}

/// Moves the keys of the range: a strip for each warp. Its cursors must be 0.
__global__ void __launch_bounds__(block_threads)
    partition_by_grid(Range range, std::int32_t pivot, Job job) {
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    divide<<<1, block_threads, 0, cudaStreamFireAndForget>>>(range, pivot, job);
    must_be_launched();
  }
  const std::int32_t strip = blockIdx.x * warps + threadIdx.x / 32;
  const std::int32_t first = range.begin + strip * strip_keys;
  if (first < range.end) {
    move_strip(range, first, pivot, job, cursors_of(range, job));
  }
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
