// Structures without locks: stacks, bounded queues, seqlocks, counted readers, steps that are taken once.
#include <cuda/atomic>

#include "precision.h"

using Word = cuda::atomic_ref<int, cuda::thread_scope_device>;
constexpr auto relaxed = cuda::memory_order_relaxed;
constexpr auto acquire = cuda::memory_order_acquire;
constexpr auto release = cuda::memory_order_release;

// A loop of the kernel around a function that is called: what that returns is no parameter of the kernel.
__device__ __noinline__ int is_set(int* word) { return *static_cast<volatile int*>(word); }
KERNEL(right_loop_around_a_function_that_looks) {
  if (tid != 0) return;
  if (bid == 3) {
    for (int i = 0; i < 300000; ++i) asm volatile("");
    atomicExch(flag, 1);
  } else {
    while (!is_set(flag)) {
    }
    data[bid] = 1;
  }
}
__device__ __noinline__ bool take_turn(int* turn, int mine) { return atomicCAS(turn, mine, -1) == mine; }
KERNEL(right_loop_around_a_function_that_tries_its_turn) {
  if (tid != 0) return;
  while (!take_turn(flag, 3 - bid)) __nanosleep(20);
  __threadfence();
  data[0] += bid;
  __threadfence();
  atomicExch(flag, 4 - bid);
}

// R. K. Treiber's stack, with the top in flag[0], one more than its number, and a count against reuse above it.
KERNEL(right_stack_of_swaps) {
  int* const next = flag + 16;
  cuda::atomic_ref<unsigned long long, cuda::thread_scope_device> top(
      *reinterpret_cast<unsigned long long*>(flag));
  data[gid] = gid;
  unsigned long long old = top.load(relaxed);
  do {
    Word(next[gid]).store(static_cast<int>(old), relaxed);
  } while (!top.compare_exchange_weak(old, ((old >> 32) + 1) << 32 | (gid + 1), release, relaxed));
  old = top.load(acquire);
  int mine;
  do {
    mine = static_cast<int>(old) - 1;
    if (mine < 0) return;
  } while (!top.compare_exchange_weak(
      old, (old >> 32) << 32 | static_cast<unsigned>(Word(next[mine]).load(relaxed)), acquire,
      acquire));
  raw[mine] = data[mine] + 1;
}
KERNEL(wrong_global_race_pushed_without_release) {
  int* const next = flag + 16;
  cuda::atomic_ref<unsigned long long, cuda::thread_scope_device> top(
      *reinterpret_cast<unsigned long long*>(flag));
  data[gid] = gid;  // here
  unsigned long long old = top.load(relaxed);
  do {
    Word(next[gid]).store(static_cast<int>(old), relaxed);
  } while (!top.compare_exchange_weak(old, ((old >> 32) + 1) << 32 | (gid + 1), relaxed, relaxed));
  old = top.load(acquire);
  int mine;
  do {
    mine = static_cast<int>(old) - 1;
    if (mine < 0) return;
  } while (!top.compare_exchange_weak(
      old, (old >> 32) << 32 | static_cast<unsigned>(Word(next[mine]).load(relaxed)), acquire,
      acquire));
  raw[mine] = data[mine] + 1;  // here
}

// D. Vyukov's bounded queue: positions in flag[0] and flag[1], and whose turn it is in each of 8 cells: twice the
// round, and one more when it is full.
template <bool puts>
__device__ bool claim(int* flag, int& at) {
  Word position(flag[puts ? 0 : 1]);
  at = position.load(relaxed);
  while (true) {
    const int turn = Word(flag[16 + at % 8]).load(acquire), mine = at / 8 * 2 + (puts ? 0 : 1);
    if (turn < mine) return false;
    if (turn > mine)
      at = position.load(relaxed);
    else if (position.compare_exchange_weak(at, at + 1, relaxed))
      return true;
  }
}
KERNEL(right_bounded_queue) {
  if (tid % 16 != 0) return;
  for (int round = 0, at; round < 3; ++round) {
    while (bid % 2 == 0 && !claim<true>(flag, at)) __nanosleep(20);
    while (bid % 2 == 1 && !claim<false>(flag, at)) __nanosleep(20);
    if (bid % 2 == 0) data[at % 8] = gid;
    if (bid % 2 == 1) raw[gid] = data[at % 8];
    Word(flag[16 + at % 8]).store(at / 8 * 2 + (bid % 2 == 0 ? 1 : 2), release);
  }
}
KERNEL(wrong_global_race_cell_given_free_too_early) {
  if (tid % 16 != 0) return;
  for (int round = 0, at; round < 3; ++round) {
    while (bid % 2 == 0 && !claim<true>(flag, at)) __nanosleep(20);
    while (bid % 2 == 1 && !claim<false>(flag, at)) __nanosleep(20);
    if (bid % 2 == 0) data[at % 8] = gid;  // here
    Word(flag[16 + at % 8]).store(at / 8 * 2 + (bid % 2 == 0 ? 1 : 2), release);
    if (bid % 2 == 1) raw[gid] = data[at % 8];  // here
  }
}
KERNEL(wrong_global_race_cell_filled_behind_a_relaxed_store) {
  if (tid % 16 != 0) return;
  for (int round = 0, at; round < 3; ++round) {
    while (bid % 2 == 0 && !claim<true>(flag, at)) __nanosleep(20);
    while (bid % 2 == 1 && !claim<false>(flag, at)) __nanosleep(20);
    if (bid % 2 == 0) data[at % 8] = gid;       // here
    if (bid % 2 == 1) raw[gid] = data[at % 8];  // here
    Word(flag[16 + at % 8]).store(at / 8 * 2 + (bid % 2 == 0 ? 1 : 2), relaxed);
  }
}

// A reader tries again where a writer has come between; what it reads is atomic all the same.
KERNEL(right_seqlock_of_atomic_values) {
  if (tid != 0) return;
  if (bid == 1) {
    for (int i = 1; i < 5; ++i) {
      Word(flag[0]).store(2 * i - 1, relaxed);
      cuda::atomic_thread_fence(release, cuda::thread_scope_device);
      Word(data[0]).store(i, relaxed);
      Word(data[1]).store(-i, relaxed);
      Word(flag[0]).store(2 * i, release);
    }
    return;
  }
  int before, x, y;
  do {
    before = Word(flag[0]).load(acquire);
    x = Word(data[0]).load(relaxed);
    y = Word(data[1]).load(relaxed);
    cuda::atomic_thread_fence(acquire, cuda::thread_scope_device);
  } while (before % 2 != 0 || before == 0 || Word(flag[0]).load(relaxed) != before);
  data[2 + bid] = x + y;
}
KERNEL(wrong_global_race_seqlock_of_plain_values) {
  if (tid != 0) return;
  if (bid == 1) {
    while (Word(flag[1]).load(relaxed) == 0) {
    }
    for (int i = 1; i < 5; ++i) {
      Word(flag[0]).store(2 * i - 1, relaxed);
      cuda::atomic_thread_fence(release, cuda::thread_scope_device);
      data[0] = i;  // here
      Word(flag[0]).store(2 * i, release);
    }
    return;
  }
  int before, x;
  Word(flag[1]).store(1, relaxed);
  do {
    before = Word(flag[0]).load(acquire);
    x = data[0];  // here
    cuda::atomic_thread_fence(acquire, cuda::thread_scope_device);
  } while (x == 0 || before % 2 != 0 || Word(flag[0]).load(relaxed) != before);
  data[2 + bid] = x;
}

// One writer or many readers: -1 or how many.
KERNEL(right_readers_are_counted) {
  if (tid % 32 != 0) return;
  if (bid == 2) {
    while (atomicCAS(flag, 0, -1) != 0) __nanosleep(20);
    __threadfence();
    data[0] += 1;
    __threadfence();
    atomicExch(flag, 0);
    return;
  }
  for (int seen = 0, old; (old = atomicCAS(flag, seen, seen + 1)) != seen;) seen = max(old, 0);
  __threadfence();
  data[gid + 1] = data[0];
  __threadfence();
  atomicSub(flag, 1);
}
KERNEL(wrong_global_race_readers_look_and_are_not_counted) {
  if (tid % 32 != 0) return;
  if (bid == 2) {
    while (atomicCAS(flag, 0, -1) != 0) __nanosleep(20);
    __threadfence();
    data[0] += 1;  // here
    __threadfence();
    atomicExch(flag, 0);
    return;
  }
  while (atomicAdd(flag, 0) < 0) __nanosleep(20);
  __threadfence();
  data[gid + 1] = data[0];  // here
}

// Who comes first makes the table, the others wait for it.
KERNEL(right_made_once) {
  if (tid == 0 && Word(flag[0]).load(acquire) != 2) {
    int nobody = 0;
    if (Word(flag[0]).compare_exchange_strong(nobody, 1, relaxed)) {
      for (int i = 0; i < 64; ++i) raw[i] = i * i;
      Word(flag[0]).store(2, release);
    } else {
      while (Word(flag[0]).load(acquire) != 2) __nanosleep(20);
    }
  }
  __syncthreads();
  data[gid] = raw[tid];
}
KERNEL(wrong_global_race_made_once_and_looked_at_relaxed) {
  if (tid == 0) {
    int nobody = 0;
    if (Word(flag[0]).compare_exchange_strong(nobody, 1, relaxed)) {
      for (int i = 0; i < 64; ++i) raw[i] = i * i;  // here
      Word(flag[0]).store(2, release);
    } else {
      while (Word(flag[0]).load(relaxed) != 2) __nanosleep(20);
    }
    data[gid] = raw[5];  // here
  }
}

// Rows of a triangular system, each solved when those are that it needs; lanes of one warp wait for each other.
KERNEL(right_row_by_row) {
  const int row = gid;
  int sum = 1;
  for (int before = row / 2, left = row > 0; left;) {
    if (atomicAdd(&flag[before], 0)) {
      __threadfence();
      sum += data[before];
      left = 0;
    }
  }
  data[row] = sum;
  __threadfence();
  atomicExch(&flag[row], 1);
}
KERNEL(wrong_global_race_row_by_row_without_fence) {
  const int row = gid;
  int sum = 1;
  for (int before = row / 2, left = row > 0; left;) {
    if (atomicAdd(&flag[before], 0)) {
      __threadfence();
      sum += data[before];  // here
      left = 0;
    }
  }
  data[row] = sum;  // here
  atomicExch(&flag[row], 1);
}
KERNEL(wrong_uninitialized_read_flags_of_rows_that_nobody_cleared) {
  const int row = gid;
  if (row < 128) raw[row] = 0;
  __syncthreads();
  if (row / 2 >= 64 && row < 256 && bid > 1) {
    if (atomicAdd(&raw[128 + row], 0)) data[row] = 1;  // here
  }
}

// Shortest ways over all pairs in place: in each round only other rows and columns change.
KERNEL(right_round_that_keeps_its_pivots) {
  for (int k = 0; k < 4; ++k) {
    const int i = tid / 8, j = tid % 8;
    const int way = data[bid * 64 + i * 8 + k] + data[bid * 64 + k * 8 + j];
    if (way < data[bid * 64 + tid]) data[bid * 64 + tid] = way;
    __syncthreads();
  }
}
KERNEL(wrong_global_race_round_that_stores_its_pivots_again) {
  for (int k = 0; k < 4; ++k) {
    const int i = tid / 8, j = tid % 8;
    const int way = data[bid * 64 + i * 8 + k] + data[bid * 64 + k * 8 + j];  // here
    data[bid * 64 + tid] = min(data[bid * 64 + tid], way);                    // here
    __syncthreads();
  }
}

// Labels that only go down: whoever reads an old one comes again.
KERNEL(right_labels_read_as_volatile) {
  const int label = static_cast<volatile int*>(data)[(gid + 64) % 256];
  if (label >= 0) atomicMin(&data[gid], label - 1);
}
KERNEL(wrong_global_race_labels_read_as_they_are) {
  const int label = data[(gid + 64) % 256];          // here
  if (label >= 0) atomicMin(&data[gid], label - 1);  // here
}
