// Warp operations.
#include "precision.h"

KERNEL(wrong_wrong_mask_without_itself) {
  data[gid] = __shfl_sync(0x0000ffff, tid, 3);  // here
}
KERNEL(right_mask_of_those_that_come) {
  const bool comes = tid % 3 == 0;
  const unsigned mask = __ballot_sync(0xffffffff, comes);
  if (comes) data[gid] = __reduce_add_sync(mask, tid);
}
KERNEL(wrong_wrong_mask_vote_of_one_lane) {
  if (__any_sync(1u, flag[gid] == 0)) data[gid] = 1;  // here
}
KERNEL(right_masks_of_tiles) {
  const unsigned mask = 0xffu << (tid % 32 / 8 * 8);
  int sum = tid;
  for (int i = 4; i > 0; i /= 2) sum += __shfl_xor_sync(mask, sum, i, 8);
  data[gid] = sum;
}
KERNEL(wrong_inactive_lane_beyond_the_mask) {
  if (tid < 16) data[gid] = __shfl_down_sync(0xffff, tid, 8);  // here
}
KERNEL(right_width_of_half_a_warp) {
  if (tid < 16) data[gid] = __shfl_down_sync(0xffff, tid, 8, 16);
}
KERNEL(wrong_inactive_lane_in_a_reduction) {
  if (tid % 32 >= 8) return;
  int sum = tid;
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xff, sum, d);  // here
  data[gid] = sum;
}
KERNEL(right_shuffled_value_thrown_away) {
  if (tid % 32 >= 20) return;
  int sum = tid;
  for (int d = 1; d < 20; d *= 2) {
    const int other = __shfl_down_sync(0xfffff, sum, d);
    if (tid % 32 + d < 20) sum += other;
  }
  data[gid] = sum;
}
KERNEL(right_shuffled_value_used_by_some) {
  if (tid % 32 >= 20) return;
  const int other = __shfl_down_sync(0xfffff, tid, 1);
  if (tid % 32 < 19) {
    flag[gid] = other;
    __syncwarp(0x7ffff);
  }
  data[gid] = tid;
}
KERNEL(wrong_inactive_lane_that_has_ended) {
  if (tid % 32 == 31) return;
  data[gid] = __shfl_sync(0xffffffff, tid, 31);  // here
}
KERNEL(right_others_have_ended) {
  if (tid % 32 >= 16) return;
  data[gid] = __shfl_xor_sync(0xffffffff, tid, 8);
}
KERNEL(right_both_sides_of_a_branch_meet) {
  if (tid % 2 == 0) {
    data[gid] = tid;
  } else {
    flag[gid] = tid;
  }
  __syncwarp();
  data[gid] += flag[gid ^ 1];
}
// A sum whose last warp is not full, in a loop of which the compiler does not know the rounds.
KERNEL(right_last_warp_filled_up_with_zeros) {
  int sum = tid < 50 ? data[tid] : 0;
  for (int d = int(blockDim.x) / 4; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
  if (tid % 32 == 0) atomicAdd(flag, sum);
}
KERNEL(wrong_inactive_lane_in_the_last_warp) {
  if (tid >= 50) return;
  int sum = data[tid];
  for (int d = int(blockDim.x) / 4; d > 0; d /= 2)
    sum += __shfl_down_sync(__activemask(), sum, d);  // here
  if (tid % 32 == 0) atomicAdd(flag, sum);
}
