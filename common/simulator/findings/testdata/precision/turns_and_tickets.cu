// Counters, tickets, stacks and flags of blocks and warps that take no lock.
#include <cuda/atomic>

#include "precision.h"

using DeviceRef = cuda::atomic_ref<int, cuda::thread_scope_device>;

KERNEL(wrong_global_race_one_lane_of_each_block_counts) {
  if (tid == 0) {
    const int seen = data[0];  // here
    data[0] = seen + 1;        // here
  }
}
KERNEL(wrong_shared_race_one_lane_of_each_warp_counts_in_4_warps) {
  __shared__ int count;
  if (tid == 0) count = 0;
  __syncthreads();
  if (tid % 32 == 0) {
    const int seen = count;  // here
    count = seen + 1;        // here
  }
  __syncthreads();
  data[gid] = count;
}
KERNEL(right_one_lane_of_each_warp_counts_in_turn_in_4_warps) {
  __shared__ int count;
  if (tid == 0) count = 0;
  __syncthreads();
  for (int turn = 0; turn < 4; ++turn) {
    if (tid == turn * 32) count = count + 1;
    __syncthreads();
  }
  data[gid] = count;
}
KERNEL(wrong_global_race_one_thread_checks_and_sets) {
  if (tid == 0 && flag[0] == 0) {  // here
    flag[0] = bid + 1;             // here
  }
}
KERNEL(right_one_thread_swaps_and_wins) {
  if (tid == 0 && atomicCAS(flag, 0, bid + 1) == 0) data[0] = bid;
}
KERNEL(right_slots_by_a_counter) {
  const int slot = atomicAdd(flag, 1);
  data[slot] = gid;
}
KERNEL(wrong_global_race_slots_by_a_counter_of_each_block) {
  __shared__ int count;
  if (tid == 0) count = 0;
  __syncthreads();
  const int slot = atomicAdd(&count, 1);
  data[slot] = gid;  // here
}
KERNEL(right_ticket_lock_of_blocks) {
  if (tid == 0) {
    DeviceRef next(flag[0]), serving(flag[1]);
    const int mine = next.fetch_add(1, cuda::memory_order_relaxed);
    while (serving.load(cuda::memory_order_acquire) != mine) __nanosleep(20);
    data[0] = data[0] + 1;
    serving.store(mine + 1, cuda::memory_order_release);
  }
}
KERNEL(wrong_global_race_ticket_lock_served_before_the_store) {
  if (tid == 0) {
    DeviceRef next(flag[0]), serving(flag[1]);
    const int mine = next.fetch_add(1, cuda::memory_order_relaxed);
    while (serving.load(cuda::memory_order_acquire) != mine) __nanosleep(20);
    const int seen = data[0];  // here
    serving.store(mine + 1, cuda::memory_order_release);
    data[0] = seen + 1;  // here
  }
}
KERNEL(right_lock_tried_with_back_off) {
  if (tid == 0) {
    DeviceRef lock(flag[0]);
    unsigned pause = 8;
    while (lock.exchange(1, cuda::memory_order_acquire) != 0) {
      __nanosleep(pause);
      if (pause < 256) pause *= 2;
    }
    data[0] = data[0] + 1;
    lock.store(0, cuda::memory_order_release);
  }
}
KERNEL(right_lock_that_is_looked_at_before_it_is_swapped) {
  if (tid == 0) {
    DeviceRef lock(flag[0]);
    for (;;) {
      while (lock.load(cuda::memory_order_relaxed) != 0) {
      }
      int free = 0;
      if (lock.compare_exchange_weak(free, 1, cuda::memory_order_acquire,
                                     cuda::memory_order_relaxed)) {
        break;
      }
    }
    data[0] = data[0] + 1;
    lock.store(0, cuda::memory_order_release);
  }
}
KERNEL(wrong_global_race_lock_given_back_by_a_plain_store) {
  if (tid == 0) {
    while (atomicCAS(flag, 0, 1) != 0) {  // here
    }
    __threadfence();
    data[0] = data[0] + 1;
    __threadfence();
    flag[0] = 0;  // here
  }
}
KERNEL(right_sequence_is_even_when_nobody_writes) {
  DeviceRef sequence(flag[0]), low(data[0]), high(data[1]);
  if (bid == 0 && tid == 0) {
    for (int i = 1; i <= 3; ++i) {
      sequence.fetch_add(1, cuda::memory_order_acq_rel);
      low.store(i, cuda::memory_order_relaxed);
      high.store(i, cuda::memory_order_relaxed);
      sequence.fetch_add(1, cuda::memory_order_release);
    }
  }
  if (bid == 1 && tid == 0) {
    int before = 0, a = 0, b = 0;
    do {
      before = sequence.load(cuda::memory_order_acquire);
      a = low.load(cuda::memory_order_relaxed);
      b = high.load(cuda::memory_order_relaxed);
      cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
    } while (before % 2 != 0 || sequence.load(cuda::memory_order_relaxed) != before);
    data[64] = a - b;
  }
}
KERNEL(right_pushed_on_a_stack_and_popped_by_the_next_launch) {
  DeviceRef head(flag[0]);
  data[gid] = gid;
  int before = head.load(cuda::memory_order_relaxed);
  do {
    flag[64 + gid] = before;
  } while (!head.compare_exchange_weak(before, gid + 1, cuda::memory_order_release,
                                       cuda::memory_order_relaxed));
}
KERNEL(wrong_global_race_next_of_a_stack_read_by_another_relaxed) {
  DeviceRef head(flag[0]);
  if (bid == 0 && tid == 0) {
    flag[64] = 7;  // here
    head.store(1, cuda::memory_order_relaxed);
  }
  if (bid == 1 && tid == 0) {
    int seen = 0;
    while ((seen = head.load(cuda::memory_order_acquire)) == 0) {
    }
    data[0] = flag[63 + seen];  // here
  }
}
KERNEL(right_ring_of_one_producer_and_one_consumer) {
  DeviceRef head(flag[0]), tail(flag[1]);
  if (tid != 0 || bid > 1) return;
  if (bid == 0) {
    for (int i = 0; i < 12; ++i) {
      while (i - tail.load(cuda::memory_order_acquire) == 4) {
      }
      data[i % 4] = i;
      head.store(i + 1, cuda::memory_order_release);
    }
  } else {
    int sum = 0;
    for (int i = 0; i < 12; ++i) {
      while (head.load(cuda::memory_order_acquire) == i) {
      }
      sum += data[i % 4];
      tail.store(i + 1, cuda::memory_order_release);
    }
    data[8] = sum;
  }
}
KERNEL(right_work_taken_from_a_shared_counter) {
  __shared__ int first;
  for (;;) {
    if (tid == 0) first = atomicAdd(flag, 64);
    __syncthreads();
    const int item = first + tid;
    __syncthreads();
    if (item >= 1024) break;
    data[item] = item;
  }
}
KERNEL(wrong_shared_race_work_taken_before_all_have_read_it) {
  __shared__ int first;
  for (;;) {
    if (tid == 0) first = atomicAdd(flag, 64);  // here
    __syncthreads();
    const int item = first + tid;  // here
    if (item >= 1024) break;
    data[item] = item;
  }
}
KERNEL(right_maximum_with_its_place_in_64_bits) {
  auto* best = reinterpret_cast<unsigned long long*>(flag);
  atomicMax(best, static_cast<unsigned long long>(gid * 37 % 101) << 32 | unsigned(gid));
}
KERNEL(wrong_global_race_maximum_and_its_place_apart) {
  const int value = gid * 37 % 101;
  if (atomicMax(flag, value) < value) {
    flag[1] = gid;  // here
  }
}
KERNEL(right_volatile_word_polled_while_another_counts_atomically) {
  if (bid == 0 && tid < 32) atomicAdd(flag, 1);
  if (bid == 1 && tid == 0) {
    while (*static_cast<volatile int*>(flag) < 32) {
    }
    data[0] = 1;
  }
}
// Blocks add their parts of a sum one after the other, by a flag that counts them.
__device__ void adds_its_part(int* data, int* flag, bool waits);
KERNEL(right_parts_of_a_sum_in_turn) { adds_its_part(data, flag, true); }
KERNEL(wrong_global_race_parts_of_a_sum_without_waiting) { adds_its_part(data, flag, false); }
__device__ void adds_its_part(int* data, int* flag, bool waits) {
  int seen = -1;
  while (__syncthreads_and(waits && seen != bid)) {
    if (tid == 0) asm volatile("ld.global.acquire.gpu.b32 %0, [%1];" : "=r"(seen) : "l"(flag));
  }
  __syncthreads();
  data[tid] = data[tid] + gid;  // here
  __syncthreads();
  if (tid == 0) {
    asm volatile("st.global.release.gpu.b32 [%0], %1;" ::"l"(flag), "r"(bid + 1) : "memory");
  }
}
