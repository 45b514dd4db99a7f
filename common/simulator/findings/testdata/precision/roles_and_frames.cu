// Warps with roles in a pipeline, large tiles, masks of warp barriers, and arrays of a function's callers.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>

#include <cuda/pipeline>

#include "precision.h"

namespace cg = cooperative_groups;

#pragma nv_diag_suppress static_var_with_dynamic_init

KERNEL(right_pipeline_of_producers_and_consumers) {
  __shared__ int s[2][32];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  const auto block = cg::this_thread_block();
  const bool produces = tid < 32;
  auto pipe = cuda::make_pipeline(
      block, &state, produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  if (produces) {
    for (int i = 0; i < 4; ++i) {
      pipe.producer_acquire();
      cuda::memcpy_async(&s[i % 2][tid], data + i * 32 + tid, sizeof(int), pipe);
      pipe.producer_commit();
    }
  } else {
    int sum = 0;
    for (int i = 0; i < 4; ++i) {
      pipe.consumer_wait();
      sum += s[i % 2][63 - tid];
      pipe.consumer_release();
    }
    flag[gid] = sum;
  }
}
KERNEL(wrong_shared_race_consumer_reads_behind_its_release) {
  __shared__ int s[2][32];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  const auto block = cg::this_thread_block();
  const bool produces = tid < 32;
  auto pipe = cuda::make_pipeline(
      block, &state, produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  if (produces) {
    for (int i = 0; i < 4; ++i) {
      pipe.producer_acquire();
      cuda::memcpy_async(&s[i % 2][tid], data + i * 32 + tid, sizeof(int), pipe);  // here
      pipe.producer_commit();
    }
  } else {
    int sum = 0;
    for (int i = 0; i < 4; ++i) {
      pipe.consumer_wait();
      pipe.consumer_release();
      sum += s[i % 2][63 - tid];  // here
    }
    flag[gid] = sum;
  }
}
KERNEL(right_tile_of_64_threads) {
  __shared__ int s[64];
  const auto tile = cg::tiled_partition<64>(cg::this_thread_block());
  s[tid] = tid;
  tile.sync();
  data[gid] = s[63 - tid];
}
KERNEL(wrong_shared_race_tiles_of_64_threads_in_4_warps) {
  __shared__ int s[128];
  const auto tile = cg::tiled_partition<64>(cg::this_thread_block());
  s[tid] = tid;  // here
  tile.sync();
  data[gid] = s[127 - tid];  // here
}
KERNEL(right_halves_of_a_warp_meet_apart) {
  __shared__ int s[64];
  const unsigned half = tid % 32 < 16 ? 0xffffu : 0xffff0000u;
  s[tid] = tid;
  __syncwarp(half);
  data[gid] = s[tid ^ 15];
}
KERNEL(wrong_shared_race_halves_of_a_warp_meet_apart) {
  __shared__ int s[64];
  const unsigned half = tid % 32 < 16 ? 0xffffu : 0xffff0000u;
  s[tid] = tid;  // here
  __syncwarp(half);
  data[gid] = s[tid ^ 16];  // here
}
KERNEL(right_leaders_of_warps_sum_for_all_in_4_warps) {
  __shared__ int sums[4];
  const int sum = __reduce_add_sync(0xffffffff, tid);
  if (tid % 32 == 0) sums[tid / 32] = sum;
  __syncthreads();
  int all = 0;
  for (int w = 0; w < 4; ++w) all += sums[w];
  data[gid] = all;
}
KERNEL(wrong_shared_race_leaders_of_warps_use_their_sums_again_in_4_warps) {
  __shared__ int sums[4];
  for (int round = 0; round < 2; ++round) {
    const int sum = __reduce_add_sync(0xffffffff, tid + round);
    if (tid % 32 == 0) sums[tid / 32] = sum;  // here
    __syncthreads();
    int all = 0;
    for (int w = 0; w < 4; ++w) all += sums[w];  // here
    data[gid] += all;
  }
}
static __device__ __noinline__ void set_at(int* a, int i, int value) { a[i] = value; }
KERNEL(right_array_of_the_caller) {
  int a[4] = {};
  set_at(a, tid % 4, tid);
  data[gid] = a[flag[tid] + tid % 4];
}
static __device__ __noinline__ void set_past(int* a, int i, int value);
KERNEL(wrong_out_of_bounds_array_of_the_caller) {
  int a[4] = {};
  set_past(a, 4 + flag[tid], tid);
  data[gid] = a[flag[tid] + tid % 4];
}
static __device__ __noinline__ void set_past(int* a, int i, int value) {
  a[i] = value;  // here
}
KERNEL(right_prefix_of_a_tile_in_registers_and_memory) {
  __shared__ int s[64];
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int sum = tid;
  for (int step = 1; step < 32; step *= 2) {
    const int left = warp.shfl_up(sum, step);
    if (int(warp.thread_rank()) >= step) sum += left;
  }
  s[tid] = sum;
  __syncthreads();
  data[gid] = sum + (tid >= 32 ? s[31] : 0);
}
KERNEL(wrong_shared_race_prefix_in_place_by_a_warp) {
  __shared__ int s[64];
  s[tid] = tid;
  __syncthreads();
  for (int step = 1; step < 32; step *= 2) {
    const int left = tid % 32 >= step ? s[tid - step] : 0;  // here
    s[tid] += left;                                         // here
    __syncwarp();
  }
  data[gid] = s[tid];
}
KERNEL(right_graph_levels_with_a_meeting_of_all) {
  const auto grid = cg::this_grid();
  for (int level = 1; level <= 3; ++level) {
    if (data[gid] == level - 1) {
      const int neighbour = (gid * 7 + 1) % 256;
      atomicCAS(flag + neighbour, 0, level);
    }
    grid.sync();
    data[gid] = flag[gid];
    grid.sync();
  }
}
KERNEL(wrong_global_race_graph_levels_with_one_meeting) {
  const auto grid = cg::this_grid();
  for (int level = 1; level <= 3; ++level) {
    if (data[gid] == level - 1) {  // here
      const int neighbour = (gid * 7 + 1) % 256;
      data[neighbour] = level;  // here
    }
    grid.sync();
  }
}
KERNEL(right_memcpy_and_memset_in_a_kernel) {
  struct Packet {
    int words[6];
  };
  __shared__ Packet packets[64];
  memset(packets + tid, 0, sizeof(Packet));
  __syncthreads();
  memcpy(packets + tid, data + gid * 6, sizeof(Packet));
  __syncthreads();
  flag[gid] = packets[63 - tid].words[5];
}
KERNEL(wrong_shared_race_memcpy_over_a_packet_still_read) {
  struct Packet {
    int words[6];
  };
  __shared__ Packet packets[64];
  memcpy(packets + tid, data + gid * 6, sizeof(Packet));  // here
  flag[gid] = packets[63 - tid].words[5];                 // here
}
KERNEL(right_matrix_transposed_through_padded_memory) {
  __shared__ int tile[8][9];
  tile[tid / 8][tid % 8] = data[gid];
  __syncthreads();
  flag[gid] = tile[tid % 8][tid / 8];
}
KERNEL(wrong_uninitialized_read_of_the_padding_of_a_tile) {
  __shared__ int tile[8][9];
  tile[tid / 8][tid % 8] = data[gid];
  __syncthreads();
  flag[gid] = tile[tid % 8][tid / 8 + 1] + 1;  // here
}
KERNEL(right_bins_of_each_warp_then_of_the_block_in_4_warps) {
  __shared__ int bins[4][16];
  if (tid < 64) bins[tid / 16][tid % 16] = 0;
  __syncthreads();
  atomicAdd(&bins[tid / 32][tid * 5 % 16], 1);
  __syncthreads();
  if (tid < 16) {
    int sum = 0;
    for (int w = 0; w < 4; ++w) sum += bins[w][tid];
    atomicAdd(flag + tid, sum);
  }
}
KERNEL(wrong_shared_race_bins_cleared_by_one_warp_in_4_warps) {
  __shared__ int bins[4][16];
  if (tid < 64) bins[tid / 16][tid % 16] = 0;  // here
  __syncwarp();
  atomicAdd(&bins[tid / 32][tid * 5 % 16], 1);  // here
  __syncthreads();
  if (tid < 16) atomicAdd(flag + tid, bins[0][tid]);
}
