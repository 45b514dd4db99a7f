// Values that nobody has written, loaded and computed with, and then thrown away, or not.
#include <cuda_fp16.h>

#include "precision.h"

// As libraries merge: two runs behind one another, and of each the next element is loaded, also behind the
// last one of all. Which element is less is asked of it as well, and does not count then.
__device__ __forceinline__ void merge_runs(const int* s, int a_end, int b_end, int* out) {
  int a = 0, b = a_end;
  int a_key = s[a], b_key = s[b];
  for (int i = 0; i < 8; ++i) {
    const bool from_a = b >= b_end || (a < a_end && !(b_key < a_key));
    out[i] = from_a ? a_key : b_key;
    if (from_a) {
      a_key = s[++a];
    } else {
      b_key = s[++b];
    }
  }
}
KERNEL(right_merge_of_runs) {
  __shared__ int s[64];
  if (tid < 8) s[tid] = tid % 4 + flag[tid];
  __syncthreads();
  merge_runs(s, 4 + flag[0], 8 + flag[0], data + 8 * gid);
}
KERNEL(right_merge_of_runs_in_registers) {
  __shared__ int s[64];
  if (tid < 8) s[tid] = tid % 4 + flag[tid];
  __syncthreads();
  const int a_end = 4 + flag[0], b_end = 8 + flag[0];
  int out[8], a = 0, b = a_end, a_key = s[a], b_key = s[b];
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const bool from_a = b >= b_end || (a < a_end && !(b_key < a_key));
    out[i] = from_a ? a_key : b_key;
    const int next = s[from_a ? ++a : ++b];
    a_key = from_a ? next : a_key;
    b_key = from_a ? b_key : next;
  }
  for (int i = 0; i < 8; ++i) data[8 * gid + i] = out[i];
}
KERNEL(wrong_uninitialized_read_merge_that_asks_for_no_end) {
  __shared__ int s[64];
  if (tid < 8) s[tid] = tid % 4 + flag[tid];
  __syncthreads();
  int a = 0, b = 4 + flag[0], a_key = s[a], b_key = s[b];
  for (int i = 0; i < 12; ++i) {
    const bool from_a = !(b_key < a_key);
    data[12 * gid + i] = from_a ? a_key : b_key;
    const int next = s[from_a ? ++a : ++b];  // here
    a_key = from_a ? next : a_key;
    b_key = from_a ? b_key : next;
  }
}

KERNEL(right_sum_not_chosen) {
  const int sum = raw[gid] * 3 + 1;
  data[gid] = flag[gid] == 0 ? tid : sum;
}
KERNEL(wrong_uninitialized_read_sum_chosen) {
  const int sum = raw[gid] * 3 + 1;  // here
  data[gid] = flag[gid] != 0 ? tid : sum;
}
KERNEL(right_condition_decided_by_its_other_half) {
  data[gid] = int(flag[gid] != 0) & int(raw[gid] > 5);
}
KERNEL(wrong_uninitialized_read_condition_not_decided_by_its_other_half) {
  data[gid] = int(flag[gid] == 0) & int(raw[gid] > 5);  // here
}
KERNEL(right_bits_masked_out) { data[gid] = (raw[gid] & ~7) * flag[gid + 1] & 7; }
KERNEL(wrong_uninitialized_read_bits_taken) {
  data[gid] = raw[gid] & 7;  // here
}
KERNEL(wrong_uninitialized_read_address) {
  data[gid] = flag[raw[gid] & 1023];  // here
}
KERNEL(wrong_uninitialized_read_branch) {
  if (raw[gid] > 5) atomicAdd(&data[gid], 1);  // here
}
KERNEL(wrong_uninitialized_read_shuffled) {
  data[gid] = __shfl_xor_sync(~0u, raw[gid], 1) + 1;  // here
}

// The same by way of a function that is not inlined.
__device__ __noinline__ int one_of(bool first, int a, int b) { return first ? a + 1 : b + 1; }
KERNEL(right_argument_not_chosen) { data[gid] = one_of(flag[gid] == 0, tid, raw[gid]); }
KERNEL(wrong_uninitialized_read_argument_chosen) {
  data[gid] = one_of(flag[gid] != 0, tid, raw[gid]);  // here
}

// A copy that comes along two ways.
struct PaddedNumber {
  char kind;
  long long value;
};
__device__ PaddedNumber padded(int kind, long long value) {
  PaddedNumber one;
  one.kind = char(kind);
  one.value = value;
  return one;
}
KERNEL(right_structure_from_either_way) {
  PaddedNumber one;
  if (flag[gid] == tid % 2) {
    one = padded(1, tid);
  } else {
    one = padded(2, 2 * tid);
  }
  reinterpret_cast<PaddedNumber*>(raw)[gid] = one;
  PaddedNumber other = reinterpret_cast<PaddedNumber*>(raw)[gid];
  data[gid] = int(other.kind + other.value);
}

// What is handed on by its address is known by where it was loaded.
__device__ __noinline__ int doubled(const int& value) { return 2 * value; }
KERNEL(wrong_uninitialized_read_of_what_a_function_takes_by_reference) {
  const int value = raw[gid];  // here
  data[gid] = doubled(value);
}
KERNEL(right_function_takes_by_reference) {
  const int value = flag[gid];
  data[gid] = doubled(value);
}

// What is printed leaves the device.
KERNEL(wrong_uninitialized_read_printed) {
  if (gid == 70) printf("%d\n", raw[gid]);  // here
}
KERNEL(wrong_uninitialized_read_printed_as_a_text) {
  __shared__ char text[8];
  if (tid < 4) text[tid] = 'a';
  __syncthreads();
  if (tid == 0) printf("%s\n", text);  // here
}
KERNEL(right_printed) {
  __shared__ char text[8];
  if (tid < 8) text[tid] = tid < 4 ? 'a' : 0;
  __syncthreads();
  if (gid == 70)
    printf("%d %s %c %5.1f %lld\n", flag[gid], text, text[0], float(gid), 1ll << gid % 64);
}
// Two halves in a word are computed apart.
KERNEL(right_low_half_of_a_sum) {
  __shared__ half2 pairs[64];
  reinterpret_cast<half*>(pairs)[2 * tid] = half(1.0f);
  const half2 sum = __hadd2(pairs[tid], pairs[tid]);
  data[gid] = int(__low2float(sum));
}
KERNEL(wrong_uninitialized_read_high_half_of_a_sum) {
  __shared__ half2 pairs[64];
  reinterpret_cast<half*>(pairs)[2 * tid] = half(1.0f);
  const half2 sum = __hadd2(pairs[tid], pairs[tid]);  // here
  data[gid] = int(__high2float(sum));
}
KERNEL(right_last_half_of_an_odd_row) {
  __shared__ half2 row[64];
  reinterpret_cast<half*>(row)[tid] = half(float(tid));
  if (tid < 63) reinterpret_cast<half*>(row)[64 + tid] = half(1.0f);
  __syncthreads();
  const half2 one = __floats2half2_rn(1, 1), twice = __hfma2(row[tid], one, row[tid]);
  data[gid] = int(__low2float(twice)) + (tid < 63 ? int(__high2float(twice)) : 0);
}
KERNEL(right_low_half_of_a_pair_made_of_two_numbers) {
  __shared__ float numbers[128];
  numbers[2 * tid] = 1;
  data[gid] = int(__low2float(__floats2half2_rn(numbers[2 * tid], numbers[2 * tid + 1])));
}
KERNEL(wrong_uninitialized_read_pair_made_in_the_wrong_order) {
  __shared__ float numbers[128];
  numbers[2 * tid] = 1;
  const half2 pair = __floats2half2_rn(numbers[2 * tid + 1], numbers[2 * tid]);  // here
  data[gid] = int(__low2float(pair));
}
