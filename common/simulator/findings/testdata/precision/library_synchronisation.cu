// Barriers, latches, semaphores and references of libcu++, in their orders and scopes.
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/semaphore>

#include "precision.h"

using BlockBarrier = cuda::barrier<cuda::thread_scope_block>;
using BlockSemaphore = cuda::counting_semaphore<cuda::thread_scope_block, 1>;
using BlockLatch = cuda::latch<cuda::thread_scope_block>;
using DeviceRef = cuda::atomic_ref<int, cuda::thread_scope_device>;
using BlockRef = cuda::atomic_ref<int, cuda::thread_scope_block>;

KERNEL(right_latch_counted_down_by_all) {
  __shared__ int s[64];
  __shared__ alignas(BlockLatch) char room[sizeof(BlockLatch)];
  auto* latch = reinterpret_cast<BlockLatch*>(room);
  if (tid == 0) new (latch) BlockLatch(64);
  __syncthreads();
  s[tid] = tid;
  latch->arrive_and_wait();
  data[gid] = s[63 - tid];
}
KERNEL(wrong_shared_race_latch_not_waited_for) {
  __shared__ int s[64];
  __shared__ alignas(BlockLatch) char room[sizeof(BlockLatch)];
  auto* latch = reinterpret_cast<BlockLatch*>(room);
  if (tid == 0) new (latch) BlockLatch(64);
  __syncthreads();
  s[tid] = tid;  // here
  latch->count_down();
  data[gid] = s[63 - tid];  // here
}
KERNEL(right_semaphore_guards_a_counter) {
  __shared__ int count;
  __shared__ alignas(BlockSemaphore) char room[sizeof(BlockSemaphore)];
  auto* semaphore = reinterpret_cast<BlockSemaphore*>(room);
  if (tid == 0) {
    count = 0;
    new (semaphore) BlockSemaphore(1);
  }
  __syncthreads();
  if (tid % 32 == 0) {
    semaphore->acquire();
    count = count + 1;
    semaphore->release();
  }
  __syncthreads();
  data[gid] = count;
}
KERNEL(wrong_shared_race_semaphore_released_before_the_store) {
  __shared__ int count;
  __shared__ alignas(BlockSemaphore) char room[sizeof(BlockSemaphore)];
  auto* semaphore = reinterpret_cast<BlockSemaphore*>(room);
  if (tid == 0) {
    count = 0;
    new (semaphore) BlockSemaphore(1);
  }
  __syncthreads();
  if (tid % 32 == 0) {
    semaphore->acquire();
    const int seen = count;  // here
    semaphore->release();
    count = seen + 1;  // here
  }
  __syncthreads();
  data[gid] = count;
}
KERNEL(right_two_halves_of_a_barrier) {
  __shared__ int s[64];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ BlockBarrier barrier;
  if (tid == 0) init(&barrier, 64);
  __syncthreads();
  s[tid] = tid;
  BlockBarrier::arrival_token token = barrier.arrive();
  const int mine = s[tid];
  barrier.wait(std::move(token));
  data[gid] = s[63 - tid] + mine;
}
KERNEL(wrong_shared_race_store_between_the_halves_of_a_barrier) {
  __shared__ int s[64];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ BlockBarrier barrier;
  if (tid == 0) init(&barrier, 64);
  __syncthreads();
  BlockBarrier::arrival_token token = barrier.arrive();
  s[tid] = tid;  // here
  barrier.wait(std::move(token));
  data[gid] = s[63 - tid];  // here
}
KERNEL(right_barrier_that_half_the_threads_leave) {
  __shared__ int s[64];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ BlockBarrier barrier;
  if (tid == 0) init(&barrier, 64);
  __syncthreads();
  s[tid] = tid;
  if (tid >= 32) {
    barrier.arrive_and_drop();
    return;
  }
  barrier.arrive_and_wait();
  data[gid] = s[tid + 32];
  s[tid] = 7;
  barrier.arrive_and_wait();
  data[gid] += s[31 - tid];
}
KERNEL(right_reference_released_and_acquired) {
  DeviceRef ready(flag[0]);
  if (bid == 0 && tid == 0) {
    data[0] = 5;
    ready.store(1, cuda::memory_order_release);
  }
  if (bid == 1 && tid == 0) {
    while (ready.load(cuda::memory_order_acquire) == 0) {
    }
    data[1] = data[0];
  }
}
KERNEL(wrong_global_race_reference_of_block_scope_between_blocks) {
  BlockRef ready(flag[0]);
  if (bid == 0 && tid == 0) {
    data[0] = 5;
    ready.store(1, cuda::memory_order_release);  // here
  }
  if (bid == 1 && tid == 0) {
    for (int i = 0; i < 100 && ready.load(cuda::memory_order_acquire) == 0; ++i) {  // here
    }
    data[1] = 3;
  }
}
KERNEL(right_fence_of_the_library_behind_a_relaxed_flag) {
  DeviceRef ready(flag[0]);
  if (bid == 0 && tid == 0) {
    data[0] = 5;
    cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device);
    ready.store(1, cuda::memory_order_relaxed);
  }
  if (bid == 1 && tid == 0) {
    while (ready.load(cuda::memory_order_relaxed) == 0) {
    }
    cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
    data[1] = data[0];
  }
}
KERNEL(wrong_global_race_fence_of_the_library_of_block_scope) {
  DeviceRef ready(flag[0]);
  if (bid == 0 && tid == 0) {
    data[0] = 5;  // here
    cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_block);
    ready.store(1, cuda::memory_order_relaxed);
  }
  if (bid == 1 && tid == 0) {
    while (ready.load(cuda::memory_order_relaxed) == 0) {
    }
    cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
    data[1] = data[0];  // here
  }
}
KERNEL(right_exchange_hands_over_both_ways) {
  DeviceRef turn(flag[0]);
  if (tid == 0 && bid < 2) {
    const int me = bid;
    for (int round = 0; round < 3; ++round) {
      while (turn.load(cuda::memory_order_acquire) != me) {
      }
      data[0] = data[0] + 1;
      turn.store(1 - me, cuda::memory_order_release);
    }
  }
}
KERNEL(wrong_global_race_turn_taken_relaxed) {
  DeviceRef turn(flag[0]);
  if (tid == 0 && bid < 2) {
    const int me = bid;
    for (int round = 0; round < 3; ++round) {
      while (turn.load(cuda::memory_order_relaxed) != me) {
      }
      data[0] = data[0] + 1;  // here
      turn.store(1 - me, cuda::memory_order_release);
    }
  }
}
KERNEL(right_fetch_add_of_both_orders_counts_down) {
  DeviceRef left(flag[0]);
  if (tid == 0) {
    data[bid] = bid + 1;
    if (left.fetch_add(1, cuda::memory_order_acq_rel) == 3) {
      int sum = 0;
      for (int i = 0; i < 4; ++i) sum += data[i];
      data[8] = sum;
    }
  }
}
KERNEL(wrong_global_race_fetch_add_only_releases) {
  DeviceRef left(flag[0]);
  if (tid == 0) {
    data[bid] = bid + 1;  // here
    if (left.fetch_add(1, cuda::memory_order_release) == 3) {
      int sum = 0;
      for (int i = 0; i < 4; ++i) sum += data[i];  // here
      data[8] = sum;
    }
  }
}
KERNEL(right_wait_and_notify) {
  DeviceRef ready(flag[0]);
  if (bid == 0 && tid == 0) {
    data[0] = 5;
    ready.store(1, cuda::memory_order_release);
    ready.notify_all();
  }
  if (bid == 1 && tid < 32) {
    ready.wait(0, cuda::memory_order_acquire);
    data[64 + tid] = data[0];
  }
}
KERNEL(wrong_global_race_atomic_class_beside_a_plain_read) {
  auto& sum = *reinterpret_cast<cuda::atomic<int, cuda::thread_scope_device>*>(flag);
  sum.fetch_add(1, cuda::memory_order_relaxed);  // here
  data[gid] = flag[0];                           // here
}
