// The reader of a flag takes a fence as its writer does, or reads it with acquire semantics; a barrier does as well.
#include <cuda/atomic>

#include "precision.h"

KERNEL(wrong_global_race_reader_without_fence) {
  volatile int* ready = flag;
  if (tid != 0) return;
  if (bid == 0) {
    data[0] = 7;  // here
    __threadfence();
    ready[0] = 1;
  } else {
    while (ready[0] == 0) {
    }
    flag[64 + bid] = data[0];  // here
  }
}
KERNEL(right_reader_with_a_barrier_behind_the_flag) {
  volatile int* ready = flag;
  if (bid == 0) {
    if (tid == 0) {
      data[0] = 7;
      __threadfence();
      ready[0] = 1;
    }
    return;
  }
  if (tid == 0) {
    while (ready[0] == 0) {
    }
  }
  __syncthreads();
  flag[64 + gid] = data[0];
}
KERNEL(wrong_global_race_reader_relaxed) {
  if (tid != 0) return;
  cuda::atomic_ref<int, cuda::thread_scope_device> ready(flag[0]);
  if (bid == 0) {
    data[0] = 7;  // here
    ready.store(1, cuda::memory_order_release);
  } else {
    while (ready.load(cuda::memory_order_relaxed) == 0) {
    }
    flag[64 + bid] = data[0];  // here
  }
}
KERNEL(right_reader_acquires) {
  if (tid != 0) return;
  cuda::atomic_ref<int, cuda::thread_scope_device> ready(flag[0]);
  if (bid == 0) {
    data[0] = 7;
    ready.store(1, cuda::memory_order_release);
  } else {
    while (ready.load(cuda::memory_order_acquire) == 0) {
    }
    flag[64 + bid] = data[0];
  }
}
KERNEL(right_reader_relaxed_with_a_fence_behind_the_loop) {
  if (tid != 0) return;
  cuda::atomic_ref<int, cuda::thread_scope_device> ready(flag[0]);
  if (bid == 0) {
    data[0] = 7;
    ready.store(1, cuda::memory_order_release);
  } else {
    while (ready.load(cuda::memory_order_relaxed) == 0) {
    }
    cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
    flag[64 + bid] = data[0];
  }
}
KERNEL(wrong_global_race_readers_fence_of_block_scope) {
  if (tid != 0) return;
  volatile int* ready = flag;
  if (bid == 0) {
    data[0] = 7;  // here
    __threadfence();
    ready[0] = 1;
  } else {
    while (ready[0] == 0) {
    }
    __threadfence_block();
    data[64 + bid] = data[0];  // here
  }
}
KERNEL(wrong_global_race_fence_of_block_scope_between_blocks) {
  if (tid != 0) return;
  volatile int* ready = flag;
  if (bid == 0) {
    data[0] = 7;  // here
    __threadfence_block();
    ready[0] = 1;
  } else {
    while (ready[0] == 0) {
    }
    __threadfence();
    data[64 + bid] = data[0];  // here
  }
}
KERNEL(right_readers_fence_of_block_scope_in_one_block) {
  volatile int* ready = flag;
  if (tid == 0) {
    data[gid] = 7;
    __threadfence_block();
    ready[bid] = 1;
  } else if (tid == 32) {
    while (ready[bid] == 0) {
    }
    __threadfence_block();
    data[gid] = data[bid * 64];
  }
}
KERNEL(wrong_shared_race_reader_without_fence) {
  __shared__ int value;
  __shared__ volatile int ready;
  if (tid == 0) ready = 0;
  __syncthreads();
  if (tid == 0) {
    value = flag[5];  // here
    __threadfence_block();
    ready = 1;
  }
  if (tid == 32) {
    while (ready == 0) {
    }
    data[gid] = value;  // here
  }
}

// Locks.
KERNEL(wrong_global_race_lock_without_fence_after_taking) {
  if (tid == 0) {
    while (atomicCAS(&flag[0], 0, 1) != 0) {
    }
    data[0] = data[0] + 1;  // here
    __threadfence();
    atomicExch(&flag[0], 0);
  }
}
KERNEL(wrong_global_race_lock_without_fence_before_release) {
  if (tid == 0) {
    while (atomicCAS(&flag[0], 0, 1) != 0) {
    }
    __threadfence();
    data[0] = data[0] + 1;  // here
    atomicExch(&flag[0], 0);
  }
}
KERNEL(wrong_shared_race_lock_without_fence) {
  __shared__ int lock, sum;
  if (tid == 0) lock = sum = 0;
  __syncthreads();
  if (tid % 32 == 0) {
    while (atomicCAS(&lock, 0, 1) != 0) {
    }
    sum = sum + tid;  // here
    atomicExch(&lock, 0);
  }
  __syncthreads();
  data[gid] = sum;
}
KERNEL(right_lock_of_an_atomic_with_orders) {
  if (tid != 0) return;
  cuda::atomic_ref<int, cuda::thread_scope_device> lock(flag[0]);
  int expected = 0;
  while (!lock.compare_exchange_weak(expected, 1, cuda::memory_order_acquire)) expected = 0;
  data[0] = data[0] * 3 + bid;
  lock.store(0, cuda::memory_order_release);
}
KERNEL(wrong_shared_race_log_behind_a_lock_without_fences) {
  __shared__ int lock, log[2];
  if (tid == 0) lock = 0;
  if (tid < 2) log[tid] = 0;
  __syncthreads();
  if (tid % 32 == 0) {
    while (atomicCAS(&lock, 0, 1) != 0) {
    }
    log[0] = log[0] + tid;  // here
    atomicExch(&lock, 0);
  }
  __syncthreads();
  data[gid] = log[0];
}
// What another thread adds to a released flag goes on from there; what it stores does not.
__device__ void hands_over_by_way_of_another(int* data, int* flag, bool adds);
KERNEL(right_another_adds_to_a_released_flag) { hands_over_by_way_of_another(data, flag, true); }
KERNEL(wrong_global_race_another_stores_over_a_released_flag) {
  hands_over_by_way_of_another(data, flag, false);
}
__device__ void hands_over_by_way_of_another(int* data, int* flag, bool adds) {
  volatile int* state = flag;
  if (tid != 0) return;
  if (bid == 0) {
    data[0] = 5;  // here
    __threadfence();
    state[0] = 1;
  } else if (bid == 1) {
    while (state[0] != 1) {
    }
    if (adds)
      atomicAdd(flag, 1);
    else
      state[0] = 2;
  } else if (bid == 2) {
    while (state[0] != 2) {
    }
    __threadfence();
    flag[64] = data[0];  // here
  }
}
// Who only releases does not hand on what it has seen.
using DeviceRef = cuda::atomic_ref<int, cuda::thread_scope_device>;
__device__ void passes_on(int* data, int* flag, cuda::memory_order seen);
KERNEL(right_passed_on_by_who_acquired_it) { passes_on(data, flag, cuda::memory_order_acquire); }
KERNEL(wrong_global_race_passed_on_by_who_looked_relaxed) {
  passes_on(data, flag, cuda::memory_order_relaxed);
}
__device__ void passes_on(int* data, int* flag, cuda::memory_order seen) {
  DeviceRef first(flag[0]), second(flag[1]);
  if (tid != 0) return;
  if (bid == 0) {
    data[0] = 5;  // here
    first.store(1, cuda::memory_order_release);
  } else if (bid == 1) {
    while (first.load(seen) == 0) {
    }
    second.store(1, cuda::memory_order_release);
  } else if (bid == 2) {
    while (second.load(cuda::memory_order_acquire) == 0) {
    }
    flag[64] = data[0];  // here
  }
}
KERNEL(wrong_global_race_acquired_for_its_own_block_only) {
  if (tid != 0) return;
  if (bid == 0) {
    data[0] = 5;
    DeviceRef(flag[0]).store(1, cuda::memory_order_release);  // here
  } else if (bid == 1) {
    cuda::atomic_ref<int, cuda::thread_scope_block> ready(flag[0]);
    while (ready.load(cuda::memory_order_acquire) == 0) {  // here
    }
    flag[64] = data[0];
  }
}
