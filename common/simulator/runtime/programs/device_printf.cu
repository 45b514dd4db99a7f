// Text from the device, more of it than its buffer holds, and an assertion that fails there.
#undef NDEBUG  // however the project is built
#include <cassert>

#include "check.h"

__global__ void speak(int value) {
  if (threadIdx.x < 2) printf("thread %d says %d, %.2f, %s\n", threadIdx.x, value, 1.5, "hello");
}

__global__ void count() { printf("count %d\n", threadIdx.x); }

__global__ void insist(int value) { assert(value == 4); }

int main() {
  speak<<<1, 32>>>(7);
  CHECK(cudaDeviceSynchronize());
  std::size_t usual = 0;
  CHECK(cudaDeviceGetLimit(&usual, cudaLimitPrintfFifoSize));
  CHECK(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1024));
  count<<<1, 64>>>();
  CHECK(cudaDeviceSynchronize());
  EXPECT(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1ull << 60) == cudaErrorMemoryAllocation);
  CHECK(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, usual));
  insist<<<1, 32>>>(4);
  CHECK(cudaDeviceSynchronize());
  insist<<<1, 32>>>(5);
  EXPECT(cudaDeviceSynchronize() == cudaErrorAssert);
  std::printf("asserted\n");
}
