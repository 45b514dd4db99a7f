// Bounds.
#include "precision.h"

__device__ void put(int* where, int at, int value);
__constant__ int table[16] = {1, 2, 3};
KERNEL(wrong_out_of_bounds_one_past_the_end) {
  data[4096 - 255 + gid] = 1;  // here
}
KERNEL(right_up_to_the_end) { data[4096 - 256 + gid] = 1; }
KERNEL(wrong_out_of_bounds_one_byte_before) {
  if (gid == 0) reinterpret_cast<char*>(data)[-1 + flag[0]] = 1;  // here
}
KERNEL(wrong_out_of_bounds_shared) {
  __shared__ int s[64], other[64];
  other[tid] = s[tid] = tid;
  __syncthreads();
  data[gid] = s[tid + 1 + flag[0]] + other[0];  // here
}
KERNEL(wrong_out_of_bounds_local) {
  int a[8];
  for (int i = 0; i < 8; ++i) a[i] = flag[i];
  data[gid] = a[tid + flag[0]];  // here
}
KERNEL(wrong_out_of_bounds_local_by_one) {
  int a[5];
  for (int i = 0; i < 5; ++i) a[i] = flag[i];
  data[gid] = a[tid % 6 + flag[0]];  // here
}
KERNEL(right_last_of_a_local_array) {
  int a[5];
  for (int i = 0; i < 5; ++i) a[i] = flag[i];
  data[gid] = a[tid % 5 + flag[0]];
}
KERNEL(wrong_out_of_bounds_local_write_by_one) {
  char a[5];
  for (int i = 0; i < 5; ++i) a[i] = static_cast<char>(flag[i]);
  a[tid % 6 + flag[0]] = 1;  // here
  data[gid] = a[flag[1]];
}
KERNEL(right_writes_of_a_local_array) {
  char a[5];
  for (int i = 0; i < 5; ++i) a[i] = static_cast<char>(flag[i]);
  a[tid % 5 + flag[0]] = 1;
  data[gid] = a[flag[1]];
}
KERNEL(wrong_out_of_bounds_constant) {
  data[gid] = table[tid % 17 + flag[0]];  // here
}
KERNEL(right_constant) { data[gid] = table[tid % 16 + flag[0]]; }
KERNEL(wrong_misaligned_pair) {
  data[gid] = int(*reinterpret_cast<long long*>(flag + 1 + flag[0]));  // here
}
KERNEL(wrong_host_pointer_constant) {
  data[gid] = *reinterpret_cast<int*>(0x7fff00001000 + flag[0]);  // here
}
KERNEL(wrong_use_after_free_of_the_heap) {
  int* own = static_cast<int*>(malloc(64));
  own[0] = tid;
  free(own);
  data[gid] = own[flag[0]];  // here
}
KERNEL(right_heap) {
  int* own = static_cast<int*>(malloc(64));
  if (own == nullptr) return;
  own[15] = tid;
  data[gid] = own[15 - flag[0]];
  free(own);
}
// Nothing keeps the read before the end of what it reads.
KERNEL(wrong_global_race_with_free) {
  __shared__ int* all;
  if (tid == 0) {
    all = static_cast<int*>(malloc(256));
    for (int i = 0; i < 64; ++i) all[i] = i;
  }
  __syncthreads();
  if (tid == 8) data[gid] = all[tid];  // here
  if (tid == 0) free(all);  // here
}
KERNEL(right_freed_behind_a_barrier) {
  __shared__ int* all;
  if (tid == 0) all = static_cast<int*>(malloc(256));
  __syncthreads();
  all[tid] = tid;
  __syncthreads();
  data[gid] = all[63 - tid];
  __syncthreads();
  if (tid == 40) free(all);
}
// Who leaves last frees it.
KERNEL(right_freed_by_the_last_reader) {
  __shared__ int* all;
  __shared__ int left;
  if (tid == 0) {
    all = static_cast<int*>(malloc(256));
    for (int i = 0; i < 64; ++i) all[i] = i;
    left = 0;
  }
  __syncthreads();
  data[gid] = all[63 - tid];
  __threadfence_block();
  if (atomicAdd(&left, 1) == 63) {
    __threadfence_block();
    free(all);
  }
}
KERNEL(wrong_double_free_in_a_kernel) {
  int* own = static_cast<int*>(malloc(64));
  free(own);
  if (own != nullptr && flag[0] == 0) free(own);  // here
}
KERNEL(wrong_misaligned_shared) {
  __shared__ alignas(8) int s[66];
  s[tid] = 0;
  s[tid + 2] = 0;
  __syncthreads();
  data[gid] = int(*reinterpret_cast<long long*>(&s[1 + flag[0]]));  // here
}
KERNEL(wrong_out_of_bounds_atomic) {
  atomicAdd(&data[4096 + flag[0]], 1);  // here
}
KERNEL(wrong_out_of_bounds_in_a_called_function) { put(data, 4095 + tid, 1); }
__device__ __noinline__ void put(int* where, int at, int value) {
  where[at] = value;  // here
}
KERNEL(wrong_out_of_bounds_null) {
  int* none = reinterpret_cast<int*>(static_cast<long long>(flag[0]));
  none[tid] = 1;  // here
}
