// Pointers to functions, virtual functions, recursion, memory of alloca and of the heap.
#include <cstdint>
#include <cstdlib>
#include <new>

#include "precision.h"

using Operation = int (*)(int*, int);
static __device__ __noinline__ int put(int* a, int i) { return a[i] = i; }
static __device__ __noinline__ int take(int* a, int i) { return a[(i + 1) % 64]; }
static __device__ Operation operations[2] = {put, take};

struct Shape {
  __device__ virtual int area(const int* sides) const = 0;
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  __device__ int area(const int* sides) const override { return sides[0] * sides[0]; }
};
struct Box : Shape {
  __device__ int area(const int* sides) const override;
};

KERNEL(right_functions_by_pointer_with_a_barrier_between) {
  __shared__ int s[64];
  operations[flag[0]](s, tid);
  __syncthreads();
  data[gid] = operations[1 - flag[1]](s, tid);
}
KERNEL(right_virtual_functions) {
  __shared__ int sides[2];
  if (tid < 2) sides[tid] = tid + 2;
  __syncthreads();
  Square square;
  Box box;
  const Shape* shape = tid % 2 == 0 ? static_cast<const Shape*>(&square) : &box;
  data[gid] = shape->area(sides);
}
KERNEL(wrong_uninitialized_read_by_a_virtual_function) {
  __shared__ int sides[2];
  if (tid < 1) sides[tid] = tid + 2;
  __syncthreads();
  Square square;
  Box box;
  const Shape* shape = flag[tid] == 0 ? static_cast<const Shape*>(&box) : &square;
  data[gid] = shape->area(sides);
}
__device__ int Box::area(const int* sides) const {
  return sides[0] * sides[1];  // here
}
static __device__ __noinline__ int depth_of(int n) { return n <= 1 ? 1 : 1 + depth_of(n / 2); }
KERNEL(right_recursion) { data[gid] = depth_of(tid + 1) + depth_of(gid + 1); }
static __device__ __noinline__ int for_ever(int n);
KERNEL(wrong_invalid_instruction_recursion_without_an_end) { data[gid] = for_ever(flag[tid]); }
static __device__ __noinline__ int for_ever(int n) {
  return n < 0 ? 0 : 1 + for_ever(n + 1) % 7;  // here
}
KERNEL(right_list_on_the_heap) {
  struct Node {
    int value;
    Node* next;
  };
  Node* first = nullptr;
  for (int i = 0; i < 3; ++i) first = new Node{i, first};
  int sum = 0;
  while (first != nullptr) {
    sum += first->value;
    Node* gone = first;
    first = first->next;
    delete gone;
  }
  data[gid] = sum;
}
KERNEL(wrong_use_after_free_list_freed_before_its_next) {
  struct Node {
    int value;
    Node* next;
  };
  Node* first = nullptr;
  for (int i = 0; i < 3; ++i) first = new Node{i, first};
  int sum = 0;
  while (first != nullptr) {
    sum += first->value;
    delete first;
    first = first->next;  // here
  }
  data[gid] = sum;
}
KERNEL(right_heap_of_one_thread_read_by_its_block) {
  __shared__ int* room;
  if (tid == 0) room = static_cast<int*>(malloc(64 * sizeof(int)));
  __syncthreads();
  if (room == nullptr) return;
  room[tid] = tid;
  __syncthreads();
  data[gid] = room[63 - tid];
  __syncthreads();
  if (tid == 0) free(room);
}
KERNEL(wrong_use_after_free_heap_freed_before_all_have_read) {
  __shared__ int* room;
  if (tid == 0) room = static_cast<int*>(malloc(64 * sizeof(int)));
  __syncthreads();
  room[tid] = tid;
  __syncthreads();
  if (tid == 0) free(room);
  __syncthreads();
  data[gid] = room[63 - tid];  // here
}
KERNEL(wrong_out_of_bounds_of_the_heap) {
  auto* room = static_cast<int*>(malloc(10 * sizeof(int)));
  room[10 + flag[tid]] = 1;  // here
  free(room);
}
KERNEL(wrong_uninitialized_read_of_the_heap) {
  auto* room = static_cast<int*>(malloc(10 * sizeof(int)));
  for (int i = 0; i < 9; ++i) room[i] = i;
  int sum = 0;
  for (int i = 0; i < 10; ++i) sum += room[i];  // here
  data[gid] = sum;
  free(room);
}
KERNEL(right_local_array_of_a_length_known_later) {
  auto* room = static_cast<int*>(alloca((tid % 7 + 1) * sizeof(int)));
  for (int i = 0; i <= tid % 7; ++i) room[i] = i;
  data[gid] = room[flag[tid] + tid % 7];
}
KERNEL(wrong_invalid_instruction_assertion) {
  if (data[gid] != 0 || gid == 77) __trap();  // here
}
KERNEL(right_result_of_a_lambda_that_captures_a_reference) {
  int sum = 0;
  auto add = [&](int value) { sum += value; };
  for (int i = 0; i < tid % 5; ++i) add(i);
  data[gid] = sum;
}
