// Lost updates, and what each atomic returns. A program of its own:
//
//     ./lab sim labs/atomics/examples/tellers.cu
//     nvcc -I. -o tellers labs/atomics/examples/tellers.cu && ./tellers        (with a GPU)
//
// Prints: in three steps: 512
#include <cstdio>

#include "common/example.h"

namespace {

/// Every thread is a teller who books 1.
__global__ void book_in_three_steps(int* total) {
  const int seen = *static_cast<volatile int*>(total);  // read
  *static_cast<volatile int*>(total) = seen + 1;        // add, write: what others booked meanwhile
}
__global__ void book_in_one_step(int* total) { atomicAdd(total, 1); }

/// What stood there before each operation, as the operation returned it; behind the last what
/// stands there in the end.
__global__ void one_after_the_other(unsigned* returned) {
  __shared__ unsigned x;
  x = 5;
  returned[0] = atomicAdd(&x, 3);
  returned[1] = atomicSub(&x, 2);
  returned[2] = atomicMin(&x, 4);
  returned[3] = atomicMax(&x, 9);
  returned[4] = atomicInc(&x, 9);  // 9 is the last number: behind it comes 0
  returned[5] = atomicDec(&x, 7);  // and before 0 comes 7
  returned[6] = atomicExch(&x, 12);
  returned[7] = atomicAnd(&x, 6);
  returned[8] = atomicOr(&x, 3);
  returned[9] = atomicXor(&x, 1);
  returned[10] = atomicCAS(&x, 1, 8);  // not 1, so nothing is written
  returned[11] = atomicCAS(&x, 6, 8);
  returned[12] = x;
}

int booked(void (*kernel)(int*), int blocks, int threads) {
  DeviceArray<int> total(1);
  kernel<<<blocks, threads>>>(total.data());
  return total.to_host()[0];
}

}  // namespace

int main() {
  constexpr int blocks = 64, threads = 256;
  std::printf("%d tellers book 1 each.\n", blocks * threads);
  std::printf("in three steps: %d\n", booked(book_in_three_steps, blocks, threads));
  std::printf("in one step:    %d\n\n", booked(book_in_one_step, blocks, threads));

  constexpr int steps = 12;
  const char* const operations[steps] = {
      "atomicAdd(&x, 3)", "atomicSub(&x, 2)", "atomicMin(&x, 4)",    "atomicMax(&x, 9)",
      "atomicInc(&x, 9)", "atomicDec(&x, 7)", "atomicExch(&x, 12)",  "atomicAnd(&x, 6)",
      "atomicOr(&x, 3)",  "atomicXor(&x, 1)", "atomicCAS(&x, 1, 8)", "atomicCAS(&x, 6, 8)"};
  DeviceArray<unsigned> on_device(steps + 1);
  one_after_the_other<<<1, 1>>>(on_device.data());
  const std::vector<unsigned> returned = on_device.to_host();
  for (int i = 0; i < steps; ++i)
    std::printf("%-20s returns %2u, and x is %2u\n", operations[i], returned[i], returned[i + 1]);
  return finish();
}
