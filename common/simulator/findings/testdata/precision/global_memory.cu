// Global memory: between blocks, and within one.
#include "precision.h"

KERNEL(wrong_global_race_one_counter) {
  if (tid == 0) data[0] = data[0] + 1 + bid;  // here
}
KERNEL(right_one_counter_atomic) {
  if (tid == 0) atomicAdd(&data[0], 1 + bid);
}
KERNEL(wrong_global_race_neighbour_block) {
  data[gid] = gid + 1;                 // here
  flag[gid] = data[(gid + 64) % 256];  // here
}
KERNEL(right_own_elements) {
  data[gid] = gid + 1;
  flag[gid] = data[gid];
}
KERNEL(wrong_global_race_atomic_and_plain) {
  if (tid == 0) atomicAdd(&data[0], 1);  // here
  if (tid == 1) flag[gid] = data[0];     // here
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
  data[gid] = gid;                        // here
  flag[gid] = data[bid * 64 + 63 - tid];  // here
}
KERNEL(right_barrier_between_warps) {
  data[gid] = gid;
  __syncthreads();
  flag[gid] = data[bid * 64 + 63 - tid];
}
KERNEL(wrong_global_race_within_a_warp) {
  if (tid >= 32) return;
  data[gid] = gid;                        // here
  flag[gid] = data[bid * 64 + 31 - tid];  // here
}
KERNEL(right_syncwarp_within_a_warp) {
  if (tid >= 32) return;
  data[gid] = gid;
  __syncwarp();
  flag[gid] = data[bid * 64 + 31 - tid];
}
KERNEL(right_bytes_of_one_word) { reinterpret_cast<char*>(data)[gid] = 1; }
KERNEL(wrong_global_race_word_of_four_bytes) {
  reinterpret_cast<char*>(data)[gid] = char(tid);  // here
  if (gid < 64) flag[gid] = data[gid];             // here
}
