// Small kernels: those named wrong_KIND_… hold one mistake, in a line marked "here", that must be
// found and named; those named right_… look like one and must not be reported. Each is launched with
// 4 blocks of 64 threads, `data` and `flag` of 4096 zeros, and `raw`, 4096 ints nobody has written.
#define KERNEL(name) extern "C" __global__ void name(int* data, int* flag, int* raw)
#define tid int(threadIdx.x)
#define bid int(blockIdx.x)
#define gid (bid * 64 + tid)

// Global memory, between blocks.
KERNEL(wrong_global_race_one_counter) {
  if (tid == 0) data[0] = data[0] + 1 + bid;  // here
}
KERNEL(right_one_counter_atomic) {
  if (tid == 0) atomicAdd(&data[0], 1 + bid);
}
KERNEL(wrong_global_race_neighbour_block) {
  data[gid] = gid + 1;  // here
  flag[gid] = data[(gid + 64) % 256];  // here
}
KERNEL(right_own_elements) {
  data[gid] = gid + 1;
  flag[gid] = data[gid];
}
KERNEL(wrong_global_race_atomic_and_plain) {
  if (tid == 0) atomicAdd(&data[0], 1);  // here
  if (tid == 1) flag[gid] = data[0];  // here
}
KERNEL(right_atomic_and_atomic) {
  if (tid == 0) atomicAdd(&data[0], 1);
  if (tid == 1) flag[gid] = atomicAdd(&data[0], 0);
}
KERNEL(wrong_global_race_different_values) {
  data[7] = gid;  // here
}
KERNEL(right_same_value) { data[7] = 3; }
KERNEL(wrong_global_race_last_block_without_fence) {
  __shared__ bool last;
  if (tid == 0) {
    data[bid] = bid + 1;  // here
    last = atomicAdd(&flag[0], 1) == int(gridDim.x) - 1;
  }
  __syncthreads();
  if (last && tid < 4) flag[64 + tid] = data[tid];  // here
}
KERNEL(right_last_block) {
  __shared__ bool last;
  if (tid == 0) {
    data[bid] = bid + 1;
    __threadfence();
    last = atomicAdd(&flag[0], 1) == int(gridDim.x) - 1;
  }
  __syncthreads();
  if (last && tid < 4) flag[64 + tid] = data[tid];
  if (last && tid == 0) flag[0] = 0;
}
KERNEL(wrong_global_race_fence_of_the_block_only) {
  __shared__ bool last;
  if (tid == 0) {
    data[bid] = bid + 1;  // here
    __threadfence_block();
    last = atomicAdd(&flag[0], 1) == int(gridDim.x) - 1;
  }
  __syncthreads();
  if (last && tid < 4) flag[64 + tid] = data[tid];  // here
}
KERNEL(wrong_global_race_flag_without_fence) {
  volatile int* ready = flag;
  if (tid != 0) return;
  if (bid > 0) {
    while (ready[bid - 1] == 0) {
    }
    data[bid] = data[bid - 1] + 1;  // here
  } else {
    data[0] = 1;  // here
  }
  ready[bid] = 1;
}
KERNEL(right_flag_with_fence) {
  volatile int* ready = flag;
  if (tid != 0) return;
  if (bid > 0) {
    while (ready[bid - 1] == 0) {
    }
    __threadfence();
    data[bid] = data[bid - 1] + 1;
  } else {
    data[0] = 1;
  }
  __threadfence();
  ready[bid] = 1;
}
KERNEL(right_flag_and_value_in_one_word) {
  volatile int* state = flag;
  if (tid != 0) return;
  int before = 1;
  if (bid > 0) {
    while ((before = state[bid - 1]) == 0) {
    }
  }
  state[bid] = before + 1;
}
KERNEL(wrong_global_race_lock_without_fence) {
  if (tid != 0) return;
  while (atomicCAS(&flag[0], 0, 1) != 0) {
  }
  data[0] = data[0] + 1;  // here
  atomicExch(&flag[0], 0);
}
KERNEL(right_lock) {
  if (tid != 0) return;
  while (atomicCAS(&flag[0], 0, 1) != 0) {
  }
  __threadfence();
  data[0] = data[0] + 1;
  __threadfence();
  atomicExch(&flag[0], 0);
}
KERNEL(right_own_barrier_of_the_grid) {
  data[gid] = gid;
  __syncthreads();
  if (tid == 0) {
    __threadfence();
    atomicAdd(&flag[0], 1);
    while (atomicAdd(&flag[0], 0) < int(gridDim.x)) {
    }
    __threadfence();
  }
  __syncthreads();
  flag[64 + gid] = data[255 - gid];
}
KERNEL(wrong_global_race_barrier_of_the_grid_without_fence) {
  data[gid] = gid;  // here
  __syncthreads();
  if (tid == 0) {
    atomicAdd(&flag[0], 1);
    while (atomicAdd(&flag[0], 0) < int(gridDim.x)) {
    }
  }
  __syncthreads();
  flag[64 + gid] = data[255 - gid];  // here
}

// Global memory, within a block.
KERNEL(wrong_global_race_between_warps) {
  data[gid] = gid;  // here
  flag[gid] = data[bid * 64 + 63 - tid];  // here
}
KERNEL(right_barrier_between_warps) {
  data[gid] = gid;
  __syncthreads();
  flag[gid] = data[bid * 64 + 63 - tid];
}
KERNEL(wrong_global_race_within_a_warp) {
  if (tid >= 32) return;
  data[gid] = gid;  // here
  flag[gid] = data[bid * 64 + 31 - tid];  // here
}
KERNEL(right_syncwarp_within_a_warp) {
  if (tid >= 32) return;
  data[gid] = gid;
  __syncwarp();
  flag[gid] = data[bid * 64 + 31 - tid];
}
KERNEL(right_bytes_of_one_word) {
  reinterpret_cast<char*>(data)[gid] = 1;
}
KERNEL(wrong_global_race_word_of_four_bytes) {
  reinterpret_cast<char*>(data)[gid] = char(tid);  // here
  if (gid < 64) flag[gid] = data[gid];  // here
}

// Shared memory.
KERNEL(wrong_shared_race_missing_barrier) {
  __shared__ int s[64];
  s[tid] = tid;  // here
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

// What nobody has written.
KERNEL(wrong_uninitialized_read_global) {
  data[gid] = raw[gid];  // here
}
KERNEL(right_written_before) {
  raw[gid] = gid;
  data[gid] = raw[gid];
}
KERNEL(wrong_uninitialized_read_atomic) {
  atomicAdd(&raw[1000], 1);  // here
}
KERNEL(wrong_uninitialized_read_shared) {
  __shared__ int s[64];
  if (tid > 0) s[tid] = tid;
  __syncthreads();
  data[gid] = s[tid];  // here
}
KERNEL(right_halo_filled) {
  __shared__ int s[66];
  s[tid + 1] = tid;
  if (tid == 0) s[0] = s[65] = 0;
  __syncthreads();
  data[gid] = s[tid] + s[tid + 2];
}
KERNEL(wrong_uninitialized_read_part_of_a_word) {
  reinterpret_cast<char*>(raw)[4 * (2000 + gid)] = 1;
  data[gid] = raw[2000 + gid];  // here
}
KERNEL(wrong_uninitialized_read_local) {
  int a[8];
  a[tid % 4] = 1;
  data[gid] = a[(tid + flag[0] + 4) % 8];  // here
}
KERNEL(right_local_array) {
  int a[8];
  for (int i = 0; i < 8; ++i) a[i] = flag[i];
  data[gid] = a[(tid + flag[0] + 4) % 8];
}

// Barriers.
KERNEL(wrong_barrier_divergence_half_a_warp) {
  if (tid % 2 == 0) {
    __syncthreads();  // here
    data[gid] = 1;
  } else {
    __syncthreads();  // here
    data[gid] = 2;
  }
}
KERNEL(right_barrier_after_exit) {
  if (tid >= 32) return;
  __syncthreads();
  data[gid] = 1;
}
KERNEL(right_barrier_by_condition_of_the_block) {
  if (bid % 2 == 0) __syncthreads();
  data[gid] = 1;
}
