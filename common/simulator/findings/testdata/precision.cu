// Small kernels: those named wrong_KIND_… hold one mistake, in a line marked "here", that must be
// found and named; those named right_… look like one and must not be reported. Each is launched
// with 4 blocks of 64 threads, `data` and `flag` of 4096 zeros, and `raw`, 4096 ints nobody has
// written.
#include <cooperative_groups.h>
#include <cuda_awbarrier_primitives.h>
#include <cuda_pipeline.h>

#define KERNEL(name) extern "C" __global__ void name(int* data, int* flag, int* raw)
#define tid int(threadIdx.x)
#define bid int(blockIdx.x)
#define gid (bid * 64 + tid)

// Global memory, between blocks.
KERNEL(wrong_global_race_one_counter) {
  if (tid == 0) data[0] = data[0] + 1 + bid;  // here
}
KERNEL(right_one_counter_atomic) {
  if (tid == 0) atomicAdd(&data[0], 1 + bid);
}
KERNEL(wrong_global_race_neighbour_block) {
  data[gid] = gid + 1;                 // here
  flag[gid] = data[(gid + 64) % 256];  // here
}
KERNEL(right_own_elements) {
  data[gid] = gid + 1;
  flag[gid] = data[gid];
}
KERNEL(wrong_global_race_atomic_and_plain) {
  if (tid == 0) atomicAdd(&data[0], 1);  // here
  if (tid == 1) flag[gid] = data[0];     // here
}
KERNEL(right_atomic_and_atomic) {
  if (tid == 0) atomicAdd(&data[0], 1);
  if (tid == 1) flag[gid] = atomicAdd(&data[0], 0);
}
KERNEL(wrong_global_race_different_values) {
  data[7] = gid;  // here
}
KERNEL(right_same_value) { data[7] = 3; }
KERNEL(wrong_global_race_last_block_without_fence) {
  __shared__ bool last;
  if (tid == 0) {
    data[bid] = bid + 1;  // here
    last = atomicAdd(&flag[0], 1) == int(gridDim.x) - 1;
  }
  __syncthreads();
  if (last && tid < 4) flag[64 + tid] = data[tid];  // here
}
KERNEL(right_last_block) {
  __shared__ bool last;
  if (tid == 0) {
    data[bid] = bid + 1;
    __threadfence();
    last = atomicAdd(&flag[0], 1) == int(gridDim.x) - 1;
  }
  __syncthreads();
  if (last && tid < 4) flag[64 + tid] = data[tid];
  if (last && tid == 0) flag[0] = 0;
}
KERNEL(wrong_global_race_fence_of_the_block_only) {
  __shared__ bool last;
  if (tid == 0) {
    data[bid] = bid + 1;  // here
    __threadfence_block();
    last = atomicAdd(&flag[0], 1) == int(gridDim.x) - 1;
  }
  __syncthreads();
  if (last && tid < 4) flag[64 + tid] = data[tid];  // here
}
KERNEL(wrong_global_race_flag_without_fence) {
  volatile int* ready = flag;
  if (tid != 0) return;
  if (bid > 0) {
    while (ready[bid - 1] == 0) {
    }
    data[bid] = data[bid - 1] + 1;  // here
  } else {
    data[0] = 1;  // here
  }
  ready[bid] = 1;
}
KERNEL(right_flag_with_fence) {
  volatile int* ready = flag;
  if (tid != 0) return;
  if (bid > 0) {
    while (ready[bid - 1] == 0) {
    }
    __threadfence();
    data[bid] = data[bid - 1] + 1;
  } else {
    data[0] = 1;
  }
  __threadfence();
  ready[bid] = 1;
}
KERNEL(right_flag_and_value_in_one_word) {
  volatile int* state = flag;
  if (tid != 0) return;
  int before = 1;
  if (bid > 0) {
    while ((before = state[bid - 1]) == 0) {
    }
  }
  state[bid] = before + 1;
}
KERNEL(wrong_global_race_lock_without_fence) {
  if (tid != 0) return;
  while (atomicCAS(&flag[0], 0, 1) != 0) {
  }
  data[0] = data[0] + 1;  // here
  atomicExch(&flag[0], 0);
}
KERNEL(right_lock) {
  if (tid != 0) return;
  while (atomicCAS(&flag[0], 0, 1) != 0) {
  }
  __threadfence();
  data[0] = data[0] + 1;
  __threadfence();
  atomicExch(&flag[0], 0);
}
KERNEL(right_own_barrier_of_the_grid) {
  data[gid] = gid;
  __syncthreads();
  if (tid == 0) {
    __threadfence();
    atomicAdd(&flag[0], 1);
    while (atomicAdd(&flag[0], 0) < int(gridDim.x)) {
    }
    __threadfence();
  }
  __syncthreads();
  flag[64 + gid] = data[255 - gid];
}
KERNEL(wrong_global_race_barrier_of_the_grid_without_fence) {
  data[gid] = gid;  // here
  __syncthreads();
  if (tid == 0) {
    atomicAdd(&flag[0], 1);
    while (atomicAdd(&flag[0], 0) < int(gridDim.x)) {
    }
  }
  __syncthreads();
  flag[64 + gid] = data[255 - gid];  // here
}

// Global memory, within a block.
KERNEL(wrong_global_race_between_warps) {
  data[gid] = gid;                        // here
  flag[gid] = data[bid * 64 + 63 - tid];  // here
}
KERNEL(right_barrier_between_warps) {
  data[gid] = gid;
  __syncthreads();
  flag[gid] = data[bid * 64 + 63 - tid];
}
KERNEL(wrong_global_race_within_a_warp) {
  if (tid >= 32) return;
  data[gid] = gid;                        // here
  flag[gid] = data[bid * 64 + 31 - tid];  // here
}
KERNEL(right_syncwarp_within_a_warp) {
  if (tid >= 32) return;
  data[gid] = gid;
  __syncwarp();
  flag[gid] = data[bid * 64 + 31 - tid];
}
KERNEL(right_bytes_of_one_word) { reinterpret_cast<char*>(data)[gid] = 1; }
KERNEL(wrong_global_race_word_of_four_bytes) {
  reinterpret_cast<char*>(data)[gid] = char(tid);  // here
  if (gid < 64) flag[gid] = data[gid];             // here
}

// Shared memory.
KERNEL(wrong_shared_race_missing_barrier) {
  __shared__ int s[64];
  s[tid] = tid;             // here
  data[gid] = s[63 - tid];  // here
}
KERNEL(right_shared_barrier) {
  __shared__ int s[64];
  s[tid] = tid;
  __syncthreads();
  data[gid] = s[63 - tid];
}
KERNEL(wrong_shared_race_tile_overwritten) {
  __shared__ int s[64];
  int sum = 0;
  for (int i = 0; i < 3; ++i) {
    s[tid] = tid + i;  // here
    __syncthreads();
    sum += s[63 - tid];  // here
  }
  data[gid] = sum;
}
KERNEL(right_tile_with_two_barriers) {
  __shared__ int s[64];
  int sum = 0;
  for (int i = 0; i < 3; ++i) {
    s[tid] = tid + i;
    __syncthreads();
    sum += s[63 - tid];
    __syncthreads();
  }
  data[gid] = sum;
}
KERNEL(right_lock_in_shared_memory) {
  __shared__ int lock, count;
  if (tid == 0) lock = count = 0;
  __syncthreads();
  for (bool done = false; !done;) {
    if (atomicCAS(&lock, 0, 1) == 0) {
      __threadfence_block();
      count = count + 1;
      __threadfence_block();
      atomicExch(&lock, 0);
      done = true;
    }
  }
  __syncthreads();
  data[gid] = count;
}
KERNEL(wrong_shared_race_no_lock) {
  __shared__ int count;
  if (tid == 0) count = 0;
  __syncthreads();
  count = count + tid;  // here
  __syncthreads();
  data[gid] = count;
}
KERNEL(right_shared_atomic) {
  __shared__ int count;
  if (tid == 0) count = 0;
  __syncthreads();
  atomicAdd(&count, tid);
  __syncthreads();
  data[gid] = count;
}

// What nobody has written.
KERNEL(wrong_uninitialized_read_global) {
  data[gid] = raw[gid];  // here
}
KERNEL(right_written_before) {
  raw[gid] = gid;
  data[gid] = raw[gid];
}
KERNEL(wrong_uninitialized_read_atomic) {
  atomicAdd(&raw[1000], 1);  // here
}
KERNEL(wrong_uninitialized_read_shared) {
  __shared__ int s[64];
  if (tid > 0) s[tid] = tid;
  __syncthreads();
  data[gid] = s[tid];  // here
}
KERNEL(right_halo_filled) {
  __shared__ int s[66];
  s[tid + 1] = tid;
  if (tid == 0) s[0] = s[65] = 0;
  __syncthreads();
  data[gid] = s[tid] + s[tid + 2];
}
KERNEL(wrong_uninitialized_read_part_of_a_word) {
  reinterpret_cast<char*>(raw)[4 * (2000 + gid)] = 1;
  data[gid] = raw[2000 + gid];  // here
}
KERNEL(right_padding_read_with_a_byte) {
  reinterpret_cast<char*>(raw)[8 * gid] = 1;
  data[gid] = static_cast<char>(reinterpret_cast<volatile unsigned long long*>(raw)[gid]);
}
KERNEL(wrong_uninitialized_read_local) {
  int a[8];
  a[tid % 4] = 1;
  data[gid] = a[(tid + flag[0] + 4) % 8];  // here
}
__device__ __noinline__ bool gives(int n, int& value) {
  if (n < 32) return false;
  value = n;
  return true;
}
KERNEL(wrong_uninitialized_read_local_not_given) {
  int value;
  gives(tid, value);
  data[gid] = value;  // here
}
KERNEL(right_local_read_when_given) {
  int value;
  data[gid] = gives(tid, value) ? value : -1;
}
KERNEL(right_local_array) {
  int a[8];
  for (int i = 0; i < 8; ++i) a[i] = flag[i];
  data[gid] = a[(tid + flag[0] + 4) % 8];
}

// Barriers.
KERNEL(wrong_barrier_divergence_half_a_warp) {
  if (tid % 2 == 0) {
    __syncthreads();  // here
    data[gid] = 1;
  } else {
    __syncthreads();  // here
    data[gid] = 2;
  }
}
KERNEL(wrong_barrier_divergence_half_a_warp_stores_and_reads) {
  __shared__ int s[64];
  if (tid % 32 < 16) {
    s[tid] = tid;
    __syncthreads();  // here
    data[gid] = s[tid + 16];
  } else {
    s[tid] = -tid;
    __syncthreads();  // here
    data[gid] = s[tid - 16];
  }
}
KERNEL(right_barrier_behind_both_sides) {
  __shared__ int s[64];
  if (tid % 32 < 16) {
    s[tid] = tid;
  } else {
    s[tid] = -tid;
  }
  __syncthreads();
  data[gid] = s[tid ^ 16];
}
KERNEL(wrong_skipped_barrier_half_a_warp) {
  __shared__ int s[64];
  s[tid] = tid;
  if (tid < 16) __syncthreads();  // here
  data[gid] = s[tid ^ 16];
}
KERNEL(right_barrier_for_all) {
  __shared__ int s[64];
  s[tid] = tid;
  __syncthreads();
  data[gid] = s[tid ^ 16];
}
KERNEL(wrong_barrier_divergence_half_a_warp_is_a_barrier_behind) {
  __shared__ int s[64];
  s[tid] = tid;
  if (tid < 16) __syncthreads();  // here
  data[gid] = s[tid ^ 16];
  __syncthreads();  // here
  flag[gid] = s[tid ^ 1];
}
KERNEL(wrong_skipped_barrier_global_memory) {
  data[gid] = tid;
  if (tid < 16) __syncthreads();  // here
  flag[gid] = data[gid ^ 16];
}
KERNEL(wrong_skipped_barrier_others_read) {
  __shared__ int s[64];
  s[tid] = tid;
  if (tid < 16) {
    __syncthreads();  // here
    data[gid] = 1;
  } else {
    data[gid] = s[tid ^ 16];
  }
}
KERNEL(right_barrier_before_the_others_read) {
  __shared__ int s[64];
  s[tid] = tid;
  __syncthreads();
  if (tid < 16) {
    data[gid] = 1;
  } else {
    data[gid] = s[tid ^ 16];
  }
}
KERNEL(wrong_skipped_barrier_in_a_reduction) {
  __shared__ int s[64];
  s[tid] = tid;
  for (int stride = 32; stride > 0; stride /= 2) {
    if (tid < stride) {
      __syncthreads();  // here
      s[tid] += s[tid + stride];
    }
  }
  data[gid] = s[0];
}
KERNEL(right_reduction) {
  __shared__ int s[64];
  s[tid] = tid;
  for (int stride = 32; stride > 0; stride /= 2) {
    __syncthreads();
    if (tid < stride) s[tid] += s[tid + stride];
  }
  __syncthreads();
  data[gid] = s[0];
}
KERNEL(right_barrier_after_exit) {
  if (tid >= 32) return;
  __syncthreads();
  data[gid] = 1;
}
KERNEL(right_barrier_by_condition_of_the_block) {
  if (bid % 2 == 0) __syncthreads();
  data[gid] = 1;
}
KERNEL(wrong_skipped_barrier_in_condition) {
  __shared__ int s[64];
  s[tid] = tid;
  if (tid < 32) {
    __syncthreads();  // here
    data[gid] = s[tid];
  }
  flag[gid] = tid;
}
KERNEL(right_return_before_barrier) {
  __shared__ int s[64];
  if (tid >= 40) return;
  s[tid] = tid;
  __syncthreads();
  if (tid < 20) data[gid] = s[39 - tid];
  flag[gid] = tid;
}
KERNEL(wrong_skipped_barrier_ragged_loop) {
  __shared__ int s[64];
  int sum = 0;
  for (int i = tid; i < 100; i += 64) {
    s[tid] = i;
    __syncthreads();  // here
    sum += s[tid];
  }
  data[gid] = sum;
}
KERNEL(right_loop_of_equal_rounds) {
  __shared__ int s[64];
  int sum = 0;
  for (int i = 0; i < 100; i += 64) {
    s[tid] = i + tid < 100 ? i + tid : 0;
    __syncthreads();
    sum += s[63 - tid];
    __syncthreads();
  }
  data[gid] = sum;
}
KERNEL(right_return_within_a_loop_of_barriers) {
  __shared__ int s[64];
  for (int round = 0; round < 4; ++round) {
    if (tid >= 64 - 8 * round) return;
    for (int i = 0; i <= flag[0]; ++i) {
      s[tid] = i;
      __syncthreads();
    }
    data[gid] = s[tid];
  }
}
KERNEL(wrong_barrier_divergence_half_a_warp_hangs) {
  if (tid < 16) {
    __syncwarp(0xffffffff);  // here
    data[gid] = 1;
  }
  __syncthreads();  // here
  flag[gid] = 1;
}
KERNEL(wrong_barrier_divergence_too_few_for_a_named_barrier) {
  if (tid < 32) asm volatile("bar.sync 1, 96;" ::: "memory");  // here
  data[gid] = tid;
}
KERNEL(right_producer_and_consumer) {
  __shared__ int s[32];
  if (tid < 32) {
    s[tid] = tid;
    asm volatile("bar.arrive 1, 64;" ::: "memory");
  } else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    data[gid] = s[63 - tid];
  }
}
KERNEL(right_teams_of_warps_at_barriers_of_their_own) {
  const int team = tid / 32;
  for (int i = 0; i < team * 20; ++i) asm volatile("bar.sync 3, 32;" ::: "memory");
  for (int i = 0; i < 5; ++i) {
    if (flag[i] == 0) asm volatile("bar.sync %0, 32;" ::"r"(1 + team) : "memory");
    data[gid] = i;
  }
}
KERNEL(wrong_shared_race_consumer_does_not_wait) {
  __shared__ int s[32];
  if (tid < 32) {
    s[tid] = tid;  // here
    asm volatile("bar.arrive 1, 64;" ::: "memory");
  } else {
    data[gid] = s[63 - tid];  // here
    asm volatile("bar.sync 1, 64;" ::: "memory");
  }
}

// An mbarrier.
KERNEL(wrong_shared_race_mbarrier_not_waited_for) {
  __shared__ int s[64];
  __shared__ __mbarrier_t filled;
  if (tid == 0) __mbarrier_init(&filled, 64);
  __syncthreads();
  s[tid] = tid;  // here
  const __mbarrier_token_t token = __mbarrier_arrive(&filled);
  if (tid >= 32) data[gid] = s[63 - tid];  // here
  while (!__mbarrier_test_wait(&filled, token)) {
  }
}
KERNEL(right_mbarrier) {
  __shared__ int s[64];
  __shared__ __mbarrier_t filled;
  if (tid == 0) __mbarrier_init(&filled, 64);
  __syncthreads();
  s[tid] = tid;
  const __mbarrier_token_t token = __mbarrier_arrive(&filled);
  if (tid < 32) return;
  while (!__mbarrier_test_wait(&filled, token)) {
  }
  data[gid] = s[63 - tid];
}

// Warp operations.
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

// Blocks that wait for blocks.
KERNEL(right_look_back) {
  volatile int* state = flag;        // 1: the block's own sum, 2: of all up to it
  volatile int* sums = data + 1024;  // of blocks
  volatile int* totals = data + 2048;
  if (tid == 0) {
    sums[bid] = bid + 1;
    __threadfence();
    state[bid] = 1;
    int before = 0;
    for (int other = bid - 1; other >= 0;) {
      const int is = state[other];
      __threadfence();
      if (is == 2) {
        before += totals[other];
        break;
      }
      if (is == 1) before += sums[other--];
    }
    totals[bid] = before + bid + 1;
    __threadfence();
    state[bid] = 2;
    data[bid] = before;
  }
}
KERNEL(wrong_global_race_look_back_without_fence) {
  volatile int* state = flag;
  if (tid == 0) {
    if (bid > 0) {
      while (state[bid - 1] == 0) {
      }
    }
    const int before = bid > 0 ? data[bid - 1] : 0;  // here
    data[bid] = before + 1;                          // here
    state[bid] = 1;
  }
}
KERNEL(right_release_and_acquire) {
  if (tid != 0) return;
  if (bid == 0) {
    data[0] = 7;
    asm volatile("st.release.gpu.global.s32 [%0], 1;" ::"l"(flag) : "memory");
  } else {
    int seen = 0;
    do {
      asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
    } while (seen == 0);
    flag[64 + bid] = data[0];
  }
}
KERNEL(wrong_global_race_relaxed_flag) {
  if (tid != 0) return;
  if (bid == 0) {
    data[0] = 7;  // here
    asm volatile("st.relaxed.gpu.global.s32 [%0], 1;" ::"l"(flag) : "memory");
  } else {
    int seen = 0;
    do {
      asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
    } while (seen == 0);
    flag[64 + bid] = data[0];  // here
  }
}
KERNEL(right_grid_sync) {
  data[gid] = gid;
  cooperative_groups::this_grid().sync();
  flag[gid] = data[255 - gid];
}
KERNEL(right_coalesced_counter) {
  if (tid % 3 == 0) {
    const auto here = cooperative_groups::coalesced_threads();
    int first = 0;
    if (here.thread_rank() == 0) first = atomicAdd(&flag[0], int(here.size()));
    data[here.shfl(first, 0) + int(here.thread_rank())] = gid;
  }
}

// Bounds.
__device__ void put(int* where, int at, int value);
__constant__ int table[16] = {1, 2, 3};
KERNEL(wrong_out_of_bounds_one_past_the_end) {
  data[4096 - 255 + gid] = 1;  // here
}
KERNEL(right_up_to_the_end) { data[4096 - 256 + gid] = 1; }
KERNEL(wrong_out_of_bounds_one_byte_before) {
  if (gid == 0) reinterpret_cast<char*>(data)[-1 + flag[0]] = 1;  // here
}
KERNEL(wrong_out_of_bounds_shared) {
  __shared__ int s[64], other[64];
  other[tid] = s[tid] = tid;
  __syncthreads();
  data[gid] = s[tid + 1 + flag[0]] + other[0];  // here
}
KERNEL(wrong_out_of_bounds_local) {
  int a[8];
  for (int i = 0; i < 8; ++i) a[i] = flag[i];
  data[gid] = a[tid + flag[0]];  // here
}
KERNEL(wrong_out_of_bounds_constant) {
  data[gid] = table[tid % 17 + flag[0]];  // here
}
KERNEL(right_constant) { data[gid] = table[tid % 16 + flag[0]]; }
KERNEL(wrong_misaligned_pair) {
  data[gid] = int(*reinterpret_cast<long long*>(flag + 1 + flag[0]));  // here
}
KERNEL(wrong_host_pointer_constant) {
  data[gid] = *reinterpret_cast<int*>(0x7fff00001000 + flag[0]);  // here
}
KERNEL(wrong_use_after_free_of_the_heap) {
  int* own = static_cast<int*>(malloc(64));
  own[0] = tid;
  free(own);
  data[gid] = own[flag[0]];  // here
}
KERNEL(right_heap) {
  int* own = static_cast<int*>(malloc(64));
  if (own == nullptr) return;
  own[15] = tid;
  data[gid] = own[15 - flag[0]];
  free(own);
}
KERNEL(wrong_double_free_in_a_kernel) {
  int* own = static_cast<int*>(malloc(64));
  free(own);
  if (own != nullptr && flag[0] == 0) free(own);  // here
}
KERNEL(wrong_misaligned_shared) {
  __shared__ alignas(8) int s[66];
  s[tid] = s[tid + 2] = 0;
  __syncthreads();
  data[gid] = int(*reinterpret_cast<long long*>(&s[1 + flag[0]]));  // here
}
KERNEL(wrong_out_of_bounds_atomic) {
  atomicAdd(&data[4096 + flag[0]], 1);  // here
}
KERNEL(wrong_out_of_bounds_in_a_called_function) { put(data, 4095 + tid, 1); }
__device__ __noinline__ void put(int* where, int at, int value) {
  where[at] = value;  // here
}
KERNEL(wrong_out_of_bounds_null) {
  int* none = reinterpret_cast<int*>(static_cast<long long>(flag[0]));
  none[tid] = 1;  // here
}

// Handing over between warps and lanes.
KERNEL(right_warp_synchronous_with_syncwarp) {
  __shared__ int s[64];
  s[tid] = tid;
  __syncwarp();
  for (int d = 16; d > 0; d /= 2) {
    const int other = tid % 32 < d ? s[tid + d] : 0;
    __syncwarp();
    s[tid] += other;
    __syncwarp();
  }
  if (tid % 32 == 0) data[gid] = s[tid];
}
KERNEL(wrong_shared_race_warp_synchronous) {
  __shared__ volatile int s[64];
  s[tid] = tid;  // here
  for (int d = 16; d > 0; d /= 2) {
    if (tid % 32 < d) s[tid] = s[tid] + s[tid + d];  // here
  }
  if (tid % 32 == 0) data[gid] = s[tid];
}
KERNEL(right_flag_between_warps) {
  __shared__ int value;
  __shared__ volatile int ready;
  if (tid == 0) ready = 0;
  __syncthreads();
  if (tid == 0) {
    value = flag[5];
    __threadfence_block();
    ready = 1;
  }
  if (tid == 32) {
    while (ready == 0) {
    }
    __threadfence_block();
    data[gid] = value;
  }
}
KERNEL(wrong_shared_race_flag_between_warps_without_fence) {
  __shared__ int value;
  __shared__ volatile int ready;
  if (tid == 0) ready = 0;
  __syncthreads();
  if (tid == 0) {
    value = flag[5];  // here
    ready = 1;
  }
  if (tid == 32) {
    while (ready == 0) {
    }
    data[gid] = value;  // here
  }
}
KERNEL(wrong_shared_race_atomic_and_plain) {
  __shared__ int count;
  if (tid == 0) count = 0;
  __syncthreads();
  if (tid < 32) atomicAdd(&count, 1);  // here
  if (tid == 40) count = 5;            // here
}
KERNEL(right_two_locks_taken_in_turn) {
  for (int i = 0; i < 2; ++i) {
    if (tid != 0) continue;
    while (atomicCAS(&flag[i], 0, 1) != 0) {
    }
    __threadfence();
    data[i] = data[i] + bid;
    __threadfence();
    atomicExch(&flag[i], 0);
  }
}
KERNEL(right_ticket_and_turn) {
  if (tid != 0) return;
  volatile int* turn = &flag[1];
  const int ticket = atomicAdd(&flag[0], 1);
  while (*turn != ticket) {
  }
  __threadfence();
  data[0] = data[0] * 2 + 1;
  __threadfence();
  *turn = ticket + 1;
}
KERNEL(right_named_barrier_between_two_warps) {
  __shared__ int s[64];
  s[tid] = tid;
  asm volatile("barrier.sync 2, 64;" ::: "memory");
  data[gid] = s[63 - tid];
}
KERNEL(right_result_of_a_barrier) {
  __shared__ int s[64];
  s[tid] = tid;
  if (__syncthreads_or(s[tid] == 5)) data[gid] = s[63 - tid];
}
KERNEL(right_tree_of_blocks_by_tickets) {
  __shared__ int place;
  if (tid == 0) {
    data[64 + bid] = bid;
    __threadfence();
    place = atomicInc(reinterpret_cast<unsigned*>(&flag[0]), 3);
  }
  __syncthreads();
  if (place == 3 && tid == 0) {
    int sum = 0;
    for (int i = 0; i < 4; ++i) sum += data[64 + i];
    data[0] = sum;
  }
}

// Asynchronous copies.
KERNEL(wrong_shared_race_copy_not_waited_for) {
  __shared__ int s[64];
  __pipeline_memcpy_async(&s[tid], &flag[tid], 4);  // here
  __pipeline_commit();
  data[gid] = s[tid];  // here
  __pipeline_wait_prior(0);
}
KERNEL(right_copy_waited_for) {
  __shared__ int s[64];
  __pipeline_memcpy_async(&s[tid], &flag[tid], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  data[gid] = s[tid];
}
KERNEL(wrong_shared_race_copy_without_barrier) {
  __shared__ int s[64];
  __pipeline_memcpy_async(&s[tid], &flag[tid], 4);  // here
  __pipeline_commit();
  __pipeline_wait_prior(0);
  data[gid] = s[tid ^ 32];  // here
}
KERNEL(right_copy_with_barrier) {
  __shared__ int s[64];
  __pipeline_memcpy_async(&s[tid], &flag[tid], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  data[gid] = s[tid ^ 32];
}
KERNEL(wrong_shared_race_copy_of_the_later_group) {
  __shared__ int s[2][64];
  __pipeline_memcpy_async(&s[0][tid], &flag[tid], 4);
  __pipeline_commit();
  __pipeline_memcpy_async(&s[1][tid], &flag[64 + tid], 4);  // here
  __pipeline_commit();
  __pipeline_wait_prior(1);
  __syncthreads();
  data[gid] = s[0][tid ^ 32] + s[1][tid ^ 32];  // here
}
KERNEL(right_two_buffers) {
  __shared__ int s[2][64];
  int sum = 0;
  __pipeline_memcpy_async(&s[0][tid], &flag[tid], 4);
  __pipeline_commit();
  for (int i = 1; i <= 8; ++i) {
    if (i < 8) __pipeline_memcpy_async(&s[i % 2][tid], &flag[i * 64 + tid], 4);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    sum += s[(i - 1) % 2][tid ^ 32];
    __syncthreads();
  }
  data[gid] = sum;
}
KERNEL(wrong_shared_race_buffer_filled_too_early) {
  __shared__ int s[2][64];
  int sum = 0;
  __pipeline_memcpy_async(&s[0][tid], &flag[tid], 4);
  __pipeline_commit();
  for (int i = 1; i <= 8; ++i) {
    if (i < 8) __pipeline_memcpy_async(&s[i % 2][tid], &flag[i * 64 + tid], 4);  // here
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    sum += s[(i - 1) % 2][tid ^ 32];  // here
  }
  data[gid] = sum;
}
