// Groups of threads as the toolkit's headers have them: tiles, reductions, copies of a group.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "precision.h"

namespace cg = cooperative_groups;

KERNEL(right_tile_hands_on_behind_its_sync) {
  __shared__ int s[64];
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  s[tid] = tid;
  tile.sync();
  data[gid] = s[tid ^ 5];
}
KERNEL(wrong_shared_race_tile_without_sync) {
  __shared__ int s[64];
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  s[tid] = tid;            // here
  data[gid] = s[tid ^ 5];  // here
  tile.sync();
}
KERNEL(wrong_shared_race_sync_of_a_tile_for_another_one) {
  __shared__ int s[64];
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  s[tid] = tid;  // here
  tile.sync();
  data[gid] = s[tid ^ 8];  // here
}
KERNEL(right_reduction_of_a_tile) {
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  data[gid] = cg::reduce(tile, tid, cg::plus<int>());
}
KERNEL(right_scan_of_a_tile) {
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  data[gid] = cg::inclusive_scan(tile, tid);
}
KERNEL(right_tile_shuffles_and_votes) {
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  int sum = tid;
  for (int d = int(tile.num_threads()) / 2; d > 0; d /= 2) sum += tile.shfl_down(sum, d);
  data[gid] = tile.any(sum > 5) ? tile.shfl(sum, 0) : 0;
}
KERNEL(right_copy_of_a_group_waited_for) {
  __shared__ int s[64];
  const auto block = cg::this_thread_block();
  cg::memcpy_async(block, s, data, sizeof(int) * 64);
  cg::wait(block);
  data[1024 + gid] = s[tid ^ 33];
}
KERNEL(wrong_shared_race_copy_of_a_group_not_waited_for) {
  __shared__ int s[64];
  const auto block = cg::this_thread_block();
  cg::memcpy_async(block, s, data, sizeof(int) * 64);  // here
  data[1024 + gid] = s[tid ^ 33];                      // here
  cg::wait(block);
}
KERNEL(right_group_of_those_that_came) {
  if (tid % 3 == 0) {
    const auto active = cg::coalesced_threads();
    int first = 0;
    if (active.thread_rank() == 0) first = atomicAdd(&flag[0], int(active.num_threads()));
    data[active.shfl(first, 0) + int(active.thread_rank())] = tid;
  }
}
KERNEL(wrong_global_race_group_counts_without_an_atomic) {
  if (tid % 3 == 0) {
    const auto active = cg::coalesced_threads();
    if (active.thread_rank() == 0) flag[0] += int(active.num_threads());  // here
  }
}
KERNEL(wrong_barrier_divergence_block_sync_of_half_a_warp) {
  const auto block = cg::this_thread_block();
  if (tid < 16) {
    block.sync();  // here
    data[gid] = 1;
  } else {
    block.sync();  // here
    data[gid] = 2;
  }
  flag[gid] = data[gid];
}
KERNEL(wrong_uninitialized_read_reduction_of_what_nobody_wrote) {
  __shared__ int s[64];
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  if (tid < 60) s[tid] = tid;
  tile.sync();
  data[gid] = cg::reduce(tile, s[tid], cg::plus<int>());  // here
}
KERNEL(right_partition_by_label) {
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  const auto part = cg::labeled_partition(tile, tid % 3);
  data[gid] = cg::reduce(part, tid, cg::plus<int>());
}
KERNEL(wrong_shared_race_sync_of_a_partition_for_the_other_one) {
  __shared__ int s[64];
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  const auto part = cg::binary_partition(tile, tid % 2 == 0);
  s[tid] = tid;  // here
  part.sync();
  data[gid] = s[tid ^ 1];  // here
}
KERNEL(right_partition_in_two) {
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  const auto part = cg::binary_partition(tile, tid % 3 == 0);
  data[gid] = int(part.size() + part.thread_rank() + part.meta_group_rank());
}
// Lanes that have nothing to copy copy, in the toolkit's code, what the last one does.
KERNEL(right_copy_of_fewer_pieces_than_lanes) {
  __shared__ int s[64];
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  const int first = tid / 32 * 32;
  cg::memcpy_async(tile, s + first, flag + first, 24 * sizeof(int));
  cg::wait(tile);
  if (tid % 32 < 24) data[gid] = s[first + 23 - tid % 32];
}
KERNEL(wrong_shared_race_copy_of_fewer_pieces_not_waited_for) {
  __shared__ int s[64];
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  const int first = tid / 32 * 32;
  cg::memcpy_async(tile, s + first, flag + first, 24 * sizeof(int));
  if (tid % 32 < 24) data[gid] = s[first + 23 - tid % 32];  // here
  cg::wait(tile);
}
