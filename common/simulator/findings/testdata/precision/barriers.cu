// Barriers.
#include "precision.h"

KERNEL(wrong_invalid_instruction_barrier_of_a_part_of_a_warp) {
  data[gid] = gid;
  asm volatile("bar.sync 1, 33;" ::: "memory");  // here
  flag[gid] = data[bid * 64 + 63 - tid];
}
KERNEL(right_barrier_of_a_number_of_threads) {
  data[gid] = gid;
  asm volatile("bar.sync 1, 64;" ::: "memory");
  flag[gid] = data[bid * 64 + 63 - tid];
}
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
  flag[gid] = 1;
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
KERNEL(wrong_skipped_barrier_with_another_behind_it) {
  __shared__ int s[64];
  if (tid < 32) {
    s[tid] = tid;
    __syncthreads();  // here
    if (tid < 16) data[gid] = s[tid + 16];
    __syncthreads();  // here
    s[tid] = 1;
  }
  flag[gid] = tid;
}
KERNEL(wrong_skipped_barrier_in_the_last_round) {
  __shared__ int s[64];
  int sum = 0;
#pragma unroll 1
  for (int first = 0; first < 96; first += 64) {
    if (first + tid >= 96) continue;
    s[tid] = first;
    __syncthreads();  // here
    if (tid % 2 == 0) sum += s[tid + 1];
    __syncthreads();  // here
    data[gid] = sum;
  }
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

// What a warp has learnt at one barrier it passes on when it arrives at another.
KERNEL(right_shared_handed_on_by_a_warp_that_only_arrives_in_4_warps) {
  __shared__ int s[32];
  if (tid < 32) {
    s[tid] = tid;
    asm volatile("bar.arrive 1, 64;" ::: "memory");
  } else if (tid < 64) {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    asm volatile("bar.arrive 2, 64;" ::: "memory");
  } else if (tid < 96) {
    asm volatile("bar.sync 2, 64;" ::: "memory");
    data[gid] = s[95 - tid];
  }
}
KERNEL(right_shared_handed_on_behind_a_barrier_of_all_in_4_warps) {
  __shared__ int s[128];
  s[tid] = tid;
  __syncthreads();
  if (tid < 32) {
    s[tid] = s[127 - tid];
    asm volatile("bar.arrive 1, 64;" ::: "memory");
  } else if (tid < 64) {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    data[gid] = s[63 - tid] + s[127 - tid];
  }
}
KERNEL(right_ring_of_two_buffers_with_arrivals_in_4_warps) {
  __shared__ int s[2][32];
  for (int round = 0; round < 6; ++round) {
    const int full = 1 + round % 2, empty = 3 + round % 2;
    if (tid < 32) {
      if (round >= 2) asm volatile("bar.sync %0, 96;" ::"r"(empty) : "memory");
      s[round % 2][tid] = round;
      asm volatile("bar.arrive %0, 96;" ::"r"(full) : "memory");
    } else if (tid < 96) {
      asm volatile("bar.sync %0, 96;" ::"r"(full) : "memory");
      data[gid] = s[round % 2][(tid + 1) % 32];
      if (round < 4) asm volatile("bar.arrive %0, 96;" ::"r"(empty) : "memory");
    }
  }
}
KERNEL(wrong_shared_race_arrives_before_it_has_waited_in_4_warps) {
  __shared__ int s[32];
  if (tid < 32) {
    s[tid] = tid;  // here
    asm volatile("bar.arrive 1, 64;" ::: "memory");
  } else if (tid < 64) {
    asm volatile("bar.arrive 2, 64;" ::: "memory");
    asm volatile("bar.sync 1, 64;" ::: "memory");
  } else if (tid < 96) {
    asm volatile("bar.sync 2, 64;" ::: "memory");
    data[gid] = s[95 - tid];  // here
  }
}
KERNEL(wrong_shared_race_writes_after_it_has_arrived_in_4_warps) {
  __shared__ int s[32];
  if (tid < 32) {
    s[tid] = tid;
    asm volatile("bar.arrive 1, 64;" ::: "memory");
    s[tid] = -tid;  // here
  } else if (tid < 64) {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    data[gid] = s[63 - tid];  // here
  }
}
KERNEL(wrong_shared_race_buffer_refilled_before_waiting_in_4_warps) {
  __shared__ int s[2][32];
  for (int round = 0; round < 6; ++round) {
    const int full = 1 + round % 2, empty = 3 + round % 2;
    if (tid < 32) {
      s[round % 2][tid] = round;  // here
      if (round >= 2) asm volatile("bar.sync %0, 96;" ::"r"(empty) : "memory");
      asm volatile("bar.arrive %0, 96;" ::"r"(full) : "memory");
    } else if (tid < 96) {
      asm volatile("bar.sync %0, 96;" ::"r"(full) : "memory");
      data[gid] = s[round % 2][(tid + 1) % 32];  // here
      if (round < 4) asm volatile("bar.arrive %0, 96;" ::"r"(empty) : "memory");
    }
  }
}
