// What is copied without being looked at: padding, the rest of a word in which a bit-field was set, the
// unused component of a vector. It may hold anything, and does so where it arrives as well.
#include <cuda_pipeline.h>

#include "precision.h"

struct Padded {
  char kind;
  int value;
};
struct alignas(16) Wide {
  double weight;
  int index;
};
struct Flags {
  unsigned state : 3, owner : 9, spare : 20;
};
struct Entry {
  Padded key;
  short tag;
};

KERNEL(right_padding_is_copied_with_its_structure) {
  auto* const items = reinterpret_cast<Padded*>(raw);
  items[gid].kind = 'a';
  items[gid].value = gid;
  items[512 + gid] = items[gid];
  data[gid] = items[512 + gid].value + items[512 + gid].kind;
}
KERNEL(wrong_uninitialized_read_of_what_a_copy_of_padding_brought) {
  auto* const items = reinterpret_cast<Padded*>(raw);
  items[gid].kind = 'a';
  items[gid].value = gid;
  auto* const words = reinterpret_cast<long long*>(raw);
  words[512 + gid] = words[gid];
  __syncthreads();  // what follows is loaded anew
  data[gid] = reinterpret_cast<unsigned char*>(&words[512 + gid])[2] + 1;  // here
}
KERNEL(right_tail_of_an_aligned_structure) {
  auto* const items = reinterpret_cast<Wide*>(raw);
  items[gid].weight = 1.5;
  items[gid].index = gid;
  items[300 + gid] = items[gid];
  data[gid] = items[300 + gid].index;
}
KERNEL(right_structure_through_shared_memory) {
  __shared__ Wide kept[64];
  auto* const items = reinterpret_cast<Wide*>(raw);
  items[gid].weight = 2.5;
  items[gid].index = gid;
  kept[tid] = items[gid];
  __syncthreads();
  const Wide other = kept[tid ^ 1];
  items[300 + gid] = other;
  data[gid] = items[300 + gid].index;
}
KERNEL(right_unused_component_of_a_vector) {
  auto* const points = reinterpret_cast<float4*>(raw);
  points[gid].x = points[gid].y = points[gid].z = 1.0f;
  points[300 + gid] = points[gid];
  data[gid] = static_cast<int>(points[300 + gid].z);
}
KERNEL(wrong_uninitialized_read_of_a_component_that_was_copied_unset) {
  auto* const points = reinterpret_cast<float4*>(raw);
  points[gid].x = points[gid].y = points[gid].z = 1.0f;
  points[300 + gid] = points[gid];
  __syncthreads();  // what follows is loaded anew
  data[gid] = static_cast<int>(points[300 + gid].w * 2.0f);  // here
}
KERNEL(right_bit_fields_are_set_one_by_one) {
  auto* const flags = reinterpret_cast<Flags*>(raw);
  flags[gid].state = 5;
  flags[gid].owner = static_cast<unsigned>(tid);
  data[gid] = static_cast<int>(flags[gid].state + flags[gid].owner);
}
KERNEL(wrong_uninitialized_read_of_a_bit_field_that_nobody_set) {
  auto* const flags = reinterpret_cast<Flags*>(raw);
  flags[gid].state = 5;
  flags[300 + gid] = flags[gid];
  __syncthreads();  // what follows is loaded anew
  data[gid] = static_cast<int>(flags[300 + gid].spare + 1);  // here
}
KERNEL(right_entries_of_a_local_array_change_places) {
  Entry entries[4];
  for (int i = 0; i < 4; ++i) {
    entries[i].key.kind = 'k';
    entries[i].key.value = flag[gid + i] + i;
    entries[i].tag = static_cast<short>(i);
  }
  const int from = flag[gid] & 3, to = (from + 1 + (tid & 1)) & 3;
  const Entry kept = entries[from];
  entries[from] = entries[to];
  entries[to] = kept;
  data[gid] = entries[flag[gid + 1] & 3].key.value + entries[to].tag;
}
KERNEL(right_what_a_later_store_completes) {
  auto* const points = reinterpret_cast<float4*>(raw);
  points[gid].x = points[gid].y = 1.0f;
  points[300 + gid] = points[gid];
  points[300 + gid].z = points[300 + gid].w = 3.0f;
  const float4 all = points[300 + gid];
  data[gid] = static_cast<int>(all.x + all.y + all.z + all.w);
}
KERNEL(wrong_uninitialized_read_of_a_word_that_is_copied_whole) {
  __shared__ int kept[128];
  kept[tid] = gid;
  __syncthreads();
  data[gid] = kept[tid + 1];  // here
}
KERNEL(right_copies_of_a_loop_hold_what_they_copied_last) {
  auto* const points = reinterpret_cast<float4*>(raw);
  points[gid].x = points[gid].y = points[gid].z = 1.0f;
  points[512 + gid] = make_float4(1.0f, 2.0f, 3.0f, 4.0f);
  float sum = 0.0f;
  for (int i = 0; i < 2; ++i) {
    points[768 + gid] = points[i * 512 + gid];
    if (i == 1) sum += points[768 + gid].w;
  }
  data[gid] = static_cast<int>(sum);
}

// By an asynchronous copy.
KERNEL(right_asynchronous_copy_of_padding) {
  __shared__ Padded kept[64];
  auto* const items = reinterpret_cast<Padded*>(raw);
  items[gid].kind = 'a';
  items[gid].value = gid;
  __pipeline_memcpy_async(&kept[tid], &items[gid], sizeof(Padded));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  data[gid] = kept[tid ^ 1].value + kept[tid ^ 1].kind;
}
KERNEL(wrong_uninitialized_read_of_what_an_asynchronous_copy_brought) {
  __shared__ int kept[64];
  __pipeline_memcpy_async(&kept[tid], &raw[gid], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  data[gid] = kept[tid ^ 1] + 1;  // here
}
KERNEL(right_asynchronous_copy_of_what_is_behind_the_end) {
  __shared__ int kept[64];
  if (tid < 50) raw[gid] = gid;
  __pipeline_memcpy_async(&kept[tid], &raw[gid], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  if (63 - tid < 50) data[gid] = kept[63 - tid] * 2;
}
KERNEL(wrong_uninitialized_read_of_padding_brought_behind_a_full_barrier) {
  __shared__ int kept[128];
  kept[tid] = kept[tid + 64] = tid;
  __syncthreads();  // all of it is written
  __pipeline_memcpy_async(&kept[tid], &raw[gid], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  data[gid] = kept[tid] + 1;  // here
}

// To a function and back.
__device__ __noinline__ int sum_of(Padded p) { return p.value + p.kind; }
__device__ __noinline__ Padded made(int x) { Padded p; p.kind = 'a'; p.value = x; return p; }
struct Large {
  char kind;
  double w[4];
  int last;
};
__device__ __noinline__ Large changed(Large b, int i) { b.w[i & 3] += b.last; return b; }
KERNEL(right_structure_with_padding_is_an_argument) {
  auto* const items = reinterpret_cast<Padded*>(raw);
  items[gid].kind = 'a';
  items[gid].value = gid;
  data[gid] = sum_of(items[gid]);
}
KERNEL(right_structure_with_padding_is_a_result) {
  auto* const items = reinterpret_cast<Padded*>(raw);
  items[gid] = made(gid);
  data[gid] = items[gid].value;
}
KERNEL(right_large_structure_is_argument_and_result) {
  Large b;
  b.kind = 1;
  for (int i = 0; i < 4; ++i) b.w[i] = i + flag[i];
  b.last = tid;
  const Large c = changed(b, flag[0] + tid);
  data[gid] = int(c.w[tid & 3]) + c.last + c.kind;
}
__device__ __noinline__ int twice(int number) { return 2 * number; }
KERNEL(wrong_uninitialized_read_of_a_number_that_is_an_argument) {
  data[gid] = twice(raw[gid]);  // here
}
