// Warp operations in code that diverges, and groups made of groups.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "precision.h"

namespace cg = cooperative_groups;

KERNEL(right_lanes_of_equal_keys_elect_one) {
  const int key = tid % 5;
  const unsigned peers = __match_any_sync(0xffffffff, key);
  const int leader = __ffs(int(peers)) - 1;
  int base = 0;
  if (tid % 32 == leader) base = atomicAdd(flag + key, __popc(peers));
  base = __shfl_sync(peers, base, leader);
  data[512 + key * 256 + base + __popc(peers & ((1u << tid % 32) - 1))] = tid;
}
KERNEL(wrong_wrong_mask_peers_of_another_key) {
  const int key = tid % 5;
  const unsigned peers = __match_any_sync(0xffffffff, key);
  const unsigned others = ~peers;
  data[gid] = __shfl_sync(others, tid, __ffs(int(others)) - 1);  // here
}
KERNEL(right_reduction_by_one_instruction) {
  const unsigned all = __reduce_add_sync(0xffffffff, unsigned(tid));
  if (tid % 32 == 0) atomicAdd(flag, int(all));
  data[gid] = int(all);
}
KERNEL(wrong_wrong_mask_reduction_in_a_branch) {
  if (tid % 32 < 20) {
    data[gid] = int(__reduce_max_sync(0xffff, unsigned(tid)));  // here
  }
}
KERNEL(right_ballot_then_the_branch) {
  const unsigned odd = __ballot_sync(0xffffffff, tid % 2);
  if (tid % 2 == 1) data[gid] = __shfl_sync(odd, tid, 31);
}
KERNEL(wrong_inactive_lane_in_a_branch) {
  const unsigned odd = __ballot_sync(0xffffffff, tid % 2);
  if (tid % 2 == 1) data[gid] = __shfl_sync(odd, tid, 30);  // here
}
KERNEL(right_tile_of_a_tile) {
  __shared__ int s[64];
  const auto block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  const auto quarter = cg::tiled_partition<8>(warp);
  s[tid] = tid;
  quarter.sync();
  data[gid] = s[tid / 8 * 8 + 7 - tid % 8];
}
KERNEL(wrong_shared_race_tile_of_a_tile_for_the_whole_warp) {
  __shared__ int s[64];
  const auto block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  const auto quarter = cg::tiled_partition<8>(warp);
  s[tid] = tid;  // here
  quarter.sync();
  data[gid] = s[tid / 32 * 32 + 31 - tid % 32];  // here
}
KERNEL(right_coalesced_lanes_hand_on_through_memory) {
  __shared__ int s[64];
  if (tid % 3 == 0) {
    const auto active = cg::coalesced_threads();
    const int rank = int(active.thread_rank()), count = int(active.num_threads());
    s[tid / 32 * 32 + rank] = tid;
    active.sync();
    data[gid] = s[tid / 32 * 32 + count - 1 - rank];
  }
}
KERNEL(wrong_shared_race_coalesced_lanes_without_sync) {
  __shared__ int s[64];
  if (tid % 3 == 0) {
    const auto active = cg::coalesced_threads();
    const int rank = int(active.thread_rank()), count = int(active.num_threads());
    s[tid / 32 * 32 + rank] = tid;                    // here
    data[gid] = s[tid / 32 * 32 + count - 1 - rank];  // here
  }
}
KERNEL(right_labels_in_a_partition_in_two) {
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  const auto half = cg::binary_partition(tile, tid % 2 == 0);
  const auto third = cg::labeled_partition(half, tid % 3);
  const int sum = cg::reduce(third, tid, cg::plus<int>());
  data[gid] = sum;
}
KERNEL(right_inner_group_of_a_branch) {
  __shared__ int s[64];
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  const auto part = cg::binary_partition(tile, tid % 32 < 12);
  s[tid] = tid;
  if (tid % 32 < 12) {
    part.sync();
    data[gid] = s[tid / 32 * 32 + 11 - tid % 32];
  }
}
KERNEL(wrong_barrier_divergence_tile_in_a_branch) {
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  if (tid % 32 < 12) {
    tile.sync();  // here
    data[gid] = 1;
  } else {
    __syncthreads();  // here
  }
}
KERNEL(right_any_decides_for_the_warp) {
  int left = tid % 7;
  while (__any_sync(0xffffffff, left > 0)) {
    if (left > 0) data[gid] += left;
    --left;
  }
}
KERNEL(wrong_wrong_mask_vote_after_some_have_left) {
  int left = tid % 7;
  while (left > 0) {
    data[gid] += __popc(__ballot_sync(0x7f, left > 0));  // here
    --left;
  }
}
KERNEL(right_transposed_through_shuffles) {
  int values[4];
  for (int i = 0; i < 4; ++i) values[i] = tid * 4 + i;
  int sum = 0;
  for (int i = 0; i < 4; ++i) {
    sum += __shfl_xor_sync(0xffffffff, values[i], i + 1);
  }
  data[gid] = sum;
}
KERNEL(right_warp_asks_lane_by_lane) {
  unsigned open = __activemask();
  __syncwarp(open);
  bool done = false;
  while (!done) {
    const unsigned active = __ballot_sync(open, true);
    const int first = __ffs(int(active)) - 1;
    const int key = __shfl_sync(active, tid % 4, first);
    const unsigned same = __ballot_sync(active, tid % 4 == key);
    if (tid % 4 == key) {
      data[gid] = __popc(same);
      done = true;
    }
    open = active & ~same;
  }
}
KERNEL(wrong_shared_race_histogram_of_a_warp_without_syncwarp) {
  __shared__ int bins[2][32];
  int* mine = bins[tid / 32];
  mine[tid % 32] = 0;                 // here
  atomicAdd(mine + tid * 7 % 32, 1);  // here
  __syncwarp();
  data[gid] = mine[tid % 32];
}
KERNEL(right_histogram_of_a_warp_with_syncwarp) {
  __shared__ int bins[2][32];
  int* mine = bins[tid / 32];
  mine[tid % 32] = 0;
  __syncwarp();
  atomicAdd(mine + tid * 7 % 32, 1);
  __syncwarp();
  data[gid] = mine[tid % 32];
}
KERNEL(right_meeting_of_all_blocks_in_two_halves) {
  const auto grid = cg::this_grid();
  data[gid] = gid;
  auto token = grid.barrier_arrive();
  const int mine = data[gid];
  grid.barrier_wait(std::move(token));
  flag[gid] = data[255 - gid] + mine;
}
KERNEL(wrong_global_race_read_between_the_halves_of_a_meeting) {
  const auto grid = cg::this_grid();
  data[gid] = gid;  // here
  auto token = grid.barrier_arrive();
  const int other = data[255 - gid];  // here
  grid.barrier_wait(std::move(token));
  flag[gid] = other;
}
