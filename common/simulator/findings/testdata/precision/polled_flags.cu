// Flags that one lane of a warp polls or sets for the others.
#include "precision.h"

KERNEL(wrong_global_race_one_lane_polls_for_its_warp) {
  volatile int* ready = flag;
  if (bid == 0 && tid == 0) {
    for (int i = 0; i < 32; ++i) data[i] = i;  // here
    __threadfence();
    ready[0] = 1;
  }
  if (bid == 1 && tid < 32) {
    if (tid == 0) {
      while (ready[0] == 0) {
      }
      __threadfence();
    }
    flag[64 + tid] = data[tid];  // here
  }
}
KERNEL(right_one_lane_polls_for_its_warp_and_syncwarp) {
  volatile int* ready = flag;
  if (bid == 0 && tid == 0) {
    for (int i = 0; i < 32; ++i) data[i] = i;
    __threadfence();
    ready[0] = 1;
  }
  if (bid == 1 && tid < 32) {
    if (tid == 0) {
      while (ready[0] == 0) {
      }
      __threadfence();
    }
    __syncwarp();
    flag[64 + tid] = data[tid];
  }
}
KERNEL(right_every_lane_polls) {
  volatile int* ready = flag;
  if (bid == 0 && tid == 0) {
    for (int i = 0; i < 32; ++i) data[i] = i;
    __threadfence();
    ready[0] = 1;
  }
  if (bid == 1 && tid < 32) {
    while (ready[0] == 0) {
    }
    __threadfence();
    flag[64 + tid] = data[tid];
  }
}
KERNEL(right_shuffle_from_the_lane_that_polls) {
  volatile int* ready = flag;
  if (bid == 0 && tid == 0) {
    for (int i = 0; i < 32; ++i) data[i] = i;
    __threadfence();
    ready[0] = 1;
  }
  if (bid == 1 && tid < 32) {
    int seen = 0;
    if (tid == 0) {
      while ((seen = ready[0]) == 0) {
      }
      __threadfence();
    }
    seen = __shfl_sync(0xffffffff, seen, 0);
    flag[64 + tid] = data[tid] + seen;
  }
}
KERNEL(wrong_shared_race_one_lane_polls_for_its_warp) {
  __shared__ int s[32];
  __shared__ volatile int ready;
  if (tid == 0) ready = 0;
  __syncthreads();
  if (tid < 32) {
    s[tid] = tid;  // here
    __syncwarp();
    if (tid == 0) {
      __threadfence_block();
      ready = 1;
    }
  } else {
    if (tid == 32) {
      while (ready == 0) {
      }
      __threadfence_block();
    }
    data[gid] = s[tid - 32];  // here
  }
}
KERNEL(right_one_lane_polls_in_shared_memory_and_syncwarp) {
  __shared__ int s[32];
  __shared__ volatile int ready;
  if (tid == 0) ready = 0;
  __syncthreads();
  if (tid < 32) {
    s[tid] = tid;
    __syncwarp();
    if (tid == 0) {
      __threadfence_block();
      ready = 1;
    }
  } else {
    if (tid == 32) {
      while (ready == 0) {
      }
      __threadfence_block();
    }
    __syncwarp();
    data[gid] = s[tid - 32];
  }
}
KERNEL(wrong_shared_race_one_lane_sets_a_flag_for_its_warp) {
  __shared__ int s[32];
  __shared__ volatile int ready;
  if (tid == 0) ready = 0;
  __syncthreads();
  if (tid < 32) {
    s[tid] = tid;  // here
    if (tid == 0) {
      __threadfence_block();
      ready = 1;
    }
  } else {
    while (ready == 0) {
    }
    __threadfence_block();
    data[gid] = s[tid - 32];  // here
  }
}
KERNEL(right_every_lane_fences_and_one_sets_the_flag_behind_a_barrier) {
  volatile int* ready = flag;
  data[gid] = gid;
  __threadfence();
  __syncthreads();
  if (tid == 0) ready[bid] = 1;
  if (tid == 0) {
    while (ready[(bid + 1) % 4] == 0) {
    }
  }
  __syncthreads();
  flag[64 + gid] = data[(gid + 64) % 256];
}

// What a flag says is what was released into it.
KERNEL(wrong_global_race_flag_of_another_block) {
  volatile int* ready = flag;
  if (tid != 0) return;
  if (bid < 2) {
    data[bid] = bid + 1;  // here
    __threadfence();
    ready[bid] = 1;
  }
  if (bid == 2) {
    while (ready[0] == 0) {
    }
    __threadfence();
    data[100] = data[1];  // here
  }
}
KERNEL(right_flag_of_the_block_that_wrote) {
  volatile int* ready = flag;
  if (tid != 0) return;
  if (bid < 2) {
    data[bid] = bid + 1;
    __threadfence();
    ready[bid] = 1;
  }
  if (bid == 2) {
    while (ready[1] == 0) {
    }
    __threadfence();
    data[100] = data[1];
  }
}
KERNEL(wrong_shared_race_flag_of_another_warp_in_4_warps) {
  __shared__ int s[4];
  __shared__ volatile int ready[4];
  if (tid < 4) ready[tid] = 0;
  __syncthreads();
  if (tid % 32 != 0) return;
  const int warp = tid / 32;
  if (warp < 2) {
    s[warp] = warp;  // here
    __threadfence_block();
    ready[warp] = 1;
  }
  if (warp == 2) {
    while (ready[0] == 0) {
    }
    __threadfence_block();
    data[gid] = s[1];  // here
  }
}
KERNEL(right_flag_of_the_warp_that_wrote_in_4_warps) {
  __shared__ int s[4];
  __shared__ volatile int ready[4];
  if (tid < 4) ready[tid] = 0;
  __syncthreads();
  if (tid % 32 != 0) return;
  const int warp = tid / 32;
  if (warp < 2) {
    s[warp] = warp;
    __threadfence_block();
    ready[warp] = 1;
  }
  if (warp == 2) {
    while (ready[1] == 0) {
    }
    __threadfence_block();
    data[gid] = s[1];
  }
}
KERNEL(right_counter_of_all_blocks_that_arrived) {
  if (tid != 0) return;
  data[bid] = bid;
  __threadfence();
  atomicAdd(&flag[0], 1);
  while (atomicAdd(&flag[0], 0) < 4) {
  }
  __threadfence();
  flag[64 + bid] = data[(bid + 1) % 4];
}

// Neighbours of one warp.
KERNEL(wrong_shared_race_volatile_neighbours_behind_a_fence_of_the_block) {
  __shared__ volatile int s[64];
  s[tid] = tid;  // here
  __threadfence_block();
  data[gid] = s[tid ^ 1];  // here
}
KERNEL(right_volatile_neighbours_behind_syncwarp) {
  __shared__ volatile int s[64];
  s[tid] = tid;
  __syncwarp();
  data[gid] = s[tid ^ 1];
}
// A barrier of some lanes does for a fence of theirs, and of no others.
KERNEL(wrong_global_race_syncwarp_of_other_lanes_is_no_fence) {
  volatile int* ready = flag;
  if (bid == 0 && tid == 0) {
    data[0] = 1;  // here
    __threadfence();
    ready[0] = 1;
  }
  if (bid == 1 && tid < 32) {
    while (ready[0] == 0) {
    }
    if (tid < 16)
      __syncwarp(0x0000ffff);
    else
      flag[64 + tid] = data[0];  // here
  }
}
KERNEL(right_syncwarp_of_the_reading_lanes_is_a_fence) {
  volatile int* ready = flag;
  if (bid == 0 && tid == 0) {
    data[0] = 1;
    __threadfence();
    ready[0] = 1;
  }
  if (bid == 1 && tid < 32) {
    while (ready[0] == 0) {
    }
    if (tid < 16) {
      __syncwarp(0x0000ffff);
      flag[64 + tid] = data[0];
    }
  }
}
