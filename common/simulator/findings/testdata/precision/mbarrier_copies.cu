// Asynchronous copies that arrive at an mbarrier: only who has seen its phase ended has them.
#include <cooperative_groups.h>
#include <cuda_awbarrier_primitives.h>
#include <cuda_pipeline.h>

#include <cuda/barrier>
#include <cuda/pipeline>

#include "precision.h"

// Of barriers in shared memory, which init() makes.
#pragma nv_diag_suppress static_var_with_dynamic_init

using BlockBarrier = cuda::barrier<cuda::thread_scope_block>;

KERNEL(wrong_shared_race_copy_at_an_mbarrier_by_a_thread_that_did_not_test) {
  __shared__ int s[64];
  __shared__ __mbarrier_t filled;
  if (tid == 0) __mbarrier_init(&filled, 64);
  __syncthreads();
  __pipeline_memcpy_async(&s[tid], &flag[tid], 4);  // here
  __pipeline_arrive_on(&filled);
  const __mbarrier_token_t token = __mbarrier_arrive(&filled);
  if (tid < 32) {
    while (!__mbarrier_test_wait(&filled, token)) {
    }
  } else {
    data[gid] = s[tid];  // here
  }
}
KERNEL(right_copy_at_an_mbarrier_that_all_test) {
  __shared__ int s[64];
  __shared__ __mbarrier_t filled;
  if (tid == 0) __mbarrier_init(&filled, 64);
  __syncthreads();
  __pipeline_memcpy_async(&s[tid], &flag[tid], 4);
  __pipeline_arrive_on(&filled);
  const __mbarrier_token_t token = __mbarrier_arrive(&filled);
  while (!__mbarrier_test_wait(&filled, token)) {
  }
  data[gid] = s[63 - tid];
}
KERNEL(right_copy_that_one_warp_tests_before_a_barrier) {
  __shared__ int s[64];
  __shared__ __mbarrier_t filled;
  if (tid == 0) __mbarrier_init(&filled, 64);
  __syncthreads();
  __pipeline_memcpy_async(&s[tid], &flag[tid], 4);
  __pipeline_arrive_on(&filled);
  const __mbarrier_token_t token = __mbarrier_arrive(&filled);
  if (tid < 32) {
    while (!__mbarrier_test_wait(&filled, token)) {
    }
  }
  __syncthreads();
  data[gid] = s[63 - tid];
}
KERNEL(wrong_shared_race_copy_behind_a_barrier_that_nobody_tested) {
  __shared__ int s[64];
  __shared__ __mbarrier_t filled;
  if (tid == 0) __mbarrier_init(&filled, 64);
  __syncthreads();
  __pipeline_memcpy_async(&s[tid], &flag[tid], 4);  // here
  __pipeline_arrive_on(&filled);
  __mbarrier_arrive(&filled);
  __syncthreads();
  data[gid] = s[63 - tid];  // here
}
KERNEL(wrong_shared_race_copy_in_the_stage_of_another_mbarrier) {
  __shared__ int s[2][64];
  __shared__ __mbarrier_t filled[2];
  if (tid < 2) __mbarrier_init(&filled[tid], 64);
  __syncthreads();
  __mbarrier_token_t token = 0;
  for (int i = 1; i >= 0; --i) {
    __pipeline_memcpy_async(&s[i][tid], &flag[64 * i + tid], 4);  // here
    __pipeline_arrive_on(&filled[i]);
    const __mbarrier_token_t arrived = __mbarrier_arrive(&filled[i]);
    if (i == 1) token = arrived;
  }
  while (!__mbarrier_test_wait(&filled[1], token)) {
  }
  data[gid] = s[0][63 - tid];  // here
}
KERNEL(right_copies_in_two_stages) {
  __shared__ int s[2][64];
  __shared__ __mbarrier_t filled[2];
  if (tid < 2) __mbarrier_init(&filled[tid], 64);
  __syncthreads();
  __mbarrier_token_t tokens[2];
  for (int i = 0; i < 2; ++i) {
    __pipeline_memcpy_async(&s[i][tid], &flag[64 * i + tid], 4);
    __pipeline_arrive_on(&filled[i]);
    tokens[i] = __mbarrier_arrive(&filled[i]);
  }
  int sum = 0;
  for (int i = 0; i < 2; ++i) {
    while (!__mbarrier_test_wait(&filled[i], tokens[i])) {
    }
    sum += s[i][63 - tid];
  }
  data[gid] = sum;
}
KERNEL(right_copy_tested_by_others_and_waited_for_by_its_own_thread) {
  __shared__ int s[64];
  __shared__ __mbarrier_t filled;
  if (tid == 0) __mbarrier_init(&filled, 64);
  __syncthreads();
  __pipeline_memcpy_async(&s[tid], &flag[tid], 4);
  __pipeline_arrive_on(&filled);
  const __mbarrier_token_t token = __mbarrier_arrive(&filled);
  if (tid < 32) {
    while (!__mbarrier_test_wait(&filled, token)) {
    }
    data[gid] = s[tid] + s[tid + 32];
  } else {
    __pipeline_commit();
    __pipeline_wait_prior(0);
    data[gid] = s[tid];
  }
}
KERNEL(wrong_shared_race_bulk_of_a_barrier_not_waited_for) {
  __shared__ int s[64];
  __shared__ BlockBarrier filled;
  if (tid == 0) init(&filled, 64);
  __syncthreads();
  cuda::memcpy_async(&s[tid], &flag[tid], sizeof(int), filled);  // here
  auto token = filled.arrive();
  if (tid < 32) {
    filled.wait(std::move(token));
  } else {
    data[gid] = s[tid];  // here
  }
}
KERNEL(right_bulk_of_a_barrier) {
  __shared__ int s[64];
  __shared__ BlockBarrier filled;
  if (tid == 0) init(&filled, 64);
  __syncthreads();
  cuda::memcpy_async(&s[tid], &flag[tid], sizeof(int), filled);
  filled.arrive_and_wait();
  data[gid] = s[63 - tid];
}
KERNEL(wrong_shared_race_pipeline_without_consumer_wait) {
  __shared__ int s[64];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto pipeline = cuda::make_pipeline(cooperative_groups::this_thread_block(), &state);
  pipeline.producer_acquire();
  cuda::memcpy_async(&s[tid], &flag[tid], sizeof(int), pipeline);  // here
  pipeline.producer_commit();
  __syncthreads();
  data[gid] = s[63 - tid];  // here
  pipeline.consumer_release();
}
KERNEL(right_pipeline) {
  __shared__ int s[64];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto pipeline = cuda::make_pipeline(cooperative_groups::this_thread_block(), &state);
  pipeline.producer_acquire();
  cuda::memcpy_async(&s[tid], &flag[tid], sizeof(int), pipeline);
  pipeline.producer_commit();
  pipeline.consumer_wait();
  data[gid] = s[63 - tid];
  pipeline.consumer_release();
}
KERNEL(wrong_shared_race_pipeline_of_a_thread_without_consumer_wait) {
  __shared__ int s[64];
  auto pipeline = cuda::make_pipeline();
  pipeline.producer_acquire();
  cuda::memcpy_async(&s[tid], &flag[tid], sizeof(int), pipeline);  // here
  pipeline.producer_commit();
  __syncthreads();
  data[gid] = s[63 - tid];  // here
  pipeline.consumer_release();
}
KERNEL(right_pipeline_of_a_thread) {
  __shared__ int s[64];
  auto pipeline = cuda::make_pipeline();
  pipeline.producer_acquire();
  cuda::memcpy_async(&s[tid], &flag[tid], sizeof(int), pipeline);
  pipeline.producer_commit();
  pipeline.consumer_wait();
  __syncthreads();
  data[gid] = s[63 - tid];
  pipeline.consumer_release();
}
KERNEL(wrong_shared_race_stage_filled_again_before_all_released_it) {
  __shared__ int s[32];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 1> state;
  auto pipeline = cuda::make_pipeline(cooperative_groups::this_thread_block(), &state);
  for (int i = 0; i < 2; ++i) {
    pipeline.producer_acquire();
    if (tid < 32) cuda::memcpy_async(&s[tid], &flag[tid], sizeof(int), pipeline);  // here
    pipeline.producer_commit();
    pipeline.consumer_wait();
    if (i == 0) pipeline.consumer_release();
    data[gid] = s[tid % 32];  // here
  }
  pipeline.consumer_release();
}
KERNEL(right_stage_filled_again_after_all_released_it) {
  __shared__ int s[32];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 1> state;
  auto pipeline = cuda::make_pipeline(cooperative_groups::this_thread_block(), &state);
  for (int i = 0; i < 2; ++i) {
    pipeline.producer_acquire();
    if (tid < 32) cuda::memcpy_async(&s[tid], &flag[tid], sizeof(int), pipeline);
    pipeline.producer_commit();
    pipeline.consumer_wait();
    data[gid] = s[tid % 32];
    pipeline.consumer_release();
  }
}

// The mbarrier itself: who uses it must come after its init.
KERNEL(wrong_shared_race_mbarrier_used_before_a_barrier_follows_its_init) {
  __shared__ __mbarrier_t filled;
  if (tid == 0) __mbarrier_init(&filled, 64);  // here
  __mbarrier_arrive(&filled);                  // here
}
KERNEL(right_mbarrier_used_behind_a_barrier) {
  __shared__ __mbarrier_t filled;
  if (tid == 0) __mbarrier_init(&filled, 64);
  __syncthreads();
  __mbarrier_arrive(&filled);
}
KERNEL(wrong_shared_race_mbarrier_of_a_warp_used_without_syncwarp) {
  __shared__ __mbarrier_t filled[2];
  if (tid % 32 == 0) __mbarrier_init(&filled[tid / 32], 32);              // here
  const __mbarrier_token_t token = __mbarrier_arrive(&filled[tid / 32]);  // here
  while (!__mbarrier_test_wait(&filled[tid / 32], token)) {
  }
}
KERNEL(right_mbarrier_of_a_warp_used_behind_syncwarp) {
  __shared__ __mbarrier_t filled[2];
  if (tid % 32 == 0) __mbarrier_init(&filled[tid / 32], 32);
  __syncwarp();
  const __mbarrier_token_t token = __mbarrier_arrive(&filled[tid / 32]);
  while (!__mbarrier_test_wait(&filled[tid / 32], token)) {
  }
}
KERNEL(wrong_shared_race_mbarrier_as_target_of_a_copy_before_a_barrier) {
  __shared__ int s[64];
  __shared__ __mbarrier_t filled;
  if (tid == 0) __mbarrier_init(&filled, 64);  // here
  __pipeline_memcpy_async(&s[tid], &flag[tid], 4);
  __pipeline_arrive_on(&filled);  // here
}
KERNEL(wrong_shared_race_mbarrier_waited_for_by_another_warp_before_a_barrier) {
  __shared__ BlockBarrier filled;
  if (tid == 0) {
    init(&filled, 1);  // here
    (void)filled.arrive();
  }
  if (tid == 32) {
    filled.wait_parity(0);  // here
  }
}
KERNEL(right_mbarrier_waited_for_by_its_own_thread) {
  __shared__ BlockBarrier filled;
  if (tid == 0) {
    init(&filled, 1);
    filled.wait(filled.arrive());
  }
}
