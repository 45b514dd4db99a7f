// Patterns that race detectors and graph codes are tried on: tables, unions,
// deques, look-back, pipelines.
#include <cooperative_groups.h>

#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/semaphore>

#include "precision.h"

namespace cg = cooperative_groups;
using Word = cuda::atomic_ref<int, cuda::thread_scope_device>;

// Linear probing: a key's slot is taken by a swap, its value is added up.
KERNEL(right_hash_table_counts_keys) {
  const int key = gid % 37 + 1;
  for (int slot = key * 7 % 64;; slot = (slot + 1) % 64) {
    const int found = atomicCAS(data + slot, 0, key);
    if (found != 0 && found != key) continue;
    atomicAdd(flag + slot, 1);
    return;
  }
}
KERNEL(wrong_global_race_hash_table_looks_before_it_takes) {
  const int key = gid % 37 + 1;
  for (int slot = key * 7 % 64;; slot = (slot + 1) % 64) {
    if (data[slot] == 0) data[slot] = key;  // here
    if (data[slot] != key) continue;        // here
    atomicAdd(flag + slot, 1);
    return;
  }
}
// Value and key in one table: who finds the key may read the value only when it
// is there.
KERNEL(right_hash_table_publishes_values) {
  const int key = gid % 16 + 1;
  if (atomicCAS(data + key, 0, -1) == 0) {
    flag[key] = 10 * key;
    __threadfence();
    atomicExch(data + key, key);
  }
  while (atomicAdd(data + key, 0) != key) {
  }
  __threadfence();
  raw[gid] = flag[key];
}
KERNEL(wrong_global_race_hash_table_value_comes_after_the_key) {
  const int key = gid % 16 + 1;
  if (atomicCAS(data + key, 0, key) == 0) flag[key] = 10 * key;  // here
  raw[gid] = flag[key];                                          // here
}
// Union-find with path halving: roots are hooked by a swap, parents read as
// atomics.
__device__ int root_of(int* parents, int node) {
  int parent = Word(parents[node]).load(cuda::memory_order_relaxed);
  while (parent != node) {
    const int above = Word(parents[parent]).load(cuda::memory_order_relaxed);
    if (above != parent) Word(parents[node]).store(above, cuda::memory_order_relaxed);
    node = parent;
    parent = Word(parents[node]).load(cuda::memory_order_relaxed);
  }
  return node;
}
KERNEL(right_union_find_with_path_halving) {
  int* const parents = data + 64 * bid;
  parents[tid] = tid;
  __syncthreads();
  int a = tid, b = tid / 2;
  for (;;) {
    a = root_of(parents, a), b = root_of(parents, b);
    if (a == b) break;
    if (a < b) {
      const int kept = a;
      a = b, b = kept;
    }
    if (atomicCAS(parents + a, a, b) == a) break;
  }
}
KERNEL(wrong_global_race_union_find_hooks_plainly) {
  int* const parents = data + 64 * bid;
  parents[tid] = tid;
  __syncthreads();
  int a = tid, b = tid / 2;
  while (parents[a] != a) a = parents[a];  // here
  while (parents[b] != b) b = parents[b];  // here
  if (a > b) parents[a] = b;               // here
}
// A frontier that grows while it is worked off, level by level, by one block.
KERNEL(right_frontier_in_two_queues) {
  __shared__ int queue[2][64];
  __shared__ int count[2];
  if (tid < 2) count[tid] = 1 - tid, queue[tid][0] = 1;
  __syncthreads();
  for (int level = 0; count[level % 2] != 0; ++level) {
    const int* const now = queue[level % 2];
    if (tid < count[level % 2]) {
      data[256 * bid + now[tid]] = level;
      for (int next = 2 * now[tid]; next < 2 * now[tid] + 2; ++next) {
        if (next < 64) queue[1 - level % 2][atomicAdd(&count[1 - level % 2], 1)] = next;
      }
    }
    __syncthreads();
    if (tid == 0) count[level % 2] = 0;
    __syncthreads();
  }
}
KERNEL(wrong_shared_race_frontier_is_cleared_too_early) {
  __shared__ int queue[2][64];
  __shared__ int count[2];
  if (tid < 2) count[tid] = 1 - tid, queue[tid][0] = 1;
  __syncthreads();
  for (int level = 0; level < 5; ++level) {
    const int* const now = queue[level % 2];
    const int all = count[level % 2];    // here
    if (tid == 0) count[level % 2] = 0;  // here
    if (tid < all) {
      for (int next = 2 * now[tid]; next < 2 * now[tid] + 2; ++next) {
        if (next < 64) queue[1 - level % 2][atomicAdd(&count[1 - level % 2], 1)] = next;
      }
    }
    __syncthreads();
  }
  data[gid] = queue[0][0];
}
// Look-back: each tile tells its sum and then its prefix in one word, with a
// state above.
KERNEL(right_look_back_in_one_word) {
  __shared__ int tile, before;
  if (tid == 0) tile = atomicAdd(flag, 1);
  __syncthreads();
  unsigned long long* const states = reinterpret_cast<unsigned long long*>(data);
  if (tid == 0) {
    const unsigned long long sum = tile + 1;
    atomicExch(states + tile, (tile == 0 ? 2ull : 1ull) << 32 | sum);
    int at = tile - 1, total = 0;
    while (at >= 0) {
      const unsigned long long seen = atomicAdd(states + at, 0ull);
      if (seen >> 32 == 0) continue;
      total += static_cast<int>(seen);
      if (seen >> 32 == 2) break;
      --at;
    }
    before = total;
    if (tile != 0) atomicExch(states + tile, 2ull << 32 | (total + sum));
  }
  __syncthreads();
  raw[64 * tile + tid] = before + tid;
}
KERNEL(wrong_global_race_look_back_with_sum_and_state_apart) {
  __shared__ int tile;
  if (tid == 0) tile = atomicAdd(flag, 1);
  __syncthreads();
  if (tid != 0) return;
  data[tile] = tile + 1;  // here
  atomicExch(flag + 8 + tile, 1);
  int total = 0;
  for (int at = tile - 1; at >= 0; --at) {
    while (atomicAdd(flag + 8 + at, 0) == 0) {
    }
    total += data[at];  // here
  }
  raw[tile] = total;
}
// A deque from which others steal: R. D. Blumofe and C. E. Leiserson's, with
// the owner's end alone.
KERNEL(right_owner_pushes_and_others_steal) {
  int* const top = flag;
  int* const bottom = flag + 1;
  if (gid == 0) {
    for (int i = 0; i < 16; ++i) {
      data[i] = i + 1;
      __threadfence();
      atomicExch(bottom, i + 1);
    }
  } else if (tid == 0) {
    for (int tries = 0; tries < 200; ++tries) {
      const int mine = atomicAdd(top, 0);
      const int end = atomicAdd(bottom, 0);
      __threadfence();
      if (mine >= end || atomicCAS(top, mine, mine + 1) != mine) continue;
      raw[mine] = data[mine];
    }
  }
}
KERNEL(wrong_global_race_owner_pushes_without_a_fence) {
  int* const top = flag;
  int* const bottom = flag + 1;
  if (gid == 0) {
    for (int i = 0; i < 16; ++i) {
      data[i] = i + 1;  // here
      atomicExch(bottom, i + 1);
    }
  } else if (tid == 0) {
    for (int done = 0; done < 1;) {
      const int mine = atomicAdd(top, 0);
      const int end = atomicAdd(bottom, 0);
      __threadfence();
      if (mine >= 16) break;
      if (mine >= end || atomicCAS(top, mine, mine + 1) != mine) continue;
      raw[mine] = data[mine];  // here
    }
  }
}
// A semaphore of one is a lock.
KERNEL(right_semaphore_of_one) {
  using Semaphore = cuda::binary_semaphore<cuda::thread_scope_block>;
  __shared__ alignas(Semaphore) char room[sizeof(Semaphore)];
  __shared__ int sum;
  Semaphore& free = *reinterpret_cast<Semaphore*>(room);
  if (tid == 0) new (room) Semaphore(1), sum = 0;
  __syncthreads();
  if (tid % 32 == 0) {
    free.acquire();
    sum += tid + 1;
    free.release();
  }
  __syncthreads();
  if (tid == 0) data[bid] = sum;
}
// Several arrays in one piece of dynamic shared memory need not be apart by
// chance: here they are not.
KERNEL(wrong_uninitialized_read_second_array_is_not_filled) {
  __shared__ int both[128];
  int* const second = both + 64;
  both[tid] = gid;
  if (tid < 63) second[tid] = gid;
  __syncthreads();
  data[gid] = both[tid] + second[tid];  // here
}
// The next tile is fetched by inline PTX while this one is summed.
KERNEL(right_double_buffer_by_inline_ptx) {
  __shared__ int buffer[2][64];
  const auto fetch = [&](int which, int from) {
    const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&buffer[which][tid]));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(data + 64 * from + tid)
                 : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
  fetch(0, 0);
  int sum = 0;
  for (int i = 0; i < 4; ++i) {
    if (i < 3) fetch((i + 1) % 2, i + 1);
    if (i < 3) {
      asm volatile("cp.async.wait_group 1;" ::: "memory");
    } else {
      asm volatile("cp.async.wait_group 0;" ::: "memory");
    }
    __syncthreads();
    sum += buffer[i % 2][63 - tid];
    __syncthreads();
  }
  raw[gid] = sum;
}
KERNEL(wrong_shared_race_double_buffer_waits_for_the_wrong_group) {
  __shared__ int buffer[2][64];
  const auto fetch = [&](int which, int from) {
    const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&buffer[which][tid]));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to),
                 "l"(data + 64 * from + tid)  // here
                 : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
  fetch(0, 0);
  int sum = 0;
  for (int i = 0; i < 4; ++i) {
    if (i < 3) fetch((i + 1) % 2, i + 1);
    asm volatile("cp.async.wait_group 1;" ::: "memory");
    __syncthreads();
    sum += buffer[i % 2][63 - tid];  // here
    __syncthreads();
  }
  raw[gid] = sum;
}
