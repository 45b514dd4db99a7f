// Stage 2, a warp partitions: 32 keys at a time, and launches only where they pay.
//
// Each lane has a key, and two ballots say which are less than the pivot and which are greater. How
// many of those stand in lower lanes is a popcount away: that is the lane's place behind what has
// been written before.
//
//     lane         0 1 2 3 4 5 6 7
//     key          5 2 8 1 9 3 5 6       pivot 5
//     less         0 1 0 1 0 1 0 0       places 0, 1, 2 from the front
//     greater      0 0 1 0 1 0 0 1       places 0, 1, 2 from the back
//
// A launch costs the thread several microseconds. So of two parts one is launched at most, and the
// warp goes on with the other; and a part that is small goes onto a stack of the warp's own, as in
// a quicksort without recursion.
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
    // TODO(1): where they go.
    //   For each row: the lanes whose keys are less, the lanes whose keys are greater (ballots),
    //   the places (how many of these are lower lanes?), and both cursors moved on.
    if (keys[0] > pivot) to[less + __popc(lower_lanes)] = keys[0];
    greater -= 32;
    // TODO(1) end
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
  // TODO(2): the sorted place of each key.
  //   rank_in_warp() knows it. Mind that the keys may stand in job.out, where they are written.
  (void)range, (void)job, (void)has_key, (void)key;
  // TODO(2) end
}

__global__ void sort_by_warp(Range range, Job job);

/// Whether the range was launched: the device may have no room for one more.
__device__ bool launch(const Range& range, const Job& job) {
  bool launched = false;
  // TODO(3): one lane launches sort_by_warp for the range, fire and forget, and asks whether it
  //   worked.
  (void)range, (void)job;
  // TODO(3) end
  return __shfl_sync(full_warp, launched, 0);
}

/// Sorts the range, with the help of children.
__global__ void sort_by_warp(Range range, Job job) {
  __shared__ Range stack[most_stacked];
  int stacked = 0;
  for (;;) {
    // TODO(4): partition; launch or stack; sort leaves.
    //   A range of more than `leaf` keys is partitioned. Its larger part is launched, if the
    //   smaller one has more than job.launch_size keys, and if the launch works; else it goes onto
    //   the stack. The smaller one is the next range. A leaf is sorted, the next range comes from
    //   the stack, and when that is empty the kernel is done. One lane writes the stack, all read.
    (void)choose_pivot, (void)partition, (void)sort_leaf, (void)launch;
    (void)job, (void)leaf, (void)&stack, (void)&stacked;
    return;
    // TODO(4) end
  }
}

}  // namespace

void quicksort(const std::int32_t* in, std::int32_t* out, std::int64_t n,
               gridstride::Scratch scratch, cudaStream_t stream) {
  if (n == 0) return;
  const Job job = job_for(in, out, n, scratch, smallest_launch);
  sort_by_warp<<<1, 32, 0, stream>>>(all_keys(n), job);
}
