// Warps of a block that meet at named barriers, exchange through one buffer, or pack words together.
#include "precision.h"

__device__ void meet(int barrier, int threads) {
  asm volatile("barrier.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}
__device__ void come(int barrier, int threads) {
  asm volatile("barrier.arrive %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

// Two teams take turns at one buffer, each lets the other one go.
KERNEL(right_teams_take_turns_in_4_warps) {
  __shared__ int turn[64];
  const int team = tid / 64;
  if (team == 0) turn[tid] = 1;
  if (team == 1) come(1, 128);
  for (int round = 0; round < 4; ++round) {
    meet(1 + team, 128);
    turn[tid % 64] = turn[tid % 64] * 3 + team;
    if (round < 3 || team == 0) come(2 - team, 128);
  }
  if (team == 1) data[gid] = turn[tid % 64];
}
KERNEL(wrong_barrier_divergence_teams_for_two_numbers_of_threads_in_4_warps) {
  __shared__ int turn[64];
  const int team = tid / 64;
  if (team == 0) turn[tid] = 1;
  if (team == 1) asm volatile("barrier.arrive 1, 128;" ::: "memory");  // here
  if (team == 0) asm volatile("barrier.sync 1, 96;" ::: "memory");     // here
  if (team == 0) data[gid] = turn[tid];
}
KERNEL(right_number_that_is_all_of_the_block_in_4_warps) {
  __shared__ int s[128];
  s[tid] = tid;
  if (tid < 64) {
    asm volatile("barrier.sync 0, 128;" ::: "memory");
    data[gid] = s[127 - tid];
  } else {
    __syncthreads();
    data[gid] = s[127 - tid];
  }
}
KERNEL(wrong_shared_race_team_goes_first_without_its_turn_in_4_warps) {
  __shared__ int turn[64];
  const int team = tid / 64;
  if (team == 0) turn[tid] = 1;  // here
  for (int round = 0; round < 2; ++round) {
    if (round > 0) meet(1 + team, 128);
    turn[tid % 64] = turn[tid % 64] * 3 + team;  // here
    if (round == 0) come(2 - team, 128);
  }
}

// Two sums through one buffer of the block: the second may not begin before all have read the first.
__device__ int warp_sum(int x) {
  for (int d = 16; d > 0; d /= 2) x += __shfl_xor_sync(0xffffffff, x, d);
  return x;
}
KERNEL(right_two_sums_through_one_buffer_in_4_warps) {
  __shared__ int s[4];
  int x = tid;
  for (int i = 0; i < 2; ++i) {
    __syncthreads();
    const int part = warp_sum(x);
    if (tid % 32 == 0) s[tid / 32] = part;
    __syncthreads();
    x -= warp_sum(tid % 32 < 4 ? s[tid % 32] : 0) / 128;
  }
  data[gid] = x;
}
KERNEL(wrong_shared_race_two_sums_through_one_buffer_in_4_warps) {
  __shared__ int s[4];
  int x = tid;
  for (int i = 0; i < 2; ++i) {
    const int part = warp_sum(x);
    if (tid % 32 == 0) s[tid / 32] = part;  // here
    __syncthreads();
    x -= warp_sum(tid % 32 < 4 ? s[tid % 32] : 0) / 128;  // here
  }
  data[gid] = x;
}

// Fields of one word and halves of another, set by different warps.
struct Fields {
  unsigned a : 5, b : 7, c : 20;
};
KERNEL(right_fields_of_a_word_set_in_turn) {
  __shared__ Fields f[32];
  if (tid < 32) f[tid] = {1, 2, 3};
  __syncthreads();
  if (tid < 32) f[tid].b = tid;
  __syncthreads();
  if (tid >= 32) f[tid - 32].c = tid;
  __syncthreads();
  if (tid < 32) data[gid] = f[tid].a + f[tid].b + f[tid].c;
}
KERNEL(wrong_shared_race_fields_of_a_word_set_at_once) {
  __shared__ Fields f[32];
  if (tid < 32) f[tid] = {1, 2, 3};
  __syncthreads();
  if (tid < 32) f[tid].b = tid;        // here
  if (tid >= 32) f[tid - 32].c = tid;  // here
  __syncthreads();
  if (tid < 32) data[gid] = f[tid].a + f[tid].b + f[tid].c;
}
KERNEL(wrong_global_race_codes_packed_without_an_atomic) {
  const int bit = gid * 12, word = bit / 32;
  const unsigned long long code = 0xabcull << (bit % 32);
  data[word] |= static_cast<int>(code);                            // here
  if (code >> 32) data[word + 1] |= static_cast<int>(code >> 32);  // here
}
KERNEL(right_codes_packed_by_atomics) {
  const int bit = gid * 12, word = bit / 32;
  const unsigned long long code = 0xabcull << (bit % 32);
  atomicOr(&data[word], static_cast<int>(code));
  if (code >> 32) atomicOr(&data[word + 1], static_cast<int>(code >> 32));
}

// Slots of those that stay: one place in the output for each.
KERNEL(right_kept_elements_move_together) {
  const unsigned kept = __ballot_sync(0xffffffff, gid % 3 == 0);
  int at = 0;
  if (tid % 32 == 0) at = atomicAdd(flag, __popc(kept));
  at = __shfl_sync(0xffffffff, at, 0) + __popc(kept & ((1u << tid % 32) - 1));
  if (gid % 3 == 0) data[at] = gid + 1;
}
KERNEL(wrong_global_race_kept_elements_take_one_slot_too_few) {
  const unsigned kept = __ballot_sync(0xffffffff, gid % 3 == 0);
  int at = 0;
  if (tid % 32 == 0) at = atomicAdd(flag, __popc(kept) - 1);
  at = __shfl_sync(0xffffffff, at, 0) + __popc(kept & ((1u << tid % 32) - 1));
  if (gid % 3 == 0) data[at] = gid + 1;  // here
}
// The reader that warp 0 has not waited for comes last, behind two that it is ordered with.
KERNEL(wrong_shared_race_waits_for_one_of_two_readers_in_4_warps) {
  __shared__ int s;
  if (tid == 0) s = 7;
  __syncthreads();
  const int team = tid / 32;
  int seen = 0;
  if (team == 2) {
    seen = s;
    meet(1, 64);
    meet(2, 64);
  } else if (team == 1) {
    meet(1, 64);
    seen = s;  // here
  } else if (team == 0) {
    seen = s;
    meet(2, 64);
    if (tid == 0) s = seen + 1;  // here
  }
  data[gid] = seen;
}
KERNEL(right_waits_for_both_readers_in_4_warps) {
  __shared__ int s;
  if (tid == 0) s = 7;
  __syncthreads();
  const int team = tid / 32;
  int seen = 0;
  if (team == 2) {
    seen = s;
    meet(1, 64);
    meet(2, 96);
  } else if (team == 1) {
    meet(1, 64);
    seen = s;
    meet(2, 96);
  } else if (team == 0) {
    seen = s;
    meet(2, 96);
    if (tid == 0) s = seen + 1;
  }
  data[gid] = seen;
}
