// Arrays of threads in local memory, side by side and with gaps between. Only for programs to be debugged
// (-G), whose debug information says where each ends.
#include "precision.h"

KERNEL(wrong_out_of_bounds_store_in_the_gap_behind_an_array) {
  double wide[3] = {};
  int a[3] = {};
  a[3 + flag[tid]] = tid;  // here
  data[gid] = a[tid % 3] + int(wide[tid % 3]);
}
KERNEL(right_store_in_the_last_element_before_a_gap) {
  double wide[3] = {};
  int a[3] = {};
  a[2 + flag[tid]] = tid;
  data[gid] = a[tid % 3] + int(wide[tid % 3]);
}
KERNEL(wrong_out_of_bounds_store_in_the_next_array) {
  int a[3] = {}, b[5] = {};
  a[3 + flag[tid]] = tid;  // here
  data[gid] = a[tid % 3] + b[tid % 5];
}
KERNEL(wrong_out_of_bounds_read_of_the_next_array) {
  int a[3] = {}, b[5] = {};
  b[tid % 5] = tid;
  data[gid] = a[flag[tid] + 4] + b[tid % 4];  // here
}
KERNEL(wrong_out_of_bounds_aligned_array) {
  __align__(16) int a[3] = {};
  a[flag[tid] + 3] = tid;  // here
  data[gid] = a[tid % 3];
}
KERNEL(right_pointers_behind_the_end) {
  int a[3] = {}, b[5] = {};
  int sum = 0;
  for (int* p = a; p != a + 3; ++p) *p = tid;
  const int* const end = a + 3;
  for (int k = 1; k <= 3; ++k) sum += *(end - k) + *(a + 3 - k) + end[-k];
  for (int k = 1; k <= 5; ++k) sum += *(b + 5 - k) + b[k - 1] + *(b - 1 + k);
  data[gid] = sum;
}
KERNEL(right_rows_of_a_matrix) {
  float m[3][3] = {}, n[2][5] = {};
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) m[i][k] = i + n[i % 2][k + 2];
  }
  const float* all = &m[0][0];
  float sum = 0;
  for (int i = 0; i < 9; ++i) sum += all[i] + (*(m + i / 3))[i % 3];
  data[gid] = int(sum);
}
KERNEL(wrong_out_of_bounds_row_behind_a_matrix) {
  float m[3][3] = {}, n[2][5] = {};
  m[3 + flag[tid]][tid % 3] = 1;  // here
  data[gid] = int(m[tid % 3][1] + n[tid % 2][4]);
}
KERNEL(right_arrays_of_structures_and_in_them) {
  struct Pair {
    int key;
    short values[3];
  };
  Pair pairs[3] = {};
  struct Both {
    int x[3];
    short y[5];
  } both = {};
  for (int i = 0; i < 3; ++i) {
    pairs[i].key = i;
    pairs[i].values[i] = short(tid);
    both.x[i] = pairs[2 - i].key;
    both.y[i + 2] = 1;
  }
  memcpy(&pairs[flag[tid] + 1], &pairs[flag[tid] + 2], sizeof(Pair));
  data[gid] = pairs[flag[tid] + 1].key + both.x[tid % 3] + both.y[tid % 5];
}
KERNEL(wrong_out_of_bounds_structure_behind_an_array_of_them) {
  struct Pair {
    int key;
    short values[3];
  };
  Pair pairs[3] = {};
  int a[4] = {};
  pairs[flag[tid] + 3].key = tid;  // here
  data[gid] = pairs[tid % 3].key + a[tid % 4];
}
KERNEL(right_arrays_of_blocks_that_follow_one_another) {
  int sum = 0;
  for (int round = 0; round < 2; ++round) {
    int a[3];
    for (int i = 0; i < 3; ++i) a[i] = round + i;
    sum += a[tid % 3];
  }
  {
    int a[7];
    for (int i = 0; i < 7; ++i) a[i] = i;
    sum += a[tid % 7];
  }
  data[gid] = sum;
}
