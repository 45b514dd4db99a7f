// Loops around barriers: threads that go from barrier to barrier for ever, and some that look like that.
#include "precision.h"

KERNEL(wrong_timeout_around_a_barrier_while_nobody_is_done) {
  __shared__ int done;
  if (tid == 0) done = 0;
  __syncthreads();
  while (!done) {     // here
    __syncthreads();  // here
  }
  data[gid] = 1;
}
KERNEL(right_around_a_barrier_until_one_is_done) {
  __shared__ int done;
  if (tid == 0) done = 0;
  __syncthreads();
  for (int round = 0; !done; ++round) {
    __syncthreads();
    if (tid == 0 && round == 1500) done = 1;
    __syncthreads();
  }
  data[gid] = 1;
}
KERNEL(wrong_timeout_around_a_barrier_while_global_memory_is_zero) {
  while (data[64] == 0) {  // here
    __syncthreads();       // here
  }
  data[gid] = 1;
}
// The first warp's registers and what it reads are the same in each round; the other one counts.
KERNEL(right_around_a_barrier_while_another_warp_counts) {
  __shared__ int done;
  if (tid == 0) done = 0;
  __syncthreads();
  if (tid < 32) {
    while (!done) {
      __syncthreads();
      __syncthreads();
    }
  } else {
    for (int round = 0; round < 3000; ++round) {
      __syncthreads();
      if (tid == 32 && round == 2999) done = 1;
      __syncthreads();
    }
  }
  data[gid] = 1;
}
KERNEL(wrong_timeout_rounds_that_change_the_same_again_and_again) {
  __shared__ int changed;
  bool again = true;
  while (again) {                     // here
    __syncthreads();                  // here
    if (tid == 0) changed = 0;        // here
    __syncthreads();                  // here
    if (flag[gid] == 0) changed = 1;  // here
    __syncthreads();                  // here
    again = changed != 0;             // here
  }
  data[gid] = 1;
}
KERNEL(right_rounds_until_nothing_changes) {
  __shared__ int changed;
  bool again = true;
  while (again) {
    __syncthreads();
    if (tid == 0) changed = 0;
    __syncthreads();
    if (data[gid] < 700) {
      ++data[gid];
      changed = 1;
    }
    __syncthreads();
    again = changed != 0;
  }
}
KERNEL(wrong_timeout_around_a_vote_of_the_block) {
  while (__syncthreads_or(flag[gid] == 0)) {  // here
  }
  data[gid] = 1;
}
KERNEL(right_around_a_vote_of_the_block) {
  int round = 0;
  while (__syncthreads_or(round < 600 + tid)) ++round;
  data[gid] = round;
}
// Another block lets them go on.
KERNEL(right_around_barriers_while_one_thread_polls) {
  __shared__ int seen;
  if (bid == 0) {
    int sum = 0;
    for (int i = 0; i < 20000; ++i) sum = sum * 3 + flag[i % 64];
    data[gid] = sum;
    __threadfence();
    __syncthreads();
    if (tid == 0) atomicExch(&flag[100], 1);
    return;
  }
  do {
    __syncthreads();
    if (tid == 0) seen = *static_cast<volatile int*>(&flag[100]);
    __threadfence();
    __syncthreads();
  } while (seen == 0);
  data[gid] = data[tid] + 1;
}
