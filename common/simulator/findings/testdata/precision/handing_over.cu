// Handing over between warps and lanes, by flags and by an mbarrier.
#include <cuda_awbarrier_primitives.h>

#include "precision.h"

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

// A lock of the whole grid, taken by one thread of each block.
KERNEL(right_lock_with_fences) {
  if (tid == 0) {
    while (atomicCAS(&flag[0], 0, 1) != 0) {
    }
    __threadfence();
    data[0] = data[0] + 1;
    __threadfence();
    atomicExch(&flag[0], 0);
  }
}
KERNEL(wrong_global_race_lock_without_fences) {
  if (tid == 0) {
    while (atomicCAS(&flag[0], 0, 1) != 0) {
    }
    data[0] = data[0] + 1;  // here
    atomicExch(&flag[0], 0);
  }
}
KERNEL(right_lock_of_the_block_with_fences) {
  __shared__ int lock, sum;
  if (tid == 0) lock = sum = 0;
  __syncthreads();
  if (tid % 32 == 0) {
    while (atomicCAS(&lock, 0, 1) != 0) {
    }
    __threadfence_block();
    sum = sum + tid;
    __threadfence_block();
    atomicExch(&lock, 0);
  }
  __syncthreads();
  data[gid] = sum;
}
