// Blocks that wait for blocks.
#include <cooperative_groups.h>

#include "precision.h"

KERNEL(right_look_back) {
  volatile int* state = flag;        // 1: the block's own sum, 2: of all up to it
  volatile int* sums = data + 1024;  // of blocks
  volatile int* totals = data + 2048;
  if (tid == 0) {
    sums[bid] = bid + 1;
    __threadfence();
    state[bid] = 1;
    int before = 0;
    for (int other = bid - 1; other >= 0;) {
      const int is = state[other];
      __threadfence();
      if (is == 2) {
        before += totals[other];
        break;
      }
      if (is == 1) before += sums[other--];
    }
    totals[bid] = before + bid + 1;
    __threadfence();
    state[bid] = 2;
    data[bid] = before;
  }
}
KERNEL(wrong_global_race_look_back_without_fence) {
  volatile int* state = flag;
  if (tid == 0) {
    if (bid > 0) {
      while (state[bid - 1] == 0) {
      }
    }
    const int before = bid > 0 ? data[bid - 1] : 0;  // here
    data[bid] = before + 1;                          // here
    state[bid] = 1;
  }
}
KERNEL(right_release_and_acquire) {
  if (tid != 0) return;
  if (bid == 0) {
    data[0] = 7;
    asm volatile("st.release.gpu.global.s32 [%0], 1;" ::"l"(flag) : "memory");
  } else {
    int seen = 0;
    do {
      asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
    } while (seen == 0);
    flag[64 + bid] = data[0];
  }
}
KERNEL(wrong_global_race_relaxed_flag) {
  if (tid != 0) return;
  if (bid == 0) {
    data[0] = 7;  // here
    asm volatile("st.relaxed.gpu.global.s32 [%0], 1;" ::"l"(flag) : "memory");
  } else {
    int seen = 0;
    do {
      asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
    } while (seen == 0);
    flag[64 + bid] = data[0];  // here
  }
}
KERNEL(right_grid_sync) {
  data[gid] = gid;
  cooperative_groups::this_grid().sync();
  flag[gid] = data[255 - gid];
}
KERNEL(wrong_invalid_instruction_grid_sync_not_cooperative) {
  data[gid] = gid;
  cooperative_groups::this_grid().sync();  // here
  flag[gid] = data[255 - gid];
}
KERNEL(right_grid_asked_whether_it_is_valid_not_cooperative) {
  data[gid] = gid;
  const auto grid = cooperative_groups::this_grid();
  if (grid.is_valid()) {
    grid.sync();
    flag[gid] = data[255 - gid];
  }
}
KERNEL(right_coalesced_counter) {
  if (tid % 3 == 0) {
    const auto here = cooperative_groups::coalesced_threads();
    int first = 0;
    if (here.thread_rank() == 0) first = atomicAdd(&flag[0], int(here.size()));
    data[here.shfl(first, 0) + int(here.thread_rank())] = gid;
  }
}
