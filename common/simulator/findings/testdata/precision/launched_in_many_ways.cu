// Kernels that launch kernels: what else orders them, and what does not.
#include "precision.h"

#define CHILD(name) __global__ void name(int* data, int* flag, int n)

CHILD(sums_up) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += data[i];
  atomicAdd(flag, sum);
}
CHILD(fills) { data[tid] = n; }
// A barrier of two warps with a number of its own.
KERNEL(right_named_barrier_before_the_launch) {
  int* const mine = data + 64 * bid;
  mine[tid] = gid;
  asm volatile("bar.sync 3, 64;" ::: "memory");
  if (tid == 40) sums_up<<<1, 1>>>(mine, flag, 64);
}
CHILD(sums_up_too_early);
KERNEL(wrong_global_race_arrives_and_launches) {
  int* const mine = data + 64 * bid;
  mine[tid] = gid;
  if (tid < 32) {
    asm volatile("bar.arrive 3, 64;" ::: "memory");
    if (tid == 0) sums_up_too_early<<<1, 1>>>(mine, flag, 64);
  } else {
    asm volatile("bar.sync 3, 64;" ::: "memory");
  }
}
CHILD(sums_up_too_early) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += data[i];  // here
  atomicAdd(flag, sum);
}
KERNEL(right_each_thread_launches_behind_the_barrier) {
  int* const mine = data + 64 * bid;
  mine[tid] = gid;
  __syncthreads();
  if (tid % 16 == 3) sums_up<<<1, 2>>>(mine, flag, 64);
}
// A list that grows while grids work on what is there already.
KERNEL(right_list_grows_behind_its_readers) {
  if (tid != 0) return;
  int* const mine = data + 64 * bid;
  for (int i = 0; i < 4; ++i) {
    mine[i] = i;
    sums_up<<<1, 1, 0, cudaStreamFireAndForget>>>(mine, flag, i + 1);
  }
}
CHILD(sums_up_one_more);
KERNEL(wrong_global_race_list_grows_under_its_readers) {
  if (tid != 0) return;
  int* const mine = data + 64 * bid;
  for (int i = 0; i < 4; ++i) {
    mine[i] = i;
    sums_up_one_more<<<1, 1, 0, cudaStreamFireAndForget>>>(mine, flag, i + 1);
  }
}
CHILD(sums_up_one_more) {
  int sum = 0;
  for (int i = 0; i <= n; ++i) sum += data[i];  // here
  atomicAdd(flag, sum);
}
// A grid has ended when the grids that it launched have.
CHILD(has_it_filled) {
  fills<<<1, 32, 0, cudaStreamFireAndForget>>>(data, flag, n);
  fills<<<1, 32, 0, cudaStreamTailLaunch>>>(data + 32, flag, n);
}
KERNEL(right_next_in_the_stream_finds_grandchildren) {
  if (tid != 0) return;
  has_it_filled<<<1, 1>>>(data + 64 * bid, flag, 3);
  sums_up<<<1, 1>>>(data + 64 * bid, flag, 64);
}
CHILD(has_it_filled_and_sums);
CHILD(fills_beside);
CHILD(sums_up_beside);
KERNEL(wrong_global_race_parent_of_a_filling_grid_does_not_wait) {
  if (tid == 0) has_it_filled_and_sums<<<1, 1>>>(data + 64 * bid, flag, 3);
}
CHILD(has_it_filled_and_sums) {
  fills_beside<<<1, 32, 0, cudaStreamFireAndForget>>>(data, flag, n);
  sums_up_beside<<<1, 1>>>(data, flag, 32);
}
CHILD(fills_beside) {
  data[tid] = n;  // here
}
CHILD(sums_up_beside) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += data[i];  // here
  atomicAdd(flag, sum);
}
// Copies and fills of the device runtime are in their stream as grids are.
KERNEL(right_copy_between_two_grids) {
  if (tid != 0) return;
  int* const mine = data + 64 * bid;
  fills<<<1, 32>>>(mine, flag, 5);
  cudaMemcpyAsync(mine + 32, mine, 128, cudaMemcpyDeviceToDevice, 0);
  cudaMemsetAsync(mine, 0, 128, 0);
  sums_up<<<1, 1>>>(mine, flag, 64);
}
// Atomic operations of parent and child.
CHILD(counts_on) { atomicAdd(flag, n); }
KERNEL(right_parent_and_child_count) {
  if (tid % 32 == 0) counts_on<<<1, 8>>>(data, flag, 1);
  atomicAdd(flag, 1);
}
CHILD(reads_the_count);
KERNEL(wrong_global_race_child_reads_what_the_parent_counts) {
  if (tid == 0) reads_the_count<<<1, 1>>>(data + bid, flag, 0);
  atomicAdd(flag, 1);
}
CHILD(reads_the_count) {
  data[0] = *flag;  // here
}
// Deeper than any nesting limit ever was.
CHILD(goes_down) {
  data[n] = data[n - 1] + 1;
  if (n < 40) goes_down<<<1, 1>>>(data, flag, n + 1);
}
KERNEL(right_forty_levels) {
  if (tid != 0) return;
  int* const mine = data + 64 * bid;
  mine[0] = bid;
  goes_down<<<1, 1>>>(mine, flag, 1);
}
CHILD(goes_down_twice);
KERNEL(wrong_global_race_two_go_down) {
  if (tid != 0) return;
  data[64 * bid] = bid;
  goes_down_twice<<<1, 1>>>(data + 64 * bid, flag, 1);
}
CHILD(goes_down_twice) {
  data[n] = data[n - 1] + 1;  // here
  if (n >= 4) return;
  goes_down_twice<<<1, 1, 0, cudaStreamFireAndForget>>>(data, flag, n + 1);
  goes_down_twice<<<1, 1, 0, cudaStreamFireAndForget>>>(data, flag, n + 1);
}
// Tail launches run one after the other, and a child's come before the parent's.
KERNEL(right_tails_in_a_row) {
  if (gid != 0) return;
  for (int i = 0; i < 3; ++i) fills<<<1, 32, 0, cudaStreamTailLaunch>>>(data, flag, i);
  sums_up<<<1, 1, 0, cudaStreamTailLaunch>>>(data, flag, 32);
}
CHILD(tail_sums);
CHILD(fills_beside_the_tail);
CHILD(has_a_tail);
KERNEL(wrong_global_race_tail_of_one_beside_another) {
  if (gid != 0) return;
  has_a_tail<<<1, 1, 0, cudaStreamFireAndForget>>>(data, flag, 32);
  fills_beside_the_tail<<<1, 32, 0, cudaStreamFireAndForget>>>(data, flag, 1);
}
CHILD(has_a_tail) { tail_sums<<<1, 1, 0, cudaStreamTailLaunch>>>(data, flag, n); }
CHILD(tail_sums) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += data[i];  // here
  atomicAdd(flag, sum);
}
CHILD(fills_beside_the_tail) {
  data[tid] = n;  // here
}
// A copy or fill is in order with what a grid would be that is launched in its place.
KERNEL(right_fill_behind_what_the_parent_read) {
  if (tid != 0) return;
  flag[bid] = data[64 * bid];
  cudaMemsetAsync(data + 64 * bid, 1, 256, 0);
}
KERNEL(wrong_global_race_parent_reads_what_a_fill_writes) {
  if (tid != 0) return;
  cudaMemsetAsync(data + 64 * bid, 1, 256, 0);  // here
  flag[bid] = data[64 * bid];                   // here
}
KERNEL(right_copy_of_what_the_block_stored) {
  int* const mine = data + 128 * bid;
  mine[tid] = gid;
  __syncthreads();
  if (tid == 0) cudaMemcpyAsync(mine + 64, mine, 256, cudaMemcpyDeviceToDevice, 0);
}
KERNEL(wrong_global_race_copy_of_what_other_threads_stored) {
  int* const mine = data + 128 * bid;
  mine[tid] = gid;                                                                   // here
  if (tid == 0) cudaMemcpyAsync(mine + 64, mine, 256, cudaMemcpyDeviceToDevice, 0);  // here
}
// Rows of 60 bytes of a matrix with rows of 256, a column of them for each block.
KERNEL(right_columns_copied_by_blocks) {
  if (tid != 0) return;
  cudaMemcpy2DAsync(data + 15 * bid, 256, flag + 1 + 15 * bid, 256, 60, 8, cudaMemcpyDeviceToDevice,
                    0);
  sums_up<<<1, 1>>>(data + 15 * bid, flag + 4000, 15);
}
CHILD(sums_up_a_column);
KERNEL(wrong_global_race_columns_filled_by_blocks_overlap) {
  if (tid != 0) return;
  cudaMemset2DAsync(data + 15 * bid, 256, bid + 1, 64, 8, 0);  // here
  sums_up_a_column<<<1, 1>>>(data + 15 * bid, flag + 4000, 16);
}
CHILD(sums_up_a_column) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += data[i];  // here
  atomicAdd(flag, sum);
}
