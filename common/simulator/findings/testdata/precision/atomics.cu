// Atomic accesses beside plain ones, and their scopes.
#include "precision.h"

// A thread's own atomic does not hide what it stored before from the others.
KERNEL(wrong_shared_race_store_behind_own_atomic) {
  __shared__ int count;
  if (tid == 0) count = 0;  // here
  atomicAdd(&count, 1);     // here
  __syncthreads();
  data[gid] = count;
}
KERNEL(right_store_before_a_barrier_and_atomics) {
  __shared__ int count;
  if (tid == 0) count = 0;
  __syncthreads();
  atomicAdd(&count, 1);
  __syncthreads();
  data[gid] = count;
}
KERNEL(wrong_shared_race_store_behind_own_atomic_of_a_warp) {
  __shared__ int count[2];
  if (tid % 32 == 0) count[tid / 32] = 0;  // here
  atomicAdd(&count[tid / 32], 1);          // here
  __syncthreads();
  data[gid] = count[tid / 32];
}
KERNEL(right_store_and_atomics_of_a_warp_in_order) {
  __shared__ int count[2];
  if (tid % 32 == 0) count[tid / 32] = 0;
  __syncwarp();
  atomicAdd(&count[tid / 32], 1);
  __syncthreads();
  data[gid] = count[tid / 32];
}
KERNEL(wrong_global_race_store_behind_own_atomic) {
  if (tid == 0) data[bid] = 0;  // here
  atomicAdd(&data[bid], 1);     // here
}
KERNEL(right_store_before_a_barrier_and_global_atomics) {
  if (tid == 0) data[bid] = 0;
  __syncthreads();
  atomicAdd(&data[bid], 1);
}
KERNEL(wrong_global_race_store_behind_own_atomic_of_a_warp) {
  if (tid % 32 == 0) data[gid / 32] = 0;  // here
  atomicAdd(&data[gid / 32], 1);          // here
}
KERNEL(right_store_and_global_atomics_of_a_warp_in_order) {
  if (tid % 32 == 0) data[gid / 32] = 0;
  __syncwarp();
  atomicAdd(&data[gid / 32], 1);
}

// Nor does it hide the atomics of others from what it stores afterwards.
KERNEL(wrong_shared_race_own_atomic_before_a_store) {
  __shared__ int largest;
  if (tid == 0) largest = 0;
  __syncthreads();
  atomicMax(&largest, tid);      // here
  if (tid == 63) largest = 100;  // here
  __syncthreads();
  data[gid] = largest;
}
KERNEL(right_atomics_before_a_barrier_and_a_store) {
  __shared__ int largest;
  if (tid == 0) largest = 0;
  __syncthreads();
  atomicMax(&largest, tid);
  __syncthreads();
  if (tid == 63) largest = 100;
  __syncthreads();
  data[gid] = largest;
}
KERNEL(wrong_shared_race_own_atomic_before_a_read) {
  __shared__ int largest;
  if (tid == 0) largest = 0;
  __syncthreads();
  atomicMax(&largest, tid);            // here
  if (tid == 63) data[gid] = largest;  // here
}
KERNEL(right_own_atomic_tells_what_was_there) {
  __shared__ int largest;
  if (tid == 0) largest = 0;
  __syncthreads();
  data[gid] = atomicMax(&largest, tid);
}
KERNEL(wrong_shared_race_atomics_of_one_warp_before_a_store) {
  __shared__ int largest;
  if (tid == 0) largest = 0;
  __syncthreads();
  if (tid < 32) atomicMax(&largest, tid);  // here
  if (tid == 31) largest = 100;            // here
  __syncthreads();
  data[gid] = largest;
}
KERNEL(right_atomics_of_one_warp_and_a_store_in_order) {
  __shared__ int largest;
  if (tid == 0) largest = 0;
  __syncthreads();
  if (tid < 32) atomicMax(&largest, tid);
  __syncwarp();
  if (tid == 31) largest = 100;
  __syncthreads();
  data[gid] = largest;
}
KERNEL(wrong_shared_race_warps_in_order_but_one) {
  __shared__ int largest;
  if (tid == 0) largest = 0;
  __syncthreads();
  atomicMax(&largest, tid);  // here
  __syncwarp();
  if (tid == 63) largest = 100;  // here
  __syncthreads();
  data[gid] = largest;
}
KERNEL(wrong_global_race_own_atomic_before_a_store) {
  atomicMax(&data[bid], tid);      // here
  if (tid == 63) data[bid] = 100;  // here
}
KERNEL(right_global_atomics_before_a_barrier_and_a_store) {
  atomicMax(&data[bid], tid);
  __syncthreads();
  if (tid == 63) data[bid] = 100;
}
KERNEL(wrong_global_race_atomics_of_blocks_before_a_store) {
  atomicMax(&data[0], tid);  // here
  __syncthreads();
  if (bid == 3 && tid == 63) data[0] = 100;  // here
}
KERNEL(right_last_block_stores_behind_atomics) {
  __shared__ bool last;
  atomicMax(&data[0], tid);
  __threadfence();
  __syncthreads();
  if (tid == 0) last = atomicAdd(&flag[0], 1) == int(gridDim.x) - 1;
  __syncthreads();
  if (last && tid == 63) data[0] = 100;
}

// Scopes.
KERNEL(wrong_global_race_atomics_of_block_scope) {
  atomicAdd_block(&data[0], 1);  // here
}
KERNEL(right_atomics_of_block_scope_in_one_block) {
  atomicAdd_block(&data[bid], 1);
  __syncthreads();
  if (tid == 0) atomicAdd(&data[100], data[bid]);
}
KERNEL(wrong_global_race_scope_of_one_of_two) {
  if (bid % 2 == 0) {
    atomicAdd(&data[0], 1);  // here
  } else {
    atomicAdd_block(&data[0], 1);  // here
  }
}
KERNEL(right_scope_of_the_system) {
  if (bid % 2 == 0) {
    atomicAdd(&data[0], 1);
  } else {
    atomicAdd_system(&data[0], 1);
  }
}
KERNEL(wrong_global_race_lock_of_block_scope) {
  if (tid != 0) return;
  while (atomicCAS_block(&flag[0], 0, 1) != 0) {  // here
  }
  __threadfence();
  data[0] = data[0] + 1;  // here
  __threadfence();
  atomicExch_block(&flag[0], 0);  // here
}
KERNEL(right_block_scope_then_another_block) {
  __shared__ bool last;
  atomicAdd_block(&data[bid], 1);
  __threadfence();
  __syncthreads();
  if (tid == 0) last = atomicAdd(&flag[0], 1) == int(gridDim.x) - 1;
  __syncthreads();
  if (last && tid == 0) {
    for (int block = 0; block < 4; ++block) atomicAdd_block(&data[100], data[block]);
  }
}

// Of one word, by operations of two sizes.
KERNEL(wrong_global_race_atomics_of_two_sizes) {
  auto* wide = reinterpret_cast<unsigned long long*>(data);
  if (bid == 0) {
    atomicAdd(wide + tid % 4, 1ull);  // here
  } else {
    atomicAdd(data + tid % 8, 1);  // here
  }
}
KERNEL(wrong_shared_race_atomics_of_two_sizes) {
  __shared__ unsigned long long pair;
  if (tid == 0) pair = 0;
  __syncthreads();
  if (tid < 32) {
    atomicMax(&pair, 0x100000000ull + tid);  // here
  } else {
    atomicAdd(reinterpret_cast<unsigned*>(&pair), 1u);  // here
  }
  __syncthreads();
  data[gid] = static_cast<int>(pair);
}
KERNEL(wrong_global_race_compare_and_swap_beside_a_smaller_add) {
  auto* wide = reinterpret_cast<unsigned long long*>(data);
  if (tid % 2 == 0) {
    atomicCAS(wide, 0ull, 5ull);  // here
  } else {
    atomicAdd(data + 1, 1);  // here
  }
}
KERNEL(right_atomics_of_two_sizes_on_words_of_their_own) {
  auto* wide = reinterpret_cast<unsigned long long*>(data);
  atomicAdd(wide + tid % 4, 1ull);
  atomicAdd(data + 8 + tid % 8, 1);
}
KERNEL(right_atomics_of_two_sizes_with_a_barrier_between) {
  __shared__ unsigned long long pair;
  if (tid == 0) pair = 0;
  __syncthreads();
  atomicAdd(reinterpret_cast<unsigned*>(&pair), 1u);
  __syncthreads();
  atomicAdd(&pair, 1ull << 32);
  __syncthreads();
  data[gid] = static_cast<int>(pair);
}
KERNEL(right_atomics_of_two_sizes_of_one_thread) {
  auto* wide = reinterpret_cast<unsigned long long*>(data) + gid;
  atomicAdd(wide, 1ull);
  atomicAdd(reinterpret_cast<int*>(wide), 1);
}
KERNEL(wrong_global_race_counter_cleared_for_its_own_block_only) {
  if (bid == 0 && tid == 0) flag[40] = 0;  // here
  __syncthreads();
  data[gid] = atomicAdd(flag + 40, 1);  // here
}
KERNEL(right_counter_of_each_block_cleared_first) {
  if (tid == 0) flag[bid] = 0;
  __syncthreads();
  data[gid] = atomicAdd(flag + bid, 1);
}
KERNEL(wrong_global_race_maximum_read_by_a_lane_that_took_part) {
  if (bid == 0 && tid == 0) flag[8] = 0;
  __syncwarp();
  if (bid == 0 && (tid == 16 || tid == 17)) atomicMax(flag + 8, tid);  // here
  if (bid == 0 && tid == 17) data[0] = flag[8];                        // here
}
