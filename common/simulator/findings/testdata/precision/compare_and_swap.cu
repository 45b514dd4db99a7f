// What a compare-and-swap hands on: all that was released before, when it stores; nothing when it finds
// another value.
#include "precision.h"

KERNEL(wrong_global_race_a_failed_swap_hands_nothing_on) {
  if (tid != 0) return;
  if (bid == 0) {
    data[0] = 1;  // here
    __threadfence();
    atomicCAS(flag, 7, 1);  // finds 0
  }
  if (bid == 1) {
    atomicAdd(flag, 0);
    __threadfence();
    flag[64] = data[0];  // here
  }
}
KERNEL(wrong_global_race_a_failed_swap_beside_one_that_stores) {
  if (tid % 32 != 0) return;
  if (bid == 0) {
    data[tid] = 1;  // here
    __threadfence();
    atomicCAS(flag, tid == 0 ? 0 : 7, 1);  // the second warp finds another value
  }
  if (bid == 1 && tid == 0) {
    while (atomicAdd(flag, 0) != 1) {
    }
    __threadfence();
    flag[64] = data[32];  // here
  }
}
KERNEL(right_a_swap_that_stores_hands_on) {
  if (tid != 0) return;
  if (bid == 0) {
    data[0] = 1;
    __threadfence();
    atomicCAS(flag, 0, 1);
  }
  if (bid == 1) {
    while (atomicCAS(flag, 1, 2) != 1) {
    }
    __threadfence();
    flag[64] = data[0];
  }
}
KERNEL(right_a_failed_swap_learns_what_it_finds) {
  if (tid != 0) return;
  if (bid == 0) {
    data[0] = 1;
    __threadfence();
    atomicExch(flag, 1);
  }
  if (bid == 1) {
    while (atomicCAS(flag, 0, 0) == 0) {  // fails when the flag is there
    }
    __threadfence();
    flag[64] = data[0];
  }
}
KERNEL(right_lanes_of_one_swap_store_one_after_the_other) {
  // Lane 0 finds 0, lane 1 what lane 0 stored.
  if (tid >= 2) return;
  if (bid == 0) {
    data[tid] = 1;
    __threadfence();
    while (atomicCAS(flag, tid, tid + 1) != tid) {
    }
  }
  if (bid == 1 && tid == 0) {
    while (atomicAdd(flag, 0) != 2) {
    }
    __threadfence();
    flag[64] = data[0] + data[1];
  }
}
KERNEL(wrong_shared_race_a_failed_swap_hands_nothing_on) {
  __shared__ int s, ready;
  if (tid == 0) s = ready = 0;
  __syncthreads();
  if (tid == 0) {
    s = 1;  // here
    __threadfence_block();
    atomicCAS(&ready, 7, 1);
  }
  if (tid == 32) {
    atomicAdd(&ready, 0);
    __threadfence_block();
    data[gid] = s;  // here
  }
}
KERNEL(right_many_threads_spin_on_two_locks) {
  for (int turn = 0; turn < 2; ++turn) {
    int* const lock = &flag[(tid + turn) % 2];
    for (bool done = false; !done;) {
      if (atomicCAS(lock, 0, 1) == 0) {
        __threadfence();
        volatile int* const sum = &data[(tid + turn) % 2];
        *sum = *sum + 1;
        __threadfence();
        atomicExch(lock, 0);
        done = true;
      }
    }
  }
}
