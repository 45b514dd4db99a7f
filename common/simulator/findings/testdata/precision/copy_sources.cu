// The source of an asynchronous copy, which is read until the copy has been waited for.
#include <cuda_awbarrier_primitives.h>
#include <cuda_pipeline.h>

#include "precision.h"

KERNEL(wrong_global_race_source_overwritten_by_its_own_thread) {
  __shared__ int s[64];
  __pipeline_memcpy_async(&s[tid], &data[gid], 4);  // here
  __pipeline_commit();
  data[gid] = tid;  // here
  __pipeline_wait_prior(0);
  flag[gid] = s[tid];
}
KERNEL(right_source_overwritten_after_the_wait) {
  __shared__ int s[64];
  __pipeline_memcpy_async(&s[tid], &data[gid], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  data[gid] = tid;
  flag[gid] = s[tid];
}
KERNEL(wrong_global_race_source_overwritten_behind_a_barrier_before_the_wait) {
  __shared__ int s[64];
  __pipeline_memcpy_async(&s[tid], &data[gid], 4);  // here
  __pipeline_commit();
  __syncthreads();
  data[bid * 64 + 63 - tid] = tid;  // here
  __pipeline_wait_prior(0);
  flag[gid] = s[tid];
}
KERNEL(right_source_overwritten_behind_wait_and_barrier) {
  __shared__ int s[64];
  __pipeline_memcpy_async(&s[tid], &data[gid], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  data[bid * 64 + 63 - tid] = tid;
  flag[gid] = s[tid];
}
KERNEL(wrong_global_race_source_overwritten_after_the_wait_of_another_thread) {
  __shared__ int s[64];
  __pipeline_memcpy_async(&s[tid], &data[gid], 4);  // here
  __pipeline_commit();
  __pipeline_wait_prior(0);
  data[bid * 64 + (tid ^ 1)] = tid;  // here
  flag[gid] = s[tid];
}
KERNEL(wrong_global_race_source_of_the_later_group) {
  __shared__ int s[2][64];
  __pipeline_memcpy_async(&s[0][tid], &data[gid], 4);
  __pipeline_commit();
  __pipeline_memcpy_async(&s[1][tid], &data[1024 + gid], 4);  // here
  __pipeline_commit();
  __pipeline_wait_prior(1);
  data[1024 + gid] = s[0][tid];  // here
  __pipeline_wait_prior(0);
}
KERNEL(right_source_of_the_earlier_group) {
  __shared__ int s[2][64];
  __pipeline_memcpy_async(&s[0][tid], &data[gid], 4);
  __pipeline_commit();
  __pipeline_memcpy_async(&s[1][tid], &data[1024 + gid], 4);
  __pipeline_commit();
  __pipeline_wait_prior(1);
  data[gid] = s[0][tid];
  __pipeline_wait_prior(0);
}
KERNEL(wrong_global_race_source_overwritten_before_the_phase_ends) {
  __shared__ int s[64];
  __shared__ __mbarrier_t filled;
  if (tid == 0) __mbarrier_init(&filled, 64);
  __syncthreads();
  __pipeline_memcpy_async(&s[tid], &data[gid], 4);  // here
  __pipeline_arrive_on(&filled);
  const __mbarrier_token_t token = __mbarrier_arrive(&filled);
  data[gid] = tid;  // here
  while (!__mbarrier_test_wait(&filled, token)) {
  }
  flag[gid] = s[tid];
}
KERNEL(right_source_overwritten_by_those_who_saw_the_phase_ended) {
  __shared__ int s[64];
  __shared__ __mbarrier_t filled;
  if (tid == 0) __mbarrier_init(&filled, 64);
  __syncthreads();
  __pipeline_memcpy_async(&s[tid], &data[gid], 4);
  __pipeline_arrive_on(&filled);
  const __mbarrier_token_t token = __mbarrier_arrive(&filled);
  while (!__mbarrier_test_wait(&filled, token)) {
  }
  data[bid * 64 + 63 - tid] = tid;
  flag[gid] = s[tid];
}
// Rounds in place: what is copied in one round is overwritten in the next.
KERNEL(right_rounds_in_place) {
  __shared__ int s[64];
  for (int round = 0; round < 12; ++round) {
    __pipeline_memcpy_async(&s[tid], &data[gid], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    data[gid] = s[63 - tid] + 1;
    __syncthreads();
  }
}
KERNEL(wrong_global_race_last_round_in_place) {
  __shared__ int s[64];
  for (int round = 0; round < 12; ++round) {
    __pipeline_memcpy_async(&s[tid], &data[gid], 4);  // here
    __pipeline_commit();
    if (round < 11) __pipeline_wait_prior(0);
    __syncthreads();
    data[gid] = round;  // here
    __syncthreads();
  }
}
