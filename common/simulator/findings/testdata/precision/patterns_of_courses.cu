// Patterns that courses and samples have: privatised counts, compaction, tiles, sorts, halves of words.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_fp16.h>

#include <cuda/barrier>
#include <cuda/semaphore>

#include "precision.h"

namespace cg = cooperative_groups;

// Warps add their counts up by groups of equal keys.
KERNEL(right_labelled_partition_adds_once) {
  const cg::coalesced_group equal = cg::labeled_partition(cg::coalesced_threads(), tid % 5);
  if (equal.thread_rank() == 0) atomicAdd(data + tid % 5, static_cast<int>(equal.size()));
}
KERNEL(wrong_global_race_labelled_partition_adds_plainly) {
  const cg::coalesced_group equal = cg::labeled_partition(cg::coalesced_threads(), tid % 5);
  if (equal.thread_rank() == 0) data[tid % 5] += static_cast<int>(equal.size());  // here
}
KERNEL(right_binary_partition_compacts) {
  const cg::thread_block_tile<32> warp = cg::tiled_partition<32>(cg::this_thread_block());
  const cg::coalesced_group part = cg::binary_partition(warp, tid % 3 == 0);
  int first = 0;
  if (part.thread_rank() == 0) first = atomicAdd(flag + (tid % 3 == 0), int(part.size()));
  data[(tid % 3 == 0) * 512 + part.shfl(first, 0) + part.thread_rank()] = gid;
}
// A counter and its tile of a multi-block histogram with private rows.
KERNEL(right_private_rows_by_warp) {
  __shared__ int rows[2][8];
  if (tid < 16) rows[tid / 8][tid % 8] = 0;
  __syncthreads();
  atomicAdd(&rows[tid / 32][tid * 7 % 8], 1);
  __syncthreads();
  if (tid < 8) atomicAdd(data + tid, rows[0][tid] + rows[1][tid]);
}
KERNEL(wrong_shared_race_private_rows_cleared_by_their_warp) {
  __shared__ int rows[2][8];
  if (tid % 32 < 8) rows[tid / 32][tid % 32] = 0;
  __syncwarp();
  atomicAdd(&rows[tid / 32][tid * 7 % 8], 1);
  if (tid < 8) atomicAdd(data + tid, rows[0][tid] + rows[1][tid]);  // here
}
// Odd-even transposition.
KERNEL(right_odd_even_transposition) {
  __shared__ int keys[64];
  keys[tid] = tid * 29 % 64;
  for (int step = 0; step < 64; ++step) {
    __syncthreads();
    if (tid % 2 == step % 2 && tid < 63 && keys[tid] > keys[tid + 1]) {
      const int kept = keys[tid];
      keys[tid] = keys[tid + 1];
      keys[tid + 1] = kept;
    }
  }
  __syncthreads();
  data[gid] = keys[tid];
}
KERNEL(wrong_shared_race_odd_even_pairs_overlap) {
  __shared__ int keys[64];
  keys[tid] = tid * 29 % 64;
  for (int step = 0; step < 4; ++step) {
    __syncthreads();
    if (tid < 63 && keys[tid] > keys[tid + 1]) {  // here
      const int kept = keys[tid];                 // here
      keys[tid] = keys[tid + 1];                  // here
      keys[tid + 1] = kept;                       // here
    }
  }
  __syncthreads();
  data[gid] = keys[tid];
}
// Smith-Waterman by anti-diagonals: three of them in turn.
KERNEL(right_wavefront_of_three_diagonals) {
  __shared__ int diagonal[3][65];
  for (int i = tid; i < 3 * 65; i += 64) diagonal[i / 65][i % 65] = 0;
  __syncthreads();
  for (int d = 0; d < 20; ++d) {
    const int* const one = diagonal[(d + 2) % 3];
    const int* const two = diagonal[(d + 1) % 3];
    if (tid <= d) diagonal[d % 3][tid + 1] = max(max(one[tid], one[tid + 1]), two[tid] + 1);
    __syncthreads();
  }
  data[gid] = diagonal[0][tid];
}
KERNEL(wrong_shared_race_wavefront_of_two_diagonals) {
  __shared__ int diagonal[2][65];
  for (int i = tid; i < 2 * 65; i += 64) diagonal[i / 65][i % 65] = 0;
  __syncthreads();
  for (int d = 0; d < 20; ++d) {
    const int* const one = diagonal[(d + 1) % 2];
    int* const mine = diagonal[d % 2];
    mine[tid + 1] = max(one[tid], mine[tid] + 1);  // here
    __syncthreads();
  }
  data[gid] = diagonal[0][tid];
}
// Cholesky of a small tile, column by column.
KERNEL(right_cholesky_of_a_tile) {
  __shared__ float a[8][9];
  const int row = tid / 8, column = tid % 8;
  a[row][column] = row == column ? 16.0f : 1.0f;
  __syncthreads();
  for (int k = 0; k < 8; ++k) {
    if (row == k && column == k) a[k][k] = sqrtf(a[k][k]);
    __syncthreads();
    if (column == k && row > k) a[row][k] /= a[k][k];
    __syncthreads();
    if (column > k && row >= column) a[row][column] -= a[row][k] * a[column][k];
    __syncthreads();
  }
  data[gid] = static_cast<int>(a[row][column] * 100);
}
KERNEL(wrong_shared_race_cholesky_divides_too_early) {
  __shared__ float a[8][9];
  const int row = tid / 8, column = tid % 8;
  a[row][column] = row == column ? 16.0f : 1.0f;
  __syncthreads();
  for (int k = 0; k < 8; ++k) {
    if (row == k && column == k) a[k][k] = sqrtf(a[k][k]);  // here
    if (column == k && row > k) a[row][k] /= a[k][k];       // here
    __syncthreads();
    if (column > k && row >= column) a[row][column] -= a[row][k] * a[column][k];
    __syncthreads();
  }
  data[gid] = static_cast<int>(a[row][column] * 100);
}
// Two halves of a word are two places, unless they are stored as one.
KERNEL(right_halves_of_a_word) {
  reinterpret_cast<__half*>(data)[gid] = __float2half(static_cast<float>(gid));
}
KERNEL(wrong_global_race_pairs_of_halves_overlap) {
  __half* const halves = reinterpret_cast<__half*>(data);
  if (tid % 2 == 0) *reinterpret_cast<__half2*>(halves + gid) = __floats2half2_rn(gid, 1);  // here
  if (tid % 2 == 1) halves[gid] = __float2half(2);                                          // here
}
struct Packed {
  unsigned low : 5, high : 27;
};
KERNEL(wrong_global_race_bit_fields_of_one_word) {
  Packed* const words = reinterpret_cast<Packed*>(data);
  if (tid == 0) words[bid].low = 3;    // here
  if (tid == 32) words[bid].high = 7;  // here
}
KERNEL(right_bit_fields_in_turn) {
  Packed* const words = reinterpret_cast<Packed*>(data);
  if (tid == 0) words[bid].low = 3;
  __syncthreads();
  if (tid == 32) words[bid].high = 7;
}
// A union of what the two halves of a kernel keep in shared memory.
union Kept {
  int counts[64];
  float sums[64];
};
KERNEL(right_union_is_used_again) {
  __shared__ Kept kept;
  kept.counts[tid] = tid;
  __syncthreads();
  const int next = kept.counts[(tid + 1) % 64];
  __syncthreads();
  kept.sums[tid] = static_cast<float>(next);
  __syncthreads();
  data[gid] = static_cast<int>(kept.sums[63 - tid]);
}
KERNEL(wrong_shared_race_union_is_used_again_too_early) {
  __shared__ Kept kept;
  kept.counts[tid] = tid;
  __syncthreads();
  const int next = kept.counts[(tid + 1) % 64];  // here
  kept.sums[tid] = static_cast<float>(next);     // here
  __syncthreads();
  data[gid] = static_cast<int>(kept.sums[63 - tid]);
}
// Barriers in the cases of a switch, in loops left by goto, in recursion and behind pointers.
KERNEL(right_switch_of_the_whole_block) {
  __shared__ int s[64];
  for (int step = 0; step < 3; ++step) {
    switch (step) {
      case 0:
        s[tid] = tid;
        __syncthreads();
        break;
      case 1:
        data[gid] = s[63 - tid];
        __syncthreads();
        break;
      default:
        s[tid] = 0;
    }
  }
}
KERNEL(wrong_barrier_divergence_switch_of_warps) {
  __shared__ int s[64];
  s[tid] = 0;
  switch (tid % 2) {
    case 0:
      s[tid] = 1;
      __syncthreads();  // here
      break;
    default:
      s[tid] = 2;
      __syncthreads();  // here
      s[tid] = 3;
  }
  data[gid] = s[tid];
}
__device__ int sum_down(int* values, int n) {
  if (n == 1) return values[0];
  if (tid < n / 2) values[tid] += values[tid + n / 2];
  __syncthreads();
  return sum_down(values, n / 2);
}
KERNEL(right_recursive_sum) {
  __shared__ int s[64];
  s[tid] = tid;
  __syncthreads();
  const int sum = sum_down(s, 64);
  if (tid == 0) data[bid] = sum;
}
__device__ int sum_down_without_barriers(int* values, int n);
KERNEL(wrong_shared_race_recursive_sum) {
  __shared__ int s[64];
  s[tid] = tid;
  __syncthreads();
  const int sum = sum_down_without_barriers(s, 64);
  if (tid == 0) data[bid] = sum;
}
__device__ int sum_down_without_barriers(int* values, int n) {
  if (n == 1) return values[0];
  if (tid < n / 2) values[tid] += values[tid + n / 2];  // here
  return sum_down_without_barriers(values, n / 2);
}
