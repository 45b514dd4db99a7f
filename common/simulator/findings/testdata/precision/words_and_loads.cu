// Words of other sizes than 32 bits, loads through the read-only path, and memory with two names.
#include <cstdint>

#include "precision.h"

struct alignas(16) Four {
  int x, y, z, w;
};

KERNEL(right_value_and_flag_in_64_bits) {
  auto* slot = reinterpret_cast<volatile unsigned long long*>(flag);
  if (bid == 0 && tid == 0) slot[0] = 1ull << 32 | 17;
  if (bid == 1 && tid == 0) {
    unsigned long long both = 0;
    while ((both = slot[0]) >> 32 == 0) {
    }
    data[0] = int(both);
  }
}
KERNEL(wrong_global_race_value_and_flag_in_two_words) {
  auto* slot = reinterpret_cast<volatile int*>(flag);
  if (bid == 0 && tid == 0) {
    flag[1] = 17;  // here
    slot[0] = 1;
  }
  if (bid == 1 && tid == 0) {
    while (slot[0] == 0) {
    }
    data[0] = flag[1];  // here
  }
}
KERNEL(right_halves_of_one_word_by_two_threads) {
  auto* halves = reinterpret_cast<short*>(data);
  halves[gid] = short(gid);
}
KERNEL(wrong_global_race_half_read_while_the_word_is_stored) {
  auto* halves = reinterpret_cast<short*>(data);
  if (tid == 0 && bid == 0) data[5] = 3;            // here
  if (tid == 32 && bid == 0) data[9] = halves[11];  // here
}
KERNEL(right_vectors_of_16_bytes_side_by_side) {
  auto* all = reinterpret_cast<Four*>(data);
  all[gid] = Four{gid, 1, 2, 3};
  __syncthreads();
  const Four other = all[bid * 64 + (tid ^ 33)];
  data[2048 + gid] = other.x + other.w;
}
KERNEL(wrong_global_race_last_word_of_a_vector_is_the_next_ones) {
  if (tid % 4 == 0) {
    auto* mine = reinterpret_cast<Four*>(data) + bid * 32 + tid / 4;
    *mine = Four{1, 2, 3, 4};  // here
  }
  if (tid % 4 == 1) data[bid * 128 + (tid - 1 + 32) % 64 + 3] = 9;  // here
}
KERNEL(right_read_only_loads_of_what_an_earlier_launch_wrote) { data[gid] = __ldg(flag + gid) + 1; }
KERNEL(wrong_global_race_read_only_load_of_what_another_block_writes) {
  data[gid] = gid;                             // here
  flag[gid] = __ldg(data + (gid + 64) % 256);  // here
}
KERNEL(right_dynamic_parts_of_one_array) {
  __shared__ __align__(16) unsigned char room[64 * 4 + 64 * 8];
  auto* ints = reinterpret_cast<int*>(room);
  auto* doubles = reinterpret_cast<double*>(room + 64 * 4);
  ints[tid] = tid;
  doubles[tid] = tid;
  __syncthreads();
  data[gid] = ints[63 - tid] + int(doubles[63 - tid]);
}
KERNEL(wrong_shared_race_parts_of_one_array_overlap) {
  __shared__ __align__(16) unsigned char room[64 * 4 + 64 * 8];
  auto* ints = reinterpret_cast<int*>(room);
  auto* doubles = reinterpret_cast<double*>(room + 64 * 2);
  ints[tid] = tid;  // here
  __syncwarp();
  doubles[tid] = tid;  // here
  __syncthreads();
  data[gid] = int(doubles[63 - tid]);
}
KERNEL(right_union_used_one_way_at_a_time) {
  union Slot {
    float f;
    int i;
  };
  __shared__ Slot slots[64];
  slots[tid].f = 1.5f;
  __syncthreads();
  const float other = slots[63 - tid].f;
  __syncthreads();
  slots[tid].i = int(other);
  __syncthreads();
  data[gid] = slots[63 - tid].i;
}
KERNEL(wrong_shared_race_union_used_again_too_early) {
  union Slot {
    float f;
    int i;
  };
  __shared__ Slot slots[64];
  slots[tid].f = 1.5f;
  __syncthreads();
  const float other = slots[63 - tid].f;  // here
  slots[tid].i = int(other);              // here
  __syncthreads();
  data[gid] = slots[63 - tid].i;
}
KERNEL(right_flags_of_one_byte_each) {
  auto* bytes = reinterpret_cast<unsigned char*>(flag);
  bytes[gid] = 1;
  __syncthreads();
  data[gid] = bytes[bid * 64 + 63 - tid];
}
KERNEL(wrong_misaligned_pair_of_doubles_in_shared_memory) {
  __shared__ __align__(16) unsigned char room[2048];
  auto* pairs = reinterpret_cast<double2*>(room + 4);
  pairs[tid] = make_double2(tid, 1);  // here
  __syncthreads();
  data[gid] = int(pairs[63 - tid].x);
}
KERNEL(right_bits_set_by_atomic_or) {
  auto* words = reinterpret_cast<unsigned*>(flag);
  atomicOr(words + gid / 32, 1u << gid % 32);
  __syncthreads();
  data[gid] = __popc(atomicOr(words + gid / 32, 0u));
}
KERNEL(wrong_global_race_bits_set_by_stores) {
  auto* words = reinterpret_cast<unsigned*>(flag);
  words[gid / 32] |= 1u << gid % 32;  // here
}
KERNEL(right_counter_of_64_bits) {
  atomicAdd(reinterpret_cast<unsigned long long*>(flag), 1ull << 40);
  __syncthreads();
  if (tid == 0) data[bid] = 1;
}
KERNEL(wrong_misaligned_atomic_of_64_bits) {
  atomicAdd(reinterpret_cast<unsigned long long*>(flag + 1), 1ull);  // here
}
KERNEL(wrong_global_race_read_only_load_of_what_its_block_has_written) {
  data[gid] = gid;  // here
  __syncthreads();
  flag[gid] = __ldg(data + bid * 64 + 63 - tid);  // here
}
KERNEL(right_plain_load_of_what_its_block_has_written) {
  data[gid] = gid;
  __syncthreads();
  flag[gid] = data[bid * 64 + 63 - tid];
}
KERNEL(right_read_only_load_before_the_store) {
  const int before = __ldg(data + bid * 64 + 63 - tid);
  __syncthreads();
  data[gid] = before + 1;
}
