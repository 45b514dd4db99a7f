// Shared memory.
#include "precision.h"

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
