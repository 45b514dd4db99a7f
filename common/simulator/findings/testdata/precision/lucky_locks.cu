// Locks, semaphores and claims that do not exclude, or not all. Where each thread goes through in one go, the
// next one finds all that it has released: only a thread that stops between two steps shows the mistake.
#include <cuda/atomic>
#include <cuda/semaphore>

#include "precision.h"

// One thread of each block.
KERNEL(wrong_global_race_lock_asked_once) {
  if (tid != 0) return;
  atomicCAS(&flag[0], 0, 1);
  __threadfence();
  data[0] = data[0] + 1;  // here
  __threadfence();
  atomicExch(&flag[0], 0);
}
KERNEL(right_lock_asked_until_it_is_free) {
  if (tid != 0) return;
  while (atomicCAS(&flag[0], 0, 1) != 0) {
  }
  __threadfence();
  data[0] = data[0] + 1;
  __threadfence();
  atomicExch(&flag[0], 0);
}

// One thread of each warp.
KERNEL(wrong_shared_race_lock_of_warps_asked_once) {
  __shared__ int lock, sum;
  if (tid == 0) lock = sum = 0;
  __syncthreads();
  if (tid % 32 == 0) {
    atomicExch(&lock, 1);
    __threadfence_block();
    sum += tid;  // here
    __threadfence_block();
    atomicExch(&lock, 0);
  }
  __syncthreads();
  data[gid] = sum;
}
KERNEL(right_lock_of_warps_asked_until_it_is_free) {
  __shared__ int lock, sum;
  if (tid == 0) lock = sum = 0;
  __syncthreads();
  if (tid % 32 == 0) {
    while (atomicExch(&lock, 1) != 0) {
    }
    __threadfence_block();
    sum += tid;
    __threadfence_block();
    atomicExch(&lock, 0);
  }
  __syncthreads();
  data[gid] = sum;
}

// Two lanes of one warp, by ways of their own.
KERNEL(wrong_shared_race_lock_of_lanes_asked_once) {
  __shared__ int lock, sum;
  if (tid == 0) lock = sum = 0;
  __syncthreads();
  if (tid == 3) {
    atomicExch(&lock, 1);
    __threadfence_block();
    sum += 5;  // here
    __threadfence_block();
    atomicExch(&lock, 0);
  } else if (tid == 9) {
    atomicExch(&lock, 1);
    __threadfence_block();
    sum += 7;  // here
    __threadfence_block();
    atomicExch(&lock, 0);
  }
}
KERNEL(right_lock_of_lanes_asked_until_it_is_free) {
  __shared__ int lock, sum;
  if (tid == 0) lock = sum = 0;
  __syncthreads();
  if (tid == 3) {
    while (atomicExch(&lock, 1) != 0) {
    }
    __threadfence_block();
    sum += 5;
    __threadfence_block();
    atomicExch(&lock, 0);
  } else if (tid == 9) {
    while (atomicExch(&lock, 1) != 0) {
    }
    __threadfence_block();
    sum += 7;
    __threadfence_block();
    atomicExch(&lock, 0);
  }
}

// Who does not get the lock goes without.
KERNEL(wrong_global_race_lock_given_back_by_who_has_it_not) {
  if (tid != 0) return;
  const bool mine = atomicCAS(&flag[0], 0, 1) == 0;
  __threadfence();
  if (mine) data[0] = data[0] + 1;  // here
  __threadfence();
  atomicExch(&flag[0], 0);
}
KERNEL(right_lock_given_back_by_who_has_it) {
  if (tid != 0) return;
  const bool mine = atomicCAS(&flag[0], 0, 1) == 0;
  if (!mine) return;
  __threadfence();
  data[0] = data[0] + 1;
  __threadfence();
  atomicExch(&flag[0], 0);
}

KERNEL(wrong_global_race_looks_for_a_lock_and_then_takes_it) {
  if (tid != 0) return;
  volatile int* lock = &flag[0];
  while (*lock != 0) {
  }
  *lock = 1;
  __threadfence();
  data[0] = data[0] + 1;  // here
  __threadfence();
  *lock = 0;
}
KERNEL(right_looks_for_a_lock_and_then_swaps_it) {
  if (tid != 0) return;
  volatile int* lock = &flag[0];
  do {
    while (*lock != 0) {
    }
  } while (atomicCAS(&flag[0], 0, 1) != 0);
  __threadfence();
  data[0] = data[0] + 1;
  __threadfence();
  *lock = 0;
}

// A semaphore that lets in as many as are free.
KERNEL(wrong_global_race_semaphore_lets_two_in) {
  if (tid != 0) return;
  while (atomicAdd(&flag[0], 1) >= 2) atomicSub(&flag[0], 1);
  __threadfence();
  data[0] = data[0] + 1;  // here
  __threadfence();
  atomicSub(&flag[0], 1);
}
KERNEL(right_semaphore_lets_one_in) {
  if (tid != 0) return;
  while (atomicAdd(&flag[0], 1) >= 1) atomicSub(&flag[0], 1);
  __threadfence();
  data[0] = data[0] + 1;
  __threadfence();
  atomicSub(&flag[0], 1);
}

KERNEL(wrong_global_race_waits_for_its_turn_for_a_while) {
  if (tid != 0) return;
  volatile int* turn = &flag[1];
  const int ticket = atomicAdd(&flag[0], 1);
  for (int i = 0; i < 3 && *turn != ticket; ++i) {
  }
  __threadfence();
  data[0] = data[0] + 1;  // here
  __threadfence();
  *turn = ticket + 1;
}
KERNEL(right_waits_for_its_turn) {
  if (tid != 0) return;
  volatile int* turn = &flag[1];
  const int ticket = atomicAdd(&flag[0], 1);
  while (*turn != ticket) {
  }
  __threadfence();
  data[0] = data[0] + 1;
  __threadfence();
  *turn = ticket + 1;
}

// Each says that it is inside and looks for the others.
KERNEL(wrong_global_race_looks_for_others_and_then_says_so) {
  if (tid != 0 || bid > 1) return;
  volatile int *own = &flag[bid], *other = &flag[1 - bid];
  if (*other != 0) return;
  *own = 1;
  __threadfence();
  data[0] = data[0] + 1;  // here
  __threadfence();
  *own = 0;
}
KERNEL(right_swaps_the_word_of_both) {
  if (tid != 0 || bid > 1) return;
  if (atomicCAS(&flag[0], 0, bid + 1) != 0) return;
  __threadfence();
  data[0] = data[0] + 1;
  __threadfence();
  atomicExch(&flag[0], 0);
}

KERNEL(wrong_global_race_lock_given_back_twice) {
  if (tid != 0) return;
  while (atomicCAS(&flag[0], 0, 1) != 0) {
  }
  __threadfence();
  data[0] = data[0] + 1;  // here
  __threadfence();
  atomicExch(&flag[0], 0);
  atomicAdd(&flag[1], 1);
  atomicExch(&flag[0], 0);
}
KERNEL(right_lock_given_back_once) {
  if (tid != 0) return;
  while (atomicCAS(&flag[0], 0, 1) != 0) {
  }
  __threadfence();
  data[0] = data[0] + 1;
  __threadfence();
  atomicExch(&flag[0], 0);
  atomicAdd(&flag[1], 1);
}

// A count of visits orders who comes one after the other.
KERNEL(wrong_global_race_counted_visits_under_two_locks) {
  if (tid != 0) return;
  atomicAdd(&flag[8], 1);
  __threadfence();
  while (atomicCAS(&flag[bid % 2], 0, 1) != 0) {
  }
  __threadfence();
  data[0] = data[0] + 1;  // here
  __threadfence();
  atomicExch(&flag[bid % 2], 0);
  atomicAdd(&flag[8], 1);
}
KERNEL(right_counted_visits_under_one_lock) {
  if (tid != 0) return;
  atomicAdd(&flag[8], 1);
  __threadfence();
  while (atomicCAS(&flag[0], 0, 1) != 0) {
  }
  __threadfence();
  data[0] = data[0] + 1;
  __threadfence();
  atomicExch(&flag[0], 0);
  atomicAdd(&flag[8], 1);
}

// The library's.
KERNEL(wrong_global_race_flag_of_the_library_set_and_not_looked_at) {
  if (tid != 0) return;
  cuda::atomic_ref<int, cuda::thread_scope_device> lock(flag[0]);
  lock.exchange(1, cuda::memory_order_acquire);
  data[0] = data[0] + 1;  // here
  lock.store(0, cuda::memory_order_release);
}
KERNEL(right_flag_of_the_library_set_by_who_finds_it_free) {
  if (tid != 0) return;
  cuda::atomic_ref<int, cuda::thread_scope_device> lock(flag[0]);
  while (lock.exchange(1, cuda::memory_order_acquire) != 0) {
  }
  data[0] = data[0] + 1;
  lock.store(0, cuda::memory_order_release);
}

KERNEL(wrong_shared_race_semaphore_tried_and_taken_for_granted) {
  __shared__ cuda::binary_semaphore<cuda::thread_scope_block> free_for_one;
  __shared__ int sum;
  if (tid == 0) {
    new (&free_for_one) cuda::binary_semaphore<cuda::thread_scope_block>(1);
    sum = 0;
  }
  __syncthreads();
  if (tid % 32 == 0) {
    (void)free_for_one.try_acquire();
    sum += tid;  // here
    free_for_one.release();
  }
  __syncthreads();
  data[gid] = sum;
}
KERNEL(right_semaphore_tried_and_asked) {
  __shared__ cuda::binary_semaphore<cuda::thread_scope_block> free_for_one;
  __shared__ int sum;
  if (tid == 0) {
    new (&free_for_one) cuda::binary_semaphore<cuda::thread_scope_block>(1);
    sum = 0;
  }
  __syncthreads();
  if (tid % 32 == 0 && free_for_one.try_acquire()) {
    sum += tid;
    free_for_one.release();
  }
  __syncthreads();
  data[gid] = sum;
}

// Readers are counted, and the writer comes when there are none.
KERNEL(wrong_global_race_readers_count_themselves_by_stores) {
  if (tid != 0) return;
  volatile int* readers = &flag[0];
  if (bid == 0) {
    if (atomicCAS(&flag[0], 0, -100) != 0) return;
    __threadfence();
    data[0] = 7;  // here
    __threadfence();
    atomicAdd(&flag[0], 100);
    return;
  }
  const int before = *readers;
  if (before < 0) return;
  *readers = before + 1;
  __threadfence();
  data[bid] = data[0];  // here
  __threadfence();
  atomicSub(&flag[0], 1);
}
KERNEL(right_readers_count_themselves_by_swaps) {
  if (tid != 0) return;
  volatile int* readers = &flag[0];
  if (bid == 0) {
    if (atomicCAS(&flag[0], 0, -100) != 0) return;
    __threadfence();
    data[0] = 7;
    __threadfence();
    atomicAdd(&flag[0], 100);
    return;
  }
  for (;;) {
    const int before = *readers;
    if (before >= 0 && atomicCAS(&flag[0], before, before + 1) == before) break;
  }
  __threadfence();
  data[bid] = data[0];
  __threadfence();
  atomicSub(&flag[0], 1);
}
