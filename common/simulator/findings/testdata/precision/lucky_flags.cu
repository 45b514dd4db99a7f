// Flags, counters and queues whose users look and act in two steps, or look once where they would have to look
// again. Where each thread goes through in one go, nobody comes between.
#include "precision.h"

// What nobody has made yet is made by who comes first.
KERNEL(wrong_global_race_made_by_all_who_find_it_missing) {
  if (tid != 0) return;
  volatile int* ready = &flag[0];
  if (*ready == 0) {
    data[0] = bid + 5;  // here
    __threadfence();
    *ready = 1;
  }
  __threadfence();
  data[1 + bid] = data[0];  // here
}
KERNEL(right_made_by_who_claims_it) {
  if (tid != 0) return;
  volatile int* ready = &flag[0];
  if (atomicCAS(&flag[1], 0, 1) == 0) {
    data[0] = bid + 5;
    __threadfence();
    *ready = 1;
  }
  while (*ready == 0) {
  }
  __threadfence();
  data[1 + bid] = data[0];
}

// A second item in the place of the first.
KERNEL(wrong_global_race_second_item_before_the_first_is_taken) {
  if (tid != 0) return;
  volatile int* items = &flag[0];
  if (bid == 0) {
    for (int i = 1; i <= 2; ++i) {
      data[0] = i;  // here
      __threadfence();
      *items = i;
    }
  } else if (*items != 0) {
    __threadfence();
    data[bid] = data[0];  // here
  }
}
KERNEL(right_second_item_elsewhere) {
  if (tid != 0) return;
  volatile int* items = &flag[0];
  if (bid == 0) {
    for (int i = 1; i <= 2; ++i) {
      data[64 * i] = i;
      __threadfence();
      *items = i;
    }
  } else if (const int last = *items; last != 0) {
    __threadfence();
    data[bid] = data[64 * last];
  }
}
KERNEL(wrong_shared_race_second_item_before_the_first_is_taken_by_a_warp) {
  __shared__ int item;
  __shared__ volatile int items;
  if (tid == 0) items = 0;
  __syncthreads();
  if (tid == 0) {
    for (int i = 1; i <= 2; ++i) {
      item = i;  // here
      __threadfence_block();
      items = i;
    }
  }
  if (tid == 32) {
    while (items == 0) {
    }
    __threadfence_block();
    data[bid] = item;  // here
  }
}
KERNEL(right_second_item_when_the_first_is_taken_by_a_warp) {
  __shared__ int item;
  __shared__ volatile int items, taken;
  if (tid == 0) items = taken = 0;
  __syncthreads();
  if (tid == 0) {
    for (int i = 1; i <= 2; ++i) {
      while (taken != i - 1) {
      }
      __threadfence_block();
      item = i;
      __threadfence_block();
      items = i;
    }
  }
  if (tid == 32) {
    for (int i = 1; i <= 2; ++i) {
      while (items != i) {
      }
      __threadfence_block();
      data[2 * bid + i] = item;
      __threadfence_block();
      taken = i;
    }
  }
}

// An odd number says that somebody writes.
KERNEL(wrong_global_race_even_number_looked_at_before_and_not_behind) {
  if (tid != 0) return;
  volatile int* number = &flag[0];
  if (bid == 0) {
    for (int i = 0; i < 2; ++i) {
      *number = 2 * i + 1;
      __threadfence();
      data[0] = i;  // here
      __threadfence();
      *number = 2 * i + 2;
    }
  } else if (const int now = *number; now != 0 && now % 2 == 0) {
    __threadfence();
    data[bid] = data[0];  // here
  }
}
KERNEL(right_number_that_is_the_last_one) {
  if (tid != 0) return;
  volatile int* number = &flag[0];
  if (bid == 0) {
    for (int i = 0; i < 2; ++i) {
      *number = 2 * i + 1;
      __threadfence();
      data[0] = i;
      __threadfence();
      *number = 2 * i + 2;
    }
  } else if (*number == 4) {
    __threadfence();
    data[bid] = data[0];
  }
}

// Places of a list are given by one counter, and what is there by another.
KERNEL(wrong_global_race_so_many_stored_are_not_the_first_ones) {
  if (tid != 0) return;
  const int place = atomicAdd(&flag[0], 1);
  data[place] = bid + 1;  // here
  __threadfence();
  atomicAdd(&flag[1], 1);
  const int there = atomicAdd(&flag[1], 0);
  __threadfence();
  int sum = 0;
  for (int i = 0; i < there; ++i) sum += data[i];  // here
  data[64 + bid] = sum;
}
KERNEL(right_so_many_stored_in_turn) {
  if (tid != 0) return;
  const int place = atomicAdd(&flag[0], 1);
  data[place] = bid + 1;
  while (atomicAdd(&flag[1], 0) != place) {
  }
  __threadfence();
  atomicAdd(&flag[1], 1);
  const int there = atomicAdd(&flag[1], 0);
  __threadfence();
  int sum = 0;
  for (int i = 0; i < there; ++i) sum += data[i];
  data[64 + bid] = sum;
}

KERNEL(wrong_global_race_last_by_a_second_look_at_the_counter) {
  if (tid != 0) return;
  data[64 + bid] = bid;
  __threadfence();
  atomicAdd(&flag[0], 1);
  if (*(volatile int*)&flag[0] != 4) return;
  __threadfence();
  int sum = 0;
  for (int i = 0; i < 4; ++i) sum += data[64 + i];
  data[0] = data[0] + sum;  // here
}
KERNEL(right_last_by_what_the_counter_returned) {
  if (tid != 0) return;
  data[64 + bid] = bid;
  __threadfence();
  if (atomicAdd(&flag[0], 1) != 3) return;
  __threadfence();
  int sum = 0;
  for (int i = 0; i < 4; ++i) sum += data[64 + i];
  data[0] = data[0] + sum;
}

// A list with two places.
KERNEL(wrong_out_of_bounds_asks_for_room_and_then_takes_it_in_4_warps) {
  __shared__ int count;
  __shared__ int list[2];
  if (tid == 0) count = 0;
  __syncthreads();
  if (tid % 32 == 0 && *(volatile int*)&count < 2) list[atomicAdd(&count, 1)] = tid;  // here
  __syncthreads();
  if (tid < 2) data[2 * bid + tid] = list[tid];
}
KERNEL(right_takes_a_place_and_asks_whether_it_is_one_in_4_warps) {
  __shared__ int count;
  __shared__ int list[2];
  if (tid == 0) count = 0;
  __syncthreads();
  if (tid % 32 == 0) {
    const int place = atomicAdd(&count, 1);
    if (place < 2) list[place] = tid;
  }
  __syncthreads();
  if (tid < 2) data[2 * bid + tid] = list[tid];
}

// Who gives back the last use of something clears it.
KERNEL(wrong_global_race_use_counted_after_a_look) {
  if (tid != 0) return;
  volatile int* others = &flag[0];
  if (bid != 0) {
    if (*others < 0) return;
    atomicAdd(&flag[0], 1);
    __threadfence();
    data[bid] = data[0];  // here
    __threadfence();
  }
  if (atomicSub(&flag[0], 1) != 0) return;
  __threadfence();
  data[0] = -1;  // here
}
KERNEL(right_use_counted_by_a_swap) {
  if (tid != 0) return;
  volatile int* others = &flag[0];
  if (bid != 0) {
    for (;;) {
      const int before = *others;
      if (before < 0) return;
      if (atomicCAS(&flag[0], before, before + 1) == before) break;
    }
    __threadfence();
    data[bid] = data[0];
    __threadfence();
  }
  if (atomicSub(&flag[0], 1) != 0) return;
  __threadfence();
  data[0] = -1;
}

KERNEL(wrong_global_race_number_of_an_item_by_load_and_store) {
  if (tid != 0) return;
  volatile int* next = &flag[0];
  const int item = *next;
  *next = item + 1;
  data[item] = data[item] + bid;  // here
}
KERNEL(right_number_of_an_item_by_an_atomic) {
  if (tid != 0) return;
  const int item = atomicAdd(&flag[0], 1);
  data[item] = data[item] + bid;
}

// A box for one letter.
KERNEL(wrong_global_race_two_find_the_box_empty) {
  if (tid != 0) return;
  volatile int* full = &flag[0];
  if (*full != 0) return;
  data[0] = bid + 1;  // here
  __threadfence();
  *full = 1;
}
KERNEL(right_one_claims_the_box) {
  if (tid != 0) return;
  volatile int* full = &flag[0];
  if (*full != 0 || atomicCAS(&flag[1], 0, 1) != 0) return;
  data[0] = bid + 1;
  __threadfence();
  *full = 1;
}
