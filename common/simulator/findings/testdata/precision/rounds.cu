// Blocks that meet in rounds: a barrier of the grid that is missing is not made good by a later one.
#include <cooperative_groups.h>

#include "precision.h"

/// A barrier of the grid as it is written by hand: the `round`th time, from 1 on.
__device__ void meet(int* count, int round) {
  __syncthreads();
  if (tid == 0) {
    __threadfence();
    atomicAdd(count, 1);
    while (*static_cast<volatile int*>(count) < 4 * round) {
    }
    __threadfence();
  }
  __syncthreads();
}
/// The same that asks with an atomic operation.
__device__ void meet_by_atomics(int* count, int round) {
  __syncthreads();
  if (tid == 0) {
    __threadfence();
    atomicAdd(count, 1);
    while (atomicAdd(count, 0) < 4 * round) {
    }
    __threadfence();
  }
  __syncthreads();
}
/// The last one to come resets the count and turns the sense.
__device__ void meet_by_sense(int* count, int* sense, int mine) {
  __syncthreads();
  if (tid == 0) {
    __threadfence();
    if (atomicAdd(count, 1) == 3) {
      *static_cast<volatile int*>(count) = 0;
      __threadfence();
      *static_cast<volatile int*>(sense) = mine;
    } else {
      while (*static_cast<volatile int*>(sense) != mine) {
      }
    }
    __threadfence();
  }
  __syncthreads();
}

KERNEL(wrong_global_race_one_grid_sync_missing) {
  const auto grid = cooperative_groups::this_grid();
  data[gid] = gid;
  grid.sync();
  const int value = data[(gid + 64) % 256];  // here
  data[gid] = value + 1;                     // here
  grid.sync();
}
KERNEL(right_two_grid_syncs) {
  const auto grid = cooperative_groups::this_grid();
  data[gid] = gid;
  grid.sync();
  const int value = data[(gid + 64) % 256];
  grid.sync();
  data[gid] = value + 1;
  grid.sync();
}
KERNEL(wrong_global_race_rounds_with_one_grid_sync) {
  const auto grid = cooperative_groups::this_grid();
  for (int round = 0; round < 4; ++round) {
    const int value = data[(gid + 64) % 256];  // here
    data[gid] = value + 1;                     // here
    grid.sync();
  }
}
KERNEL(right_rounds_of_two_buffers) {
  const auto grid = cooperative_groups::this_grid();
  for (int round = 0; round < 4; ++round) {
    const int* from = data + 256 * (round % 2);
    int* to = data + 256 * (1 - round % 2);
    to[gid] = from[(gid + 64) % 256] + 1;
    grid.sync();
  }
}
KERNEL(wrong_global_race_one_meeting_missing) {
  data[gid] = gid;
  meet(flag, 1);
  const int value = data[(gid + 64) % 256];  // here
  data[gid] = value + 1;                     // here
  meet(flag, 2);
}
KERNEL(right_two_meetings) {
  data[gid] = gid;
  meet(flag, 1);
  const int value = data[(gid + 64) % 256];
  meet(flag, 2);
  data[gid] = value + 1;
}
KERNEL(wrong_global_race_one_meeting_by_atomics_missing) {
  data[gid] = gid;
  meet_by_atomics(flag, 1);
  const int value = data[(gid + 64) % 256];  // here
  data[gid] = value + 1;                     // here
  meet_by_atomics(flag, 2);
}
KERNEL(right_two_meetings_by_atomics) {
  data[gid] = gid;
  meet_by_atomics(flag, 1);
  const int value = data[(gid + 64) % 256];
  meet_by_atomics(flag, 2);
  data[gid] = value + 1;
}
KERNEL(wrong_global_race_one_meeting_by_sense_missing) {
  data[gid] = gid;
  meet_by_sense(&flag[0], &flag[1], 1);
  const int value = data[(gid + 64) % 256];  // here
  data[gid] = value + 1;                     // here
  meet_by_sense(&flag[0], &flag[1], 2);
}
KERNEL(right_two_meetings_by_sense) {
  data[gid] = gid;
  meet_by_sense(&flag[0], &flag[1], 1);
  const int value = data[(gid + 64) % 256];
  meet_by_sense(&flag[0], &flag[1], 2);
  data[gid] = value + 1;
}
// Read in one round, stored in the next, with a meeting of the others between.
KERNEL(wrong_global_race_stored_where_others_read_in_the_same_round) {
  int sum = 0;
  for (int round = 1; round <= 3; ++round) {
    sum += data[(gid + 64) % 256];    // here
    if (round == 2) data[gid] = sum;  // here
    meet(flag, round);
  }
  flag[64 + gid] = sum;
}
