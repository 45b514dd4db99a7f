// Loops of compare-and-swaps: their first look may be plain where the swap judges what it saw, as in the
// CUDA C++ Programming Guide's atomic operations made of atomicCAS. Where anything else hangs on what it
// saw, it is a read like any other.
#include <cuda_bf16.h>

#include "precision.h"

KERNEL(right_first_look_of_an_addition) {
  auto* const sum = reinterpret_cast<unsigned long long*>(data);
  unsigned long long old = *sum, assumed;
  do {
    assumed = old;
    old = atomicCAS(sum, assumed, __double_as_longlong(1.0 + __longlong_as_double(assumed)));
  } while (assumed != old);
}
KERNEL(right_first_look_of_a_maximum_that_may_stop_early) {
  int old = data[3];
  while (old < gid) {
    const int assumed = old;
    old = atomicCAS(&data[3], assumed, gid);
    if (old == assumed) break;
  }
}
KERNEL(right_first_look_of_a_product_in_shared_memory) {
  __shared__ float product;
  if (tid == 0) product = 1.0f;
  __syncthreads();
  int* const bits = reinterpret_cast<int*>(&product);
  int old = *bits, assumed;
  do {
    assumed = old;
    old = atomicCAS(bits, assumed, __float_as_int(__int_as_float(assumed) * 1.5f));
  } while (assumed != old);
}
KERNEL(right_first_look_of_the_toolkits_addition_of_half_words) {
  atomicAdd(reinterpret_cast<__nv_bfloat16*>(data), __float2bfloat16(1.0f));
}
// Two half words go through constructors, which are called with -G.
KERNEL(right_first_look_of_the_toolkits_addition_of_two_half_words) {
  atomicAdd(reinterpret_cast<__nv_bfloat162*>(data), __floats2bfloat162_rn(1.0f, 2.0f));
}
KERNEL(wrong_global_race_plain_addition_of_two_half_words) {
  auto* const sum = reinterpret_cast<__nv_bfloat162*>(data);
  *sum = __hadd2(*sum, __floats2bfloat162_rn(1.0f, 2.0f));  // here
}
KERNEL(right_what_a_swap_returned_may_be_used) {
  int old = data[0], assumed;
  do {
    assumed = old;
    old = atomicCAS(&data[0], assumed, assumed + 3);
  } while (assumed != old);
  flag[gid] = old;
}
KERNEL(wrong_global_race_first_look_is_stored_as_well) {
  int old = data[0], assumed;  // here
  flag[gid] = old;
  do {
    assumed = old;
    old = atomicCAS(&data[0], assumed, assumed + 3);  // here
  } while (assumed != old);
}
KERNEL(wrong_global_race_first_look_at_another_word) {
  int old = data[1], assumed;  // here
  do {
    assumed = old;
    old = atomicCAS(&data[0], assumed, assumed + 3);
  } while (assumed != old);
  atomicAdd(&data[1], 1);  // here
}
KERNEL(wrong_global_race_the_answer_is_not_compared) {
  const int old = data[0];                // here
  atomicCAS(&data[0], gid % 2, old + 1);  // here
}
KERNEL(wrong_global_race_a_plain_store_beside_the_swaps) {
  if (gid == 200) data[0] = 7;  // here
  int old = data[0], assumed;
  do {
    assumed = old;
    old = atomicCAS(&data[0], assumed, assumed + 3);  // here
  } while (assumed != old);
}
KERNEL(wrong_shared_race_first_look_chooses_an_element) {
  __shared__ int next;
  if (tid == 0) next = 0;
  __syncthreads();
  int old = next, assumed;  // here
  data[old & 63] = 1;
  do {
    assumed = old;
    old = atomicCAS(&next, assumed, assumed + 1);  // here
  } while (assumed != old);
}
