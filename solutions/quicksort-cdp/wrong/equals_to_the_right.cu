// Keys that are equal to the pivot go with those that are greater. A range of equal keys never gets
// any smaller.
#include "labs/quicksort-cdp/ranges.cuh"

namespace {

using namespace quicksort_cdp;

constexpr int leaf = 32;               // keys: one a lane
constexpr int smallest_launch = 2048;  // keys
constexpr int rows = 8;                // of 32 keys, loaded before the first is used
constexpr int most_stacked = 32;       // the smaller part is done first: log2(n) ranges at most

/// Moves the keys of the range that are less than the pivot to the front of target(), those that
/// are greater to its back, and writes what is equal to out.
__device__ Parts partition(const Range& range, std::int32_t pivot, const Job& job) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const unsigned lower_lanes = (1u << lane) - 1;
  const std::int32_t* from = source(range, job);
  std::int32_t* to = target(range, job);
  std::int32_t less = range.begin, greater = range.end;  // the next place is `less`, `greater` - 1

  for (std::int32_t first = range.begin; first < range.end; first += 32 * rows) {
    std::int32_t keys[rows];
    for (int r = 0; r < rows; ++r) {
      const std::int32_t i = first + 32 * r + lane;
      keys[r] = i < range.end ? from[i] : pivot;  // the pivot goes nowhere
    }
    for (int r = 0; r < rows; ++r) {
      const unsigned are_less = __ballot_sync(full_warp, keys[r] < pivot);
      const bool is_key = first + 32 * r + lane < range.end;
      const unsigned are_greater = __ballot_sync(full_warp, is_key && keys[r] >= pivot);
      if (keys[r] < pivot) to[less + __popc(are_less & lower_lanes)] = keys[r];
      if (is_key && keys[r] >= pivot) {
        to[greater - 1 - __popc(are_greater & lower_lanes)] = keys[r];
      }
      less += __popc(are_less);
      greater -= __popc(are_greater);
    }
  }
  __syncwarp();  // all have read what is now overwritten, if out is where the keys stood
  for (std::int32_t i = less + lane; i < greater; i += 32) job.out[i] = pivot;
  __syncwarp();  // what the lanes have written is the warp's, and its children's, from here on
  return parts_of(range, pivot, less - range.begin, range.end - greater);
}

/// Writes at most 32 keys to out, sorted.
__device__ void sort_leaf(const Range& range, const Job& job) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const bool has_key = lane < range.size();
  const std::int32_t key = has_key ? source(range, job)[range.begin + lane] : 0;
  const int rank = rank_in_warp(key, range.size());
  __syncwarp();  // the keys may stand where they are written
  if (has_key) job.out[range.begin + rank] = key;
}

__global__ void sort_by_warp(Range range, Job job);

/// Whether the range was launched: the device may have no room for one more.
__device__ bool launch(const Range& range, const Job& job) {
  bool launched = false;
  if (threadIdx.x == 0) {
    sort_by_warp<<<1, 32, 0, cudaStreamFireAndForget>>>(range, job);
    launched = cudaGetLastError() == cudaSuccess;
  }
  return __shfl_sync(full_warp, launched, 0);
}

/// Sorts the range, with the help of children.
__global__ void sort_by_warp(Range range, Job job) {
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
      __syncwarp();
      range = stack[--stacked];
      __syncwarp();
    }
  }
}

}  // namespace

void quicksort(const std::int32_t* in, std::int32_t* out, std::int64_t n,
               gridstride::Scratch scratch, cudaStream_t stream) {
  if (n == 0) return;
  const Job job = job_for(in, out, n, scratch, smallest_launch);
  sort_by_warp<<<1, 32, 0, stream>>>(all_keys(n), job);
}
