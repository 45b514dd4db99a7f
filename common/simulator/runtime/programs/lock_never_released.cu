// A lock that its owner keeps: everybody else waits for good.
#include "check.h"

__device__ int lock_word;

__global__ void keep_the_lock(int* value) {
  while (atomicCAS(&lock_word, 0, 1) != 0) {
  }
  *value = *value + 1;
}

int main() {
  int* value = nullptr;
  CHECK(cudaMalloc(&value, sizeof *value));
  CHECK(cudaMemset(value, 0, sizeof *value));
  keep_the_lock<<<1, 64>>>(value);
  std::printf("%d\n", static_cast<int>(cudaDeviceSynchronize()));
}
