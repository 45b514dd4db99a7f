// What nobody has written.
#include "precision.h"

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
KERNEL(right_padding_read_with_a_byte) {
  reinterpret_cast<char*>(raw)[8 * gid] = 1;
  data[gid] = static_cast<char>(reinterpret_cast<volatile unsigned long long*>(raw)[gid]);
}
KERNEL(wrong_uninitialized_read_local) {
  int a[8];
  a[tid % 4] = 1;
  data[gid] = a[(tid + flag[0] + 4) % 8];  // here
}
__device__ __noinline__ bool gives(int n, int& value) {
  if (n < 32) return false;
  value = n;
  return true;
}
KERNEL(wrong_uninitialized_read_local_not_given) {
  int value;
  gives(tid, value);
  data[gid] = value;  // here
}
KERNEL(right_local_read_when_given) {
  int value;
  data[gid] = gives(tid, value) ? value : -1;
}
KERNEL(right_local_array) {
  int a[8];
  for (int i = 0; i < 8; ++i) a[i] = flag[i];
  data[gid] = a[(tid + flag[0] + 4) % 8];
}
// Local memory is rounded up: what lies behind the last element of an array may be there. Where the text
// names the array, a debugger's compilation knows better (debugged_arrays.cu).
KERNEL(wrong_uninitialized_read_local_behind_the_last_element) {
  double wide[3];
  int narrow[5];
  for (int i = 0; i < 3; ++i) wide[i] = flag[i];
  for (int i = 0; i < 5; ++i) narrow[i] = flag[i];
  for (int i = 0; i < tid; ++i) wide[i % 3] += narrow[i * 7 % 5];
  for (int i = 0; i < tid; ++i) narrow[i % 5] += int(wide[i * 7 % 3]);
  const int* const elements = narrow;
  data[gid] = elements[flag[9] + 5] + int(wide[flag[9]]);  // here
}
KERNEL(right_local_last_element) {
  double wide[3];
  int narrow[5];
  for (int i = 0; i < 3; ++i) wide[i] = flag[i];
  for (int i = 0; i < 5; ++i) narrow[i] = flag[i];
  for (int i = 0; i < tid; ++i) wide[i % 3] += narrow[i * 7 % 5];
  for (int i = 0; i < tid; ++i) narrow[i % 5] += int(wide[i * 7 % 3]);
  data[gid] = narrow[flag[9] + 4] + int(wide[flag[9]]);
}
// One lane asks for all. What the others hand to the shuffle is thrown away.
KERNEL(right_one_lane_asks_for_its_warp) {
  int base[4];
  if (tid % 32 == 31) base[flag[gid]] = atomicAdd(&flag[1024], 32);
  data[gid] = __shfl_sync(0xffffffffu, base[flag[gid]], 31) + tid % 32;
}
KERNEL(wrong_uninitialized_read_of_a_lane_that_did_not_ask) {
  int base[4];
  if (tid % 32 == 31) base[flag[gid]] = atomicAdd(&flag[1024], 32);
  data[gid] = __shfl_sync(0xffffffffu, base[flag[gid]], 0) + tid % 32;  // here
}
// The same of 64 bits, which take two shuffles.
KERNEL(right_one_lane_asks_for_64_bits) {
  long long base[4];
  if (tid % 32 == 31) base[flag[gid]] = gid;
  data[gid] = int(__shfl_sync(0xffffffffu, base[flag[gid]], 31)) + tid % 32;
}
