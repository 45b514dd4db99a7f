// Given to stages 2 to 4: the ranges of keys that a quicksort works on, where their keys stand, and
// how a warp chooses a pivot.
//
// A partition does not swap keys within one array. It reads a range from one array and writes what
// is less than the pivot to the front and what is greater to the back of the same range in another:
//
//     source [ 5 2 8 1 9 3 5 6 ]      pivot 5
//     target [ 2 1 3 . . 6 9 8 ]      less: 3 keys, greater: 3 keys
//     out    [       5 5       ]      what is equal stands at its place for good
//
// Keys that are equal cannot be told apart, so they are not moved at all: there are as many as
// places are left, and those are filled with the pivot. With many equal keys the sort gets faster,
// not slower.
#pragma once

#include <cstdint>
#include <limits>

#include "labs/quicksort-cdp/quicksort-cdp.h"

namespace quicksort_cdp {

constexpr unsigned full_warp = 0xffffffff;

/// The same places in each array of a call: `begin` … `end` - 1.
struct Range {
  std::int32_t begin, end;
  std::int32_t lowest, highest;  ///< no key is less, no key is greater
  std::int32_t level;            ///< how many partitions have led to it

  __host__ __device__ std::int32_t size() const { return end - begin; }
};

/// How many keys of a range have been moved to the front and to the back.
struct Cursors {
  std::int32_t less, greater;
};

/// What all grids of a call know.
struct Job {
  const std::int32_t* in;
  std::int32_t* out;    ///< where the keys must stand in the end
  std::int32_t* spare;  ///< as long, contents undefined at first
  Cursors* cursors;     ///< for stage 4: one for each 1024 keys, contents undefined
  /// Ranges of more keys than these are worth a launch. At least a 512th of all keys: ranges of
  /// grids that have not started do not overlap, so there are never more than 512 of them.
  std::int64_t launch_size;
};

constexpr std::int32_t most_waiting = 512;  // of the 2048 that the device runtime holds

inline Range all_keys(std::int64_t n) {
  return {0, static_cast<std::int32_t>(n), std::numeric_limits<std::int32_t>::min(),
          std::numeric_limits<std::int32_t>::max(), 0};
}

/// `smallest_launch`: keys below which a launch costs more than it brings.
inline Job job_for(const std::int32_t* in, std::int32_t* out, std::int64_t n,
                   gridstride::Scratch scratch, std::int64_t smallest_launch) {
  auto* spare = static_cast<std::int32_t*>(scratch.data);
  const std::int64_t share = n / most_waiting;
  return {in, out, spare, reinterpret_cast<Cursors*>(spare + n),
          share > smallest_launch ? share : smallest_launch};
}

/// Each level reads what the level before has written: in, out, spare, out, spare, …
__device__ inline const std::int32_t* source(const Range& range, const Job& job) {
  return range.level == 0 ? job.in : range.level % 2 == 1 ? job.out : job.spare;
}
__device__ inline std::int32_t* target(const Range& range, const Job& job) {
  return range.level % 2 == 0 ? job.out : job.spare;
}

/// The two parts of a range, once `less` keys stand at the front of target() and `greater` keys at
/// its back. What is between them is equal to the pivot.
struct Parts {
  Range less, greater;
};

__device__ inline Parts parts_of(const Range& range, std::int32_t pivot, std::int32_t less,
                                 std::int32_t greater) {
  // Where there are no keys beyond the pivot the bounds do not matter, and must not overflow.
  return {{range.begin, range.begin + less, range.lowest, less > 0 ? pivot - 1 : pivot,
           range.level + 1},
          {range.end - greater, range.end, greater > 0 ? pivot + 1 : pivot, range.highest,
           range.level + 1}};
}

/// How many keys stand before this lane's in sorted order, of those in lanes 0 … count - 1; equal
/// keys stand in the order of their lanes. All lanes of the warp must call it.
__device__ inline int rank_in_warp(std::int32_t key, int count) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  int rank = 0;
  for (int other = 0; other < count; ++other) {
    const std::int32_t its = __shfl_sync(full_warp, key, other);
    if (its < key || (its == key && other < lane)) ++rank;
  }
  return rank;
}

/// So many levels trust their samples. log2 of all keys would do if each pivot were the median.
constexpr std::int32_t sampled_levels = 24;

/// The pivot of a range of at least one key. All lanes of a warp must call it; all get it, and
/// every warp that asks gets the same.
///
/// It is the median of 32 keys, spread evenly over the range, which is good for nearly all inputs
/// and bad for one that was made against it. So from sampled_levels on it is the middle between the
/// bounds of the keys. That halves what keys the range can have: after 32 more levels one is left.
__device__ inline std::int32_t choose_pivot(const Range& range, const Job& job) {
  if (range.level >= sampled_levels) {
    const auto width =
        static_cast<std::uint32_t>(range.highest) - static_cast<std::uint32_t>(range.lowest);
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(range.lowest) + width / 2);
  }
  const int lane = static_cast<int>(threadIdx.x % 32);
  const std::int64_t offset = std::int64_t{range.size()} * (2 * lane + 1) / 64;
  const std::int32_t sample = source(range, job)[range.begin + offset];
  const unsigned median = __ballot_sync(full_warp, rank_in_warp(sample, 32) == 16);
  return __shfl_sync(full_warp, sample, __ffs(static_cast<int>(median)) - 1);
}

}  // namespace quicksort_cdp
