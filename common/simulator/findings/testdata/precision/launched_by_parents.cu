// Kernels that launch kernels: what a parent does, and what its children find of it.
#include "precision.h"

#define CHILD(name) __global__ void name(int* data, int* flag, int n)

// What the launching thread has stored, and the others of its block before a barrier.
CHILD(doubles) { data[tid] = 2 * data[tid]; }
KERNEL(right_parent_stores_and_launches) {
  int* const mine = data + 64 * bid;
  mine[tid] = gid;
  __syncthreads();
  if (tid == 0) doubles<<<1, 64>>>(mine, flag, 0);
}
CHILD(reads_what_others_store);
KERNEL(wrong_global_race_launches_without_a_barrier) {
  int* const mine = data + 64 * bid;
  mine[tid] = gid;
  if (tid == 0) reads_what_others_store<<<1, 64>>>(mine, flag, 0);
}
CHILD(reads_what_others_store) {
  flag[tid] = data[tid];  // here
}
// Each thread stores for the children that it launches itself.
CHILD(adds_up) { atomicAdd(flag, data[0] + data[1]); }
KERNEL(right_each_thread_launches_with_what_it_stored) {
  if (tid >= 8) return;
  data[2 * gid] = gid;
  data[2 * gid + 1] = 1;
  adds_up<<<1, 1>>>(data + 2 * gid, flag, 0);
}
CHILD(adds_two);
KERNEL(wrong_global_race_launches_with_what_the_neighbour_stored) {
  if (tid >= 8) return;
  data[gid] = gid;
  if (tid % 2 == 0) adds_two<<<1, 1>>>(data + gid, flag, 0);
}
CHILD(adds_two) {
  atomicAdd(flag, data[0] + data[1]);  // here
}
// The lanes of a warp are in order behind __syncwarp() only.
KERNEL(right_warp_stores_and_one_lane_launches) {
  int* const mine = data + 64 * bid;
  mine[tid] = gid;
  __syncwarp();
  if (tid % 32 == 0) doubles<<<1, 32>>>(mine + tid, flag, 0);
}
CHILD(sums_of_a_warp);
KERNEL(wrong_global_race_warp_stores_and_one_lane_launches) {
  int* const mine = data + 64 * bid;
  mine[tid] = gid;
  if (tid % 32 == 0) sums_of_a_warp<<<1, 32>>>(mine + tid, flag, 0);
}
CHILD(sums_of_a_warp) {
  atomicAdd(flag, data[tid]);  // here
}

// What lanes have read, a child may overwrite, once a shuffle has handed it on.
KERNEL(right_child_overwrites_what_a_warp_has_shuffled) {
  int* const mine = data + 64 * bid;
  mine[tid] = gid;
  __syncthreads();
  const int pivot = __reduce_max_sync(~0u, mine[tid]);
  if (tid == 0) doubles<<<1, 32>>>(mine, flag, pivot);
}
CHILD(overwrites);
KERNEL(wrong_global_race_child_overwrites_what_another_warp_reads) {
  int* const mine = data + 64 * bid;
  mine[tid] = gid;
  __syncthreads();
  raw[gid] = mine[63 - tid];
  if (tid == 0) overwrites<<<1, 64>>>(mine, flag, 0);
}
CHILD(overwrites) {
  data[tid] = 0;  // here
}

// What the parent does behind the launch.
KERNEL(right_parent_goes_on_elsewhere) {
  int* const mine = data + 128 * bid;
  mine[tid] = gid;
  __syncthreads();
  if (tid == 0) doubles<<<1, 64>>>(mine, flag, 0);
  mine[64 + tid] = 3;
}
CHILD(copies);
KERNEL(wrong_global_race_parent_overwrites_what_the_child_reads) {
  if (tid != 0) return;
  data[bid] = 5;
  copies<<<1, 1>>>(data + bid, flag + bid, 0);
  data[bid] = 6;
}
CHILD(copies) {
  flag[0] = data[0];  // here
}
CHILD(squares);
KERNEL(wrong_global_race_parent_reads_results) {
  if (tid != 0) return;
  data[bid] = bid;
  squares<<<1, 1>>>(data + bid, flag, 0);
  __threadfence();
  raw[bid] = data[bid];
}
CHILD(squares) {
  data[0] = data[0] * data[0];  // here
}
CHILD(waits_for_nobody);
KERNEL(wrong_global_race_barrier_behind_the_launch) {
  if (tid == 0) waits_for_nobody<<<1, 64>>>(data + 64 * bid, flag, 0);
  __syncthreads();
  raw[gid] = data[gid];
}
CHILD(waits_for_nobody) {
  data[tid] = tid;  // here
}
CHILD(adds_round);
KERNEL(wrong_global_race_parent_goes_on_to_the_next_round) {
  int* const mine = data + 64 * bid;
  for (int round = 0; round < 2; ++round) {
    mine[tid] = round;
    __syncthreads();
    if (tid == 0) adds_round<<<1, 64>>>(mine, flag, round);
  }
}
CHILD(adds_round) {
  atomicAdd(flag, data[tid] * n);  // here
}
KERNEL(right_each_round_has_its_own_buffer) {
  for (int round = 0; round < 2; ++round) {
    int* const mine = data + 128 * bid + 64 * round;
    mine[tid] = round;
    __syncthreads();
    if (tid == 0) doubles<<<1, 64>>>(mine, flag, round);
  }
}

// Other blocks of the parent.
CHILD(sums_all) { atomicAdd(flag, data[gid]); }
KERNEL(right_last_block_launches) {
  data[gid] = gid;
  __syncthreads();
  if (tid != 0) return;
  __threadfence();
  if (atomicAdd(flag, 1) == 3) sums_all<<<4, 64>>>(data, flag + 1, 0);
}
CHILD(sums_too_early);
KERNEL(wrong_global_race_last_block_has_no_fence) {
  data[gid] = gid;
  __syncthreads();
  if (tid != 0) return;
  if (atomicAdd(flag, 1) == 3) sums_too_early<<<4, 64>>>(data, flag + 1, 0);
}
CHILD(sums_too_early) {
  atomicAdd(flag, data[gid]);  // here
}
CHILD(sums_of_all_blocks);
KERNEL(wrong_global_race_first_block_launches_for_all) {
  data[gid] = gid;
  __syncthreads();
  if (gid == 0) sums_of_all_blocks<<<4, 64>>>(data, flag, 0);
}
CHILD(sums_of_all_blocks) {
  atomicAdd(flag, data[gid]);  // here
}

// A tail launch comes when the whole grid has ended, and all that it launched.
KERNEL(right_tail_launch_finds_all_blocks) {
  if (gid == 0) sums_all<<<4, 64, 0, cudaStreamTailLaunch>>>(data, flag, 0);
  data[gid] = gid;
}
KERNEL(right_tail_launch_finds_what_children_did) {
  int* const mine = data + 64 * bid;
  mine[tid] = gid;
  __syncthreads();
  if (tid == 0) doubles<<<1, 64, 0, bid % 2 == 0 ? cudaStreamFireAndForget : 0>>>(mine, flag, 0);
  if (gid == 0) sums_all<<<4, 64, 0, cudaStreamTailLaunch>>>(data, flag, 0);
}
// Steps of a loop, each in a grid of its own.
CHILD(relaxes) {
  data[64 * (1 - n % 2) + tid] =
      data[64 * (n % 2) + (tid + 1) % 64] + data[64 * (n % 2) + (tid + 63) % 64];
}
CHILD(steps) {
  relaxes<<<1, 64>>>(data, flag, n);
  if (n < 3) steps<<<1, 1, 0, cudaStreamTailLaunch>>>(data, flag, n + 1);
}
KERNEL(right_loop_of_tail_launches) {
  if (gid == 0) steps<<<1, 1, 0, cudaStreamTailLaunch>>>(data, flag, 0);
  if (gid < 64) data[gid] = gid;
}
CHILD(relaxes_beside);
CHILD(steps_beside);
KERNEL(wrong_global_race_loop_of_children_that_do_not_wait) {
  if (gid == 0) steps_beside<<<1, 1, 0, cudaStreamTailLaunch>>>(data, flag, 0);
  if (gid < 64) data[gid] = gid;
}
CHILD(steps_beside) {
  relaxes_beside<<<1, 64>>>(data, flag, n);
  if (n < 3) steps_beside<<<1, 1, 0, cudaStreamFireAndForget>>>(data, flag, n + 1);
}
CHILD(relaxes_beside) {
  const int left = data[64 * (n % 2) + (tid + 63) % 64];  // here
  data[64 * (1 - n % 2) + tid] = left + 1;                // here
}

// What a grid finds of its parent's parent, and of what that had found.
CHILD(reads_all) { atomicAdd(flag, data[tid]); }
CHILD(passes_on) {
  if (tid == 0) reads_all<<<1, 64>>>(data, flag, 0);
}
KERNEL(right_grandchild_reads_what_was_stored_first) {
  int* const mine = data + 64 * bid;
  mine[tid] = gid;
  __syncthreads();
  if (tid == 0) passes_on<<<1, 32>>>(mine, flag, 0);
}
CHILD(reads_late);
CHILD(passes_on_late) {
  if (tid == 0) reads_late<<<1, 64>>>(data, flag, 0);
}
KERNEL(wrong_global_race_grandparent_stores_behind_the_launch) {
  int* const mine = data + 64 * bid;
  if (tid == 0) passes_on_late<<<1, 32>>>(mine, flag, 0);
  mine[tid] = gid;
}
CHILD(reads_late) {
  atomicAdd(flag, data[tid]);  // here
}
// The read-only cache holds nothing from before a grid began.
__global__ void reads_constants(const int* __restrict__ from, int* __restrict__ to) {
  to[tid] = __ldg(from + tid);
}
KERNEL(right_child_reads_by_the_read_only_cache) {
  int* const mine = data + 64 * bid;
  mine[tid] = gid;
  __syncthreads();
  if (tid == 0) reads_constants<<<1, 64>>>(mine, flag + 64 * bid);
}
// Memory of the heap goes from grid to grid.
CHILD(uses_the_heap) {
  int* const mine = static_cast<int*>(malloc(64));
  if (mine == nullptr) return;
  mine[tid] = n;
  data[tid] = mine[tid];
  free(mine);
}
KERNEL(right_heap_memory_is_used_again) {
  int* const mine = tid > 1 ? nullptr : static_cast<int*>(malloc(64));
  if (mine == nullptr) return;
  mine[0] = gid;
  uses_the_heap<<<1, 2>>>(data + 8 * gid, flag, mine[0]);
  free(mine);
}
