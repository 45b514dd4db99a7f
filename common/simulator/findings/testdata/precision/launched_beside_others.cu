// Kernels that launch kernels: streams, and what grids find of others that were launched.
#include "precision.h"

#define CHILD(name) __global__ void name(int* data, int* flag, int n)

// Grids in one stream of one block run one after the other.
CHILD(increments) { ++data[tid]; }
KERNEL(right_null_stream_of_a_block) {
  if (tid != 0) return;
  for (int i = 0; i < 3; ++i) increments<<<1, 32>>>(data + 32 * bid, flag, 0);
}
KERNEL(right_null_stream_is_shared_by_the_block) {
  if (tid < 4) increments<<<1, 32>>>(data + 32 * bid, flag, 0);
}
CHILD(increments_for_all_blocks);
KERNEL(wrong_global_race_each_block_has_a_null_stream) {
  if (tid == 0) increments_for_all_blocks<<<1, 32>>>(data, flag, 0);
}
CHILD(increments_for_all_blocks) {
  ++data[tid];  // here
}
CHILD(increments_and_is_forgotten);
KERNEL(wrong_global_race_fire_and_forget_twice) {
  if (tid != 0) return;
  for (int i = 0; i < 2; ++i)
    increments_and_is_forgotten<<<1, 32, 0, cudaStreamFireAndForget>>>(data + 32 * bid, flag, 0);
}
CHILD(increments_and_is_forgotten) {
  ++data[tid];  // here
}
CHILD(counts) { atomicAdd(data, 1); }
KERNEL(right_fire_and_forget_with_atomics) {
  if (tid < 4) counts<<<2, 32, 0, cudaStreamFireAndForget>>>(data, flag, 0);
}
CHILD(counts_with_atomics);
CHILD(counts_without_atomics);
KERNEL(wrong_global_race_counted_by_one_of_two) {
  if (gid != 0) return;
  counts_with_atomics<<<1, 32, 0, cudaStreamFireAndForget>>>(data, flag, 0);
  counts_without_atomics<<<1, 1>>>(data, flag, 0);
}
CHILD(counts_with_atomics) {
  atomicAdd(data, 1);  // here
}
CHILD(counts_without_atomics) {
  data[0] += 32;  // here
}

// Named streams, and events between them.
CHILD(doubles) { data[tid] = 2 * data[tid] + n; }
KERNEL(right_stream_of_ones_own) {
  if (tid >= 2) return;
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  for (int i = 0; i < 2; ++i) doubles<<<1, 16, 0, stream>>>(data + 16 * gid, flag, i);
  cudaStreamDestroy(stream);
}
KERNEL(right_blocks_share_a_stream) {
  if (tid != 0) return;
  auto* const shared = reinterpret_cast<cudaStream_t*>(flag);
  if (bid == 0) {
    cudaStreamCreateWithFlags(shared, cudaStreamNonBlocking);
    __threadfence();
    atomicExch(flag + 8, 1);
  }
  while (atomicAdd(flag + 8, 0) == 0) {
  }
  __threadfence();
  increments<<<1, 32, 0, *shared>>>(data, flag, 0);
}
CHILD(doubles_in_two_streams);
KERNEL(wrong_global_race_two_streams) {
  if (gid != 0) return;
  cudaStream_t first, second;
  cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
  doubles_in_two_streams<<<1, 16, 0, first>>>(data, flag, 0);
  doubles_in_two_streams<<<1, 16, 0, second>>>(data, flag, 1);
}
CHILD(doubles_in_two_streams) {
  data[tid] = 2 * data[tid] + n;  // here
}
KERNEL(right_event_between_two_streams) {
  if (gid != 0) return;
  cudaStream_t first, second;
  cudaEvent_t event;
  cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
  cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  doubles<<<1, 16, 0, first>>>(data, flag, 0);
  cudaEventRecord(event, first);
  cudaStreamWaitEvent(second, event, 0);
  doubles<<<1, 16, 0, second>>>(data, flag, 1);
}
CHILD(doubles_beside_the_event);
KERNEL(wrong_global_race_event_recorded_too_early) {
  if (gid != 0) return;
  cudaStream_t first, second;
  cudaEvent_t event;
  cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
  cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  cudaEventRecord(event, first);
  doubles_beside_the_event<<<1, 16, 0, first>>>(data, flag, 0);
  cudaStreamWaitEvent(second, event, 0);
  doubles_beside_the_event<<<1, 16, 0, second>>>(data, flag, 1);
}
CHILD(doubles_beside_the_event) {
  data[tid] = 2 * data[tid] + n;  // here
}

// Quicksort: each grid divides its range, and two others sort the parts.
CHILD(sorts) {
  const int pivot = data[n / 2];
  int low = 0, high = n - 1;
  while (low <= high) {
    while (data[low] < pivot) ++low;
    while (data[high] > pivot) --high;
    if (low > high) break;
    const int kept = data[low];
    data[low++] = data[high];
    data[high--] = kept;
  }
  if (high > 0) sorts<<<1, 1, 0, cudaStreamFireAndForget>>>(data, flag, high + 1);
  if (low < n - 1) sorts<<<1, 1, 0, cudaStreamFireAndForget>>>(data + low, flag, n - low);
}
KERNEL(right_quicksort) {
  int* const mine = data + 32 * bid;
  if (tid < 32) mine[tid] = tid * 37 % 32;
  __syncthreads();
  if (tid == 0) sorts<<<1, 1>>>(mine, flag, 32);
}
CHILD(sorts_with_the_pivot_twice);
KERNEL(wrong_global_race_quicksort_parts_overlap) {
  int* const mine = data + 32 * bid;
  if (tid < 32) mine[tid] = tid * 37 % 32;
  __syncthreads();
  if (tid == 0) sorts_with_the_pivot_twice<<<1, 1>>>(mine, flag, 32);
}
CHILD(sorts_with_the_pivot_twice) {
  const int pivot = data[n - 1];  // here
  int part = 0;
  for (int i = 0; i < n; ++i) {
    const int value = data[i];  // here
    if (value > pivot) continue;
    data[i] = data[part];  // here
    data[part++] = value;  // here
  }
  if (n <= 4 || part == n) return;
  sorts_with_the_pivot_twice<<<1, 1, 0, cudaStreamFireAndForget>>>(data, flag, part);
  sorts_with_the_pivot_twice<<<1, 1, 0, cudaStreamFireAndForget>>>(data + part - 1, flag,
                                                                   n - part + 1);
}
// Mergesort: two halves beside each other, then the merge, once both are there.
CHILD(merges) {
  int a = 0, b = n / 2;
  for (int i = 0; i < n; ++i) {
    const bool first = b == n || (a < n / 2 && data[a] <= data[b]);
    flag[i] = first ? data[a++] : data[b++];
  }
  for (int i = 0; i < n; ++i) data[i] = flag[i];
}
CHILD(sorts_halves) {
  if (n < 2) return;
  sorts_halves<<<1, 1, 0, cudaStreamFireAndForget>>>(data, flag, n / 2);
  sorts_halves<<<1, 1, 0, cudaStreamFireAndForget>>>(data + n / 2, flag + n / 2, n / 2);
  merges<<<1, 1, 0, cudaStreamTailLaunch>>>(data, flag, n);
}
KERNEL(right_mergesort) {
  if (tid != 0) return;
  int* const mine = data + 16 * bid;
  for (int i = 0; i < 16; ++i) mine[i] = 16 - i;
  sorts_halves<<<1, 1>>>(mine, flag + 16 * bid, 16);
}
CHILD(merges_too_early);
CHILD(sorts_halves_and_merges);
KERNEL(wrong_global_race_mergesort_does_not_wait) {
  if (tid != 0) return;
  int* const mine = data + 16 * bid;
  for (int i = 0; i < 16; ++i) mine[i] = 16 - i;
  sorts_halves_and_merges<<<1, 1>>>(mine, flag + 16 * bid, 16);
}
CHILD(sorts_halves_and_merges) {
  if (n < 2) return;
  sorts_halves_and_merges<<<1, 1, 0, cudaStreamFireAndForget>>>(data, flag, n / 2);
  sorts_halves_and_merges<<<1, 1, 0, cudaStreamFireAndForget>>>(data + n / 2, flag + n / 2, n / 2);
  merges_too_early<<<1, 1>>>(data, flag, n);
}
CHILD(merges_too_early) {
  int a = 0, b = n / 2;
  for (int i = 0; i < n; ++i) {
    const bool first = b == n || (a < n / 2 && data[a] <= data[b]);  // here
    flag[i] = first ? data[a++] : data[b++];                         // here
  }
  for (int i = 0; i < n; ++i) data[i] = flag[i];  // here
}
// An adaptive grid: a square whose border is alike is filled, any other one is divided.
CHILD(fills_square) { data[n + tid / 4 * 16 + tid % 4] = 7; }
CHILD(divides_square) {
  for (int i = 0; i < 4; ++i) fills_square<<<1, 16>>>(data, flag, n + i / 2 * 64 + i % 2 * 4);
}
KERNEL(right_adaptive_grid) {
  if (gid < 4) divides_square<<<1, 1>>>(data, flag, gid / 2 * 128 + gid % 2 * 8);
}
CHILD(fills_square_with_border);
CHILD(divides_square_with_border);
KERNEL(wrong_global_race_adaptive_grid_overlaps) {
  if (gid < 4) divides_square_with_border<<<1, 1>>>(data, flag, gid / 2 * 128 + gid % 2 * 8);
}
CHILD(divides_square_with_border) {
  for (int i = 0; i < 4; ++i)
    fills_square_with_border<<<1, 25, 0, cudaStreamFireAndForget>>>(data, flag,
                                                                    n + i / 2 * 64 + i % 2 * 4);
}
CHILD(fills_square_with_border) {
  data[n + tid / 5 * 16 + tid % 5] = n;  // here
}
// Breadth-first search in a tree of 64 nodes, whose levels are tail launches.
CHILD(visits_children) {
  const int node = data[64 + tid];
  for (int child = 2 * node; child < 2 * node + 2 && child < 64; ++child) {
    if (atomicCAS(data + child, 0, n) == 0) data[128 + atomicAdd(flag, 1)] = child;
  }
}
CHILD(copies_frontier) {
  const int count = flag[0];
  if (tid < count) data[64 + tid] = data[128 + tid];
  __syncthreads();
  if (tid != 0 || count == 0) return;
  flag[0] = 0;
  visits_children<<<1, count>>>(data, flag, n + 1);
  copies_frontier<<<1, 64, 0, cudaStreamTailLaunch>>>(data, flag, n + 1);
}
KERNEL(right_breadth_first_search) {
  if (gid != 0) return;
  data[1] = 1;
  data[128] = 1;
  flag[0] = 1;
  copies_frontier<<<1, 64>>>(data, flag, 1);
}
CHILD(visits_children_plainly);
CHILD(next_level);
KERNEL(wrong_global_race_next_level_is_not_awaited) {
  if (gid != 0) return;
  data[1] = 1;
  data[128] = 1;
  flag[0] = 1;
  next_level<<<1, 64>>>(data, flag, 1);
}
CHILD(next_level) {
  const int count = flag[0];                          // here
  if (tid < count) data[64 + tid] = data[128 + tid];  // here
  __syncthreads();
  if (tid != 0 || count == 0 || n > 4) return;
  flag[0] = 0;  // here
  visits_children_plainly<<<1, count, 0, cudaStreamFireAndForget>>>(data, flag, n + 1);
  next_level<<<1, 64>>>(data, flag, n + 1);
}
CHILD(visits_children_plainly) {
  const int node = data[64 + tid];  // here
  for (int child = 2 * node; child < 2 * node + 2 && child < 64; ++child) {
    if (atomicCAS(data + child, 0, n) == 0) data[128 + atomicAdd(flag, 1)] = child;  // here
  }
}
// The last of several grids that run beside each other finds what all did.
CHILD(leaves_a_part_and_may_sum) {
  data[64 + n] = data[n] + 1;
  __threadfence();
  if (atomicAdd(flag, 1) != 7) return;
  __threadfence();
  int sum = 0;
  for (int i = 0; i < 8; ++i) sum += data[64 + i] + data[i];
  data[200] = sum;
}
KERNEL(right_last_grid_sums) {
  if (gid != 0) return;
  for (int i = 0; i < 8; ++i) {
    data[i] = i;
    leaves_a_part_and_may_sum<<<1, 1, 0, cudaStreamFireAndForget>>>(data, flag, i);
  }
}
CHILD(leaves_a_part_without_a_fence);
KERNEL(wrong_global_race_last_grid_sums_without_fences) {
  if (gid != 0) return;
  for (int i = 0; i < 8; ++i)
    leaves_a_part_without_a_fence<<<1, 1, 0, cudaStreamFireAndForget>>>(data, flag, i);
}
CHILD(leaves_a_part_without_a_fence) {
  data[64 + n] = n;
  if (atomicAdd(flag, 1) != 7) return;
  int sum = 0;
  for (int i = 0; i < 8; ++i) sum += data[64 + i];  // here
  data[200] = sum;
}
// A tree is built from the root down; each node has its own place, which an atomic counter gives.
CHILD(builds) {
  const int left = atomicAdd(flag, 2);
  data[3 * n] = left;
  if (left + 1 >= 31) return;
  data[3 * left + 1] = data[3 * n + 1] + 1;
  data[3 * left + 4] = data[3 * n + 1] + 1;
  builds<<<1, 1>>>(data, flag, left);
  builds<<<1, 1>>>(data, flag, left + 1);
}
KERNEL(right_tree_is_built) {
  if (gid != 0) return;
  flag[0] = 1;
  builds<<<1, 1>>>(data, flag, 0);
}
