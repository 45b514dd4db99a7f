// Data structures that threads share: rings, queues, hash tables, sets, frontiers.
#include <cooperative_groups.h>

#include <cuda/atomic>
#include <cuda/barrier>

#include "precision.h"

#pragma nv_diag_suppress static_var_with_dynamic_init

KERNEL(right_ring_buffer_of_two_warps) {
  __shared__ int ring[4], head, tail;
  if (tid == 0) head = tail = 0;
  __syncthreads();
  cuda::atomic_ref<int, cuda::thread_scope_block> h(head), t(tail);
  if (tid == 0) {
    for (int i = 0; i < 20; ++i) {
      while (h.load(cuda::memory_order_relaxed) - t.load(cuda::memory_order_acquire) == 4) {
      }
      ring[i % 4] = i;
      h.store(i + 1, cuda::memory_order_release);
    }
  } else if (tid == 32) {
    int sum = 0;
    for (int i = 0; i < 20; ++i) {
      while (h.load(cuda::memory_order_acquire) == i) {
      }
      sum += ring[i % 4];
      t.store(i + 1, cuda::memory_order_release);
    }
    data[bid] = sum;
  }
}
KERNEL(right_queue_of_published_items) {
  if (tid < 16) {
    const int at = atomicAdd(&flag[0], 1);
    data[at] = bid * 16 + tid;
    __threadfence();
    atomicExch(&flag[64 + at], 1);
  }
  if (tid >= 32 && tid < 48) {
    const int at = atomicAdd(&flag[1], 1);
    while (atomicAdd(&flag[64 + at], 0) == 0) {
    }
    __threadfence();
    data[1024 + at] = data[at];
  }
}
KERNEL(wrong_global_race_item_published_before_it_is_stored) {
  if (tid < 16) {
    const int at = atomicAdd(&flag[0], 1);
    atomicExch(&flag[64 + at], 1);
    __threadfence();
    data[at] = bid * 16 + tid;  // here
  }
  if (tid >= 32 && tid < 48) {
    const int at = atomicAdd(&flag[1], 1);
    while (atomicAdd(&flag[64 + at], 0) == 0) {
    }
    __threadfence();
    data[1024 + at] = data[at];  // here
  }
}
KERNEL(right_hash_table_of_keys) {
  const int key = gid % 100 + 1;
  unsigned slot = unsigned(key * 2654435761u) % 512;
  for (;;) {
    const int old = atomicCAS(&data[slot], 0, key);
    if (old == 0 || old == key) {
      atomicAdd(&flag[slot], 1);
      break;
    }
    slot = (slot + 1) % 512;
  }
}
KERNEL(wrong_global_race_hash_table_value_behind_the_key) {
  const int key = gid % 100 + 1;
  unsigned slot = unsigned(key * 2654435761u) % 512;
  for (;;) {
    const int old = atomicCAS(&data[slot], 0, key);
    if (old == 0) {
      flag[slot] = gid;  // here
      break;
    }
    if (old == key) {
      data[1024 + gid] = flag[slot];  // here
      break;
    }
    slot = (slot + 1) % 512;
  }
}
__device__ int find_plain(int* parent, int x) {
  while (parent[x] != x) x = parent[x];  // here
  return x;
}
__device__ int find_atomic(int* parent, int x) {
  int p;
  while ((p = atomicAdd(&parent[x], 0)) != x) x = p;
  return x;
}
KERNEL(right_union_find_of_atomics) {
  data[gid] = gid;
  cooperative_groups::this_grid().sync();
  int a = gid, b = (gid * 7 + 3) % 256;
  for (;;) {
    a = find_atomic(data, a);
    b = find_atomic(data, b);
    if (a == b) break;
    if (a < b) {
      const int kept = a;
      a = b;
      b = kept;
    }
    if (atomicCAS(&data[a], a, b) == a) break;
  }
}
KERNEL(wrong_global_race_union_find_with_plain_reads) {
  data[gid] = gid;
  cooperative_groups::this_grid().sync();
  int a = gid, b = (gid * 7 + 3) % 256;
  for (;;) {
    a = find_plain(data, a);  // here
    b = find_plain(data, b);  // here
    if (a == b) break;
    if (a < b) {
      const int kept = a;
      a = b;
      b = kept;
    }
    if (atomicCAS(&data[a], a, b) == a) break;  // here
  }
}
KERNEL(right_frontier_of_a_block) {
  __shared__ int frontier[64], count;
  if (tid == 0) count = 0;
  __syncthreads();
  if (flag[gid] == 0 && tid % 3 == 0) {
    const int at = atomicAdd(&count, 1);
    frontier[at] = tid;
  }
  __syncthreads();
  if (tid < count) data[bid * 64 + frontier[tid]] = 1;
}
KERNEL(wrong_shared_race_frontier_counted_too_early) {
  __shared__ int frontier[64], count;
  if (tid == 0) count = 0;
  __syncthreads();
  if (flag[gid] == 0 && tid % 3 == 0) {
    const int at = atomicAdd(&count, 1);  // here
    frontier[at] = tid;  // here
  }
  if (tid < count) data[bid * 64 + frontier[tid]] = 1;  // here
}
KERNEL(right_visited_by_one_value_of_all) {
  data[(gid * 5) % 64] = 1;
}
KERNEL(wrong_global_race_levels_that_differ) {
  if (data[(gid * 5) % 64] == 0) data[(gid * 5) % 64] = gid + 1;  // here
}
KERNEL(right_stencil_of_two_buffers) {
  __shared__ int s[2][66];
  s[0][tid + 1] = flag[gid];
  if (tid < 2) s[0][tid * 65] = s[1][tid * 65] = 0;
  __syncthreads();
  int from = 0;
  for (int i = 0; i < 6; ++i) {
    s[1 - from][tid + 1] = s[from][tid] + s[from][tid + 2];
    __syncthreads();
    from = 1 - from;
  }
  data[gid] = s[from][tid + 1];
}
KERNEL(wrong_shared_race_stencil_in_place) {
  __shared__ int s[66];
  s[tid + 1] = tid;
  if (tid < 2) s[tid * 65] = 0;
  __syncthreads();
  for (int i = 0; i < 6; ++i) {
    const int next = s[tid] + s[tid + 2];  // here
    s[tid + 1] = next;  // here
    __syncthreads();
  }
  data[gid] = s[tid + 1];
}
KERNEL(wrong_uninitialized_read_halo_of_the_second_buffer) {
  __shared__ int s[2][66];
  s[0][tid + 1] = flag[gid];
  if (tid < 2) s[0][tid * 65] = 0;
  __syncthreads();
  int from = 0;
  for (int i = 0; i < 2; ++i) {
    s[1 - from][tid + 1] = s[from][tid] + s[from][tid + 2];  // here
    __syncthreads();
    from = 1 - from;
  }
  data[gid] = s[from][tid + 1];
}
KERNEL(right_segmented_scan_by_shuffles) {
  int value = tid, head = tid % 5 == 0;
  for (int d = 1; d < 32; d *= 2) {
    const int v = __shfl_up_sync(~0u, value, d), h = __shfl_up_sync(~0u, head, d);
    if (tid % 32 >= d) {
      if (!head) value += v;
      head |= h;
    }
  }
  data[gid] = value;
}
KERNEL(wrong_wrong_mask_scan_in_a_branch) {
  int value = tid;
  for (int d = 1; d < 32; d *= 2) {
    if (tid % 32 >= d) value += __shfl_up_sync(0xffff0000u, value, d);  // here
  }
  data[gid] = value;
}
KERNEL(right_producer_and_consumer_with_two_barriers_each) {
  using B = cuda::barrier<cuda::thread_scope_block>;
  __shared__ B ready[2], filled[2];
  __shared__ int buffer[2][32];
  if (tid < 4) init(tid < 2 ? &ready[tid] : &filled[tid - 2], 64);
  __syncthreads();
  if (tid < 32) {
    for (int i = 0; i < 4; ++i) {
      ready[i % 2].arrive_and_wait();
      buffer[i % 2][tid] = i + tid;
      (void)filled[i % 2].arrive();
    }
  } else {
    (void)ready[0].arrive();
    (void)ready[1].arrive();
    int sum = 0;
    for (int i = 0; i < 4; ++i) {
      filled[i % 2].arrive_and_wait();
      sum += buffer[i % 2][63 - tid];
      (void)ready[i % 2].arrive();
    }
    data[gid] = sum;
  }
}
KERNEL(wrong_shared_race_producer_does_not_wait_until_ready) {
  using B = cuda::barrier<cuda::thread_scope_block>;
  __shared__ B ready[2], filled[2];
  __shared__ int buffer[2][32];
  if (tid < 4) init(tid < 2 ? &ready[tid] : &filled[tid - 2], 64);
  __syncthreads();
  if (tid < 32) {
    for (int i = 0; i < 2; ++i) {
      buffer[0][tid] = i + tid;  // here
      (void)filled[i % 2].arrive();
    }
  } else {
    int sum = 0;
    for (int i = 0; i < 2; ++i) {
      filled[i % 2].arrive_and_wait();
      sum += buffer[0][63 - tid];  // here
    }
    data[gid] = sum;
  }
}
KERNEL(wrong_global_race_atomic_ref_of_block_scope) {
  cuda::atomic_ref<int, cuda::thread_scope_block> c(data[0]);
  c.fetch_add(1, cuda::memory_order_relaxed);  // here
}
KERNEL(right_atomic_ref_of_device_scope) {
  cuda::atomic_ref<int, cuda::thread_scope_device> c(data[0]);
  c.fetch_add(1, cuda::memory_order_relaxed);
}
KERNEL(right_last_block_sums_as_in_the_guide) {
  __shared__ bool last;
  __shared__ int sum;
  if (tid == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, tid);
  __syncthreads();
  if (tid == 0) {
    data[bid] = sum;
    __threadfence();
    last = atomicInc(reinterpret_cast<unsigned*>(&flag[0]), gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && tid < 4) atomicAdd(&flag[1], data[tid]);
}
KERNEL(wrong_global_race_last_block_of_one_thread_each_without_fence) {
  __shared__ bool last;
  if (tid == 0) {
    data[bid] = bid;  // here
    last = atomicInc(reinterpret_cast<unsigned*>(&flag[0]), gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && tid < 4) atomicAdd(&flag[1], data[tid]);  // here
}
KERNEL(wrong_global_race_last_block_where_one_thread_fences_for_all) {
  __shared__ bool last;
  data[gid] = bid;  // here
  if (tid == 0) {
    __threadfence();
    last = atomicInc(reinterpret_cast<unsigned*>(&flag[0]), gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (last) atomicAdd(&flag[1], data[(gid + 64) % 256]);  // here
}
KERNEL(right_leader_writes_syncwarp_others_read) {
  __shared__ int s[2];
  const unsigned mask = __activemask();
  const int leader = __ffs(mask) - 1;
  if (tid % 32 == leader) s[tid / 32] = tid * 3;
  __syncwarp();
  data[gid] = s[tid / 32];
}
KERNEL(wrong_shared_race_leader_writes_again_before_others_read) {
  __shared__ int s[2];
  int sum = 0;
  for (int i = 0; i < 3; ++i) {
    if (tid % 32 == 0) s[tid / 32] = i + tid;  // here
    __syncwarp();
    sum += s[tid / 32];  // here
  }
  data[gid] = sum;
}
KERNEL(right_transposition_in_one_warp) {
  __shared__ int s[2][32 * 33];
  int* mine = s[tid / 32];
  for (int i = 0; i < 32; ++i) mine[(tid % 32) * 33 + i] = i;
  __syncwarp();
  int sum = 0;
  for (int i = 0; i < 32; ++i) sum += mine[i * 33 + tid % 32];
  data[gid] = sum;
}
