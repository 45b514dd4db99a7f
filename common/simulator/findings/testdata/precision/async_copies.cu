// Asynchronous copies.
#include <cuda_pipeline.h>

#include "precision.h"

KERNEL(wrong_shared_race_copy_not_waited_for) {
  __shared__ int s[64];
  __pipeline_memcpy_async(&s[tid], &flag[tid], 4);  // here
  __pipeline_commit();
  data[gid] = s[tid];  // here
  __pipeline_wait_prior(0);
}
KERNEL(right_copy_waited_for) {
  __shared__ int s[64];
  __pipeline_memcpy_async(&s[tid], &flag[tid], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  data[gid] = s[tid];
}
KERNEL(wrong_shared_race_copy_without_barrier) {
  __shared__ int s[64];
  __pipeline_memcpy_async(&s[tid], &flag[tid], 4);  // here
  __pipeline_commit();
  __pipeline_wait_prior(0);
  data[gid] = s[tid ^ 32];  // here
}
KERNEL(right_copy_with_barrier) {
  __shared__ int s[64];
  __pipeline_memcpy_async(&s[tid], &flag[tid], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  data[gid] = s[tid ^ 32];
}
KERNEL(wrong_shared_race_copy_of_the_later_group) {
  __shared__ int s[2][64];
  __pipeline_memcpy_async(&s[0][tid], &flag[tid], 4);
  __pipeline_commit();
  __pipeline_memcpy_async(&s[1][tid], &flag[64 + tid], 4);  // here
  __pipeline_commit();
  __pipeline_wait_prior(1);
  __syncthreads();
  data[gid] = s[0][tid ^ 32] + s[1][tid ^ 32];  // here
}
KERNEL(right_two_buffers) {
  __shared__ int s[2][64];
  int sum = 0;
  __pipeline_memcpy_async(&s[0][tid], &flag[tid], 4);
  __pipeline_commit();
  for (int i = 1; i <= 8; ++i) {
    if (i < 8) __pipeline_memcpy_async(&s[i % 2][tid], &flag[i * 64 + tid], 4);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    sum += s[(i - 1) % 2][tid ^ 32];
    __syncthreads();
  }
  data[gid] = sum;
}
KERNEL(wrong_shared_race_buffer_filled_too_early) {
  __shared__ int s[2][64];
  int sum = 0;
  __pipeline_memcpy_async(&s[0][tid], &flag[tid], 4);
  __pipeline_commit();
  for (int i = 1; i <= 8; ++i) {
    if (i < 8) __pipeline_memcpy_async(&s[i % 2][tid], &flag[i * 64 + tid], 4);  // here
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    sum += s[(i - 1) % 2][tid ^ 32];  // here
  }
  data[gid] = sum;
}
