// Bulk copies between global and shared memory: mbarriers that count bytes, groups, and fences between the
// stores of threads and what such copies read. Compiled for compute_90, which has them.
#include <cooperative_groups.h>

#include <cuda/barrier>
#include <cuda/ptx>

#include "precision.h"

#pragma nv_diag_suppress static_var_with_dynamic_init

namespace cde = cuda::device::experimental;
namespace ptx = cuda::ptx;
using BlockBarrier = cuda::barrier<cuda::thread_scope_block>;
constexpr cuda::aligned_size_t<16> bytes(256);

KERNEL(right_bulk_copy_in_and_out) {
  __shared__ alignas(16) int s[64];
  __shared__ BlockBarrier barrier;
  if (tid == 0) {
    init(&barrier, 64);
    cde::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  if (tid == 0) cuda::memcpy_async(s, data + bid * 64, bytes, barrier);
  barrier.arrive_and_wait();
  s[tid] += s[tid] + tid;
  cde::fence_proxy_async_shared_cta();
  __syncthreads();
  if (tid == 0) {
    cde::cp_async_bulk_shared_to_global(data + bid * 64, s, sizeof(s));
    cde::cp_async_bulk_commit_group();
    cde::cp_async_bulk_wait_group_read<0>();
  }
}
KERNEL(wrong_shared_race_bulk_copy_read_before_the_phase_ends) {
  __shared__ alignas(16) int s[64];
  __shared__ BlockBarrier barrier;
  if (tid == 0) init(&barrier, 64);
  __syncthreads();
  BlockBarrier::arrival_token token;
  if (tid == 0) {
    cuda::device::memcpy_async_tx(s, data, bytes, barrier);  // here
    token = cuda::device::barrier_arrive_tx(barrier, 1, sizeof(s));
  } else {
    token = barrier.arrive();
  }
  flag[gid] = s[63 - tid];  // here
  barrier.wait(std::move(token));
}
KERNEL(right_bulk_copy_announced) {
  __shared__ alignas(16) int s[64];
  __shared__ BlockBarrier barrier;
  if (tid == 0) init(&barrier, 64);
  __syncthreads();
  BlockBarrier::arrival_token token;
  if (tid == 0) {
    cuda::device::memcpy_async_tx(s, data, bytes, barrier);
    token = cuda::device::barrier_arrive_tx(barrier, 1, sizeof(s));
  } else {
    token = barrier.arrive();
  }
  barrier.wait(std::move(token));
  flag[gid] = s[63 - tid];
}
KERNEL(wrong_invalid_instruction_bulk_copy_not_announced) {
  __shared__ alignas(16) int s[64];
  __shared__ uint64_t barrier;
  if (tid == 0) ptx::mbarrier_init(&barrier, 1);
  __syncthreads();
  if (tid == 0) {
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, s, data, sizeof(s), &barrier);
    ptx::mbarrier_arrive(&barrier);  // here
  }
  while (!ptx::mbarrier_try_wait_parity(&barrier, 0)) {
  }
  flag[gid] = s[63 - tid];
}
KERNEL(right_stages_of_bulk_copies_in_turn) {
  __shared__ alignas(16) int s[2][64];
  __shared__ uint64_t full[2], empty[2];
  if (tid == 0) {
    for (int i = 0; i < 2; ++i) {
      ptx::mbarrier_init(full + i, 1);
      ptx::mbarrier_init(empty + i, 32);
    }
    ptx::fence_proxy_async(ptx::space_shared);
  }
  __syncthreads();
  if (tid == 32) {
    for (int i = 0; i < 6; ++i) {
      const int stage = i % 2, round = i / 2;
      if (round > 0) {
        while (!ptx::mbarrier_try_wait_parity(empty + stage, (round - 1) % 2)) {
        }
      }
      ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                                     full + stage, 256);
      ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, s[stage], data + i * 64, 256,
                         full + stage);
    }
  }
  if (tid < 32) {
    int sum = 0;
    for (int i = 0; i < 6; ++i) {
      const int stage = i % 2, round = i / 2;
      while (!ptx::mbarrier_try_wait_parity(full + stage, round % 2)) {
      }
      sum += s[stage][tid] + s[stage][63 - tid];
      ptx::mbarrier_arrive(empty + stage);
    }
    flag[gid] = sum;
  }
}
KERNEL(wrong_shared_race_bulk_copy_over_what_others_still_read) {
  __shared__ alignas(16) int s[64];
  __shared__ uint64_t full[2];
  if (tid < 2) ptx::mbarrier_init(full + tid, 1);
  __syncthreads();
  for (int i = 0; i < 2; ++i) {
    if (tid == 32) {
      ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, full + i,
                                     256);
      const int* from = data + i * 64;
      ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, s, from, 256, full + i);  // here
    }
    while (!ptx::mbarrier_try_wait_parity(full + i, 0)) {
    }
    if (tid < 32) flag[gid] += s[tid];  // here
  }
}
KERNEL(wrong_shared_race_bulk_copy_at_the_barrier_of_another_stage) {
  __shared__ alignas(16) int s[2][64];
  __shared__ uint64_t full[2];
  if (tid == 0) {
    for (int i = 0; i < 2; ++i) ptx::mbarrier_init(full + i, 1);
    ptx::fence_proxy_async(ptx::space_shared);
  }
  __syncthreads();
  if (tid == 0) {
    for (int i = 0; i < 2; ++i) {
      ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, full + i,
                                     256);
      ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, s[i], data + i * 64, 256,  // here
                         full + i);                                                        // here
    }
  }
  while (!ptx::mbarrier_try_wait_parity(full + 1, 0)) {
  }
  flag[gid] = s[0][tid];  // here
}
KERNEL(wrong_shared_race_bulk_copy_of_stores_without_a_proxy_fence) {
  __shared__ alignas(16) int s[64];
  s[tid] = tid;  // here
  __syncthreads();
  if (tid == 0) {
    cde::cp_async_bulk_shared_to_global(data + bid * 64, s, sizeof(s));  // here
    cde::cp_async_bulk_commit_group();
    cde::cp_async_bulk_wait_group_read<0>();
  }
}
KERNEL(wrong_shared_race_proxy_fence_of_one_thread_before_the_barrier) {
  __shared__ alignas(16) int s[64];
  s[tid] = tid;  // here
  if (tid == 0) cde::fence_proxy_async_shared_cta();
  __syncthreads();
  if (tid == 0) {
    cde::cp_async_bulk_shared_to_global(data + bid * 64, s, sizeof(s));  // here
    cde::cp_async_bulk_commit_group();
    cde::cp_async_bulk_wait_group_read<0>();
  }
}
KERNEL(right_proxy_fence_of_one_thread_behind_the_barrier) {
  __shared__ alignas(16) int s[64];
  s[tid] = tid;
  __syncthreads();
  if (tid == 0) {
    cde::fence_proxy_async_shared_cta();
    cde::cp_async_bulk_shared_to_global(data + bid * 64, s, sizeof(s));
    cde::cp_async_bulk_commit_group();
    cde::cp_async_bulk_wait_group_read<0>();
  }
}
KERNEL(wrong_shared_race_bulk_copy_before_the_barrier) {
  __shared__ alignas(16) int s[64];
  s[tid] = tid;  // here
  cde::fence_proxy_async_shared_cta();
  if (tid == 0) {
    cde::cp_async_bulk_shared_to_global(data + bid * 64, s, sizeof(s));  // here
    cde::cp_async_bulk_commit_group();
    cde::cp_async_bulk_wait_group_read<0>();
  }
}
KERNEL(wrong_shared_race_source_of_a_bulk_copy_stored_to_too_early) {
  __shared__ alignas(16) int s[64];
  s[tid] = tid;
  cde::fence_proxy_async_shared_cta();
  __syncthreads();
  if (tid == 0) {
    cde::cp_async_bulk_shared_to_global(data + bid * 64, s, sizeof(s));  // here
    cde::cp_async_bulk_commit_group();
  }
  __syncthreads();
  s[tid] = 2 * tid;  // here
  if (tid == 0) cde::cp_async_bulk_wait_group_read<0>();
  __syncthreads();
  flag[gid] = s[63 - tid];
}
KERNEL(right_source_of_a_bulk_copy_stored_to_behind_the_wait) {
  __shared__ alignas(16) int s[64];
  for (int round = 0; round < 3; ++round) {
    s[tid] = tid + round;
    cde::fence_proxy_async_shared_cta();
    __syncthreads();
    if (tid == 0) {
      cde::cp_async_bulk_shared_to_global(data + (bid * 3 + round) * 64, s, sizeof(s));
      cde::cp_async_bulk_commit_group();
      cde::cp_async_bulk_wait_group_read<0>();
    }
    __syncthreads();
  }
}
KERNEL(right_two_groups_of_bulk_copies_on_their_way) {
  __shared__ alignas(16) int s[2][64];
  for (int round = 0; round < 4; ++round) {
    if (tid == 0) cde::cp_async_bulk_wait_group_read<1>();
    __syncthreads();
    s[round % 2][tid] = tid + round;
    cde::fence_proxy_async_shared_cta();
    __syncthreads();
    if (tid == 0) {
      cde::cp_async_bulk_shared_to_global(data + (bid * 4 + round) * 64, s[round % 2], 256);
      cde::cp_async_bulk_commit_group();
    }
  }
  if (tid == 0) cde::cp_async_bulk_wait_group_read<0>();
}
KERNEL(wrong_shared_race_third_group_of_two_buffers) {
  __shared__ alignas(16) int s[2][64];
  for (int round = 0; round < 4; ++round) {
    if (tid == 0) cde::cp_async_bulk_wait_group_read<2>();
    __syncthreads();
    s[round % 2][tid] = tid + round;  // here
    cde::fence_proxy_async_shared_cta();
    __syncthreads();
    if (tid == 0) {
      cde::cp_async_bulk_shared_to_global(data + (bid * 4 + round) * 64, s[round % 2],
                                          256);  // here
      cde::cp_async_bulk_commit_group();
    }
  }
  if (tid == 0) cde::cp_async_bulk_wait_group_read<0>();
}
KERNEL(wrong_global_race_what_a_bulk_copy_writes_read_behind_its_source) {
  __shared__ alignas(16) int s[64];
  s[tid] = tid;
  cde::fence_proxy_async_shared_cta();
  __syncthreads();
  if (tid == 0) {
    cde::cp_async_bulk_shared_to_global(data + bid * 64, s, sizeof(s));  // here
    cde::cp_async_bulk_commit_group();
    cde::cp_async_bulk_wait_group_read<0>();
  }
  __syncthreads();
  flag[gid] = data[bid * 64 + 63 - tid];  // here
}
KERNEL(right_what_a_bulk_copy_writes_read_behind_the_wait) {
  __shared__ alignas(16) int s[64];
  s[tid] = tid;
  cde::fence_proxy_async_shared_cta();
  __syncthreads();
  if (tid == 0) {
    cde::cp_async_bulk_shared_to_global(data + bid * 64, s, sizeof(s));
    cde::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
  }
  __syncthreads();
  flag[gid] = data[bid * 64 + 63 - tid];
}
KERNEL(wrong_global_race_source_of_a_bulk_copy_stored_to_before_it_is_there) {
  __shared__ alignas(16) int s[64];
  __shared__ BlockBarrier barrier;
  if (tid == 0) init(&barrier, 64);
  __syncthreads();
  if (tid == 0) cuda::memcpy_async(s, data + bid * 64, bytes, barrier);  // here
  data[bid * 64 + tid] = 5;                                              // here
  barrier.arrive_and_wait();
  flag[gid] = s[63 - tid];
}
KERNEL(wrong_misaligned_bulk_copy) {
  __shared__ alignas(16) int s[64];
  __shared__ uint64_t barrier;
  if (tid == 0) ptx::mbarrier_init(&barrier, 1);
  __syncthreads();
  if (tid == 0) {
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier,
                                   128);
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, s, data + 1, 128, &barrier);  // here
  }
  while (!ptx::mbarrier_try_wait_parity(&barrier, 0)) {
  }
  flag[gid] = s[tid / 4];
}
KERNEL(wrong_invalid_instruction_bulk_copy_of_20_bytes) {
  __shared__ alignas(16) int s[64];
  __shared__ uint64_t full;
  const int size = 20 + flag[0];
  if (tid == 0) ptx::mbarrier_init(&full, 1);
  __syncthreads();
  if (tid == 0) {
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, 20);
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, s, data, size, &full);  // here
  }
  while (!ptx::mbarrier_try_wait_parity(&full, 0)) {
  }
  flag[gid] = s[tid / 16];
}
KERNEL(wrong_out_of_bounds_bulk_copy_behind_a_shared_array) {
  __shared__ alignas(16) int s[64];
  __shared__ uint64_t barrier;
  if (tid == 0) ptx::mbarrier_init(&barrier, 1);
  __syncthreads();
  if (tid == 0) {
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier,
                                   272);
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, s, data, 272, &barrier);  // here
  }
  while (!ptx::mbarrier_try_wait_parity(&barrier, 0)) {
  }
  flag[gid] = s[tid];
}
KERNEL(wrong_uninitialized_read_of_what_a_bulk_copy_brought) {
  __shared__ alignas(16) int s[64];
  __shared__ uint64_t barrier;
  if (tid == 0) ptx::mbarrier_init(&barrier, 1);
  __syncthreads();
  if (tid == 0) {
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier,
                                   256);
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, s, raw, 256, &barrier);
  }
  while (!ptx::mbarrier_try_wait_parity(&barrier, 0)) {
  }
  flag[gid] = s[tid] + 1;  // here
}
KERNEL(wrong_uninitialized_read_bulk_copy_of_what_nobody_stored) {
  __shared__ alignas(16) int s[64];
  if (tid < 60) s[tid] = tid;
  cde::fence_proxy_async_shared_cta();
  __syncthreads();
  if (tid == 0) {
    cde::cp_async_bulk_shared_to_global(data + bid * 64, s, sizeof(s));  // here
    cde::cp_async_bulk_commit_group();
    cde::cp_async_bulk_wait_group_read<0>();
  }
}
KERNEL(right_group_copies_in_bulk) {
  __shared__ alignas(16) int s[64];
  __shared__ BlockBarrier barrier;
  if (tid == 0) init(&barrier, 64);
  __syncthreads();
  cuda::memcpy_async(cooperative_groups::this_thread_block(), s, data + bid * 64, bytes, barrier);
  barrier.arrive_and_wait();
  flag[gid] = s[63 - tid];
}
KERNEL(right_bulk_copy_seen_by_one_warp_before_a_barrier) {
  __shared__ alignas(16) int s[64];
  __shared__ uint64_t barrier;
  if (tid == 0) ptx::mbarrier_init(&barrier, 1);
  __syncthreads();
  if (tid < 32) {
    if (tid == 0) {
      ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier,
                                     256);
      ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, s, data, 256, &barrier);
    }
    __syncwarp();
    while (!ptx::mbarrier_try_wait_parity(&barrier, 0)) {
    }
  }
  __syncthreads();
  flag[gid] = s[63 - tid];
}
