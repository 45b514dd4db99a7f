// Barriers that not all threads come to, in functions and beside other barriers.
#include "precision.h"

__noinline__ __device__ void meet() { __syncthreads(); }
__noinline__ __device__ void meet_deeper(int* to) {
  to[0] = 1;
  meet();
}
KERNEL(wrong_skipped_barrier_in_a_function_that_odd_threads_call) {
  if (tid % 2 == 1) meet();  // here
  data[gid] = tid;
}
KERNEL(right_barrier_in_a_function_that_all_threads_call) {
  meet();
  data[gid] = tid;
}
KERNEL(wrong_skipped_barrier_in_a_function_of_a_function) {
  if (tid % 2 == 1) meet_deeper(&flag[gid]);  // here
  data[gid] = tid;
}
KERNEL(right_barrier_in_a_function_in_both_branches) {
  if (tid < 32) {
    meet();
    data[gid] = 1;
  } else {
    flag[gid] = 1;
    meet();
  }
}
KERNEL(right_barrier_in_a_function_after_an_early_return) {
  if (tid >= 32) return;
  meet();
  data[gid] = tid;
}
KERNEL(wrong_skipped_barrier_of_one_warp_before_one_of_all) {
  __shared__ int s[64];
  s[tid] = tid;
  if (tid < 32) {
    __syncthreads();  // here
    data[gid] = s[tid + 32];
  }
  __syncthreads();  // here
  flag[gid] = s[63 - tid];
}
KERNEL(wrong_skipped_barrier_of_one_warp_with_a_condition_behind_it) {
  __shared__ int s[64];
  s[tid] = tid;
  if (tid < 32) {
    __syncthreads();  // here
    if (s[tid + 32] > 40) data[gid] = s[tid + 32];
  }
  __syncthreads();  // here
  flag[gid] = s[63 - tid];
}
KERNEL(right_barriers_of_both_branches) {
  __shared__ int s[64];
  s[tid] = tid;
  if (tid < 32) {
    __syncthreads();
    data[gid] = s[tid + 32];
  } else {
    __syncthreads();
    data[gid] = s[tid - 32];
  }
  __syncthreads();
  flag[gid] = s[63 - tid];
}
