// Text from the device, and an assertion that fails there.
#undef NDEBUG  // however the project is built
#include <cassert>

#include "check.h"

__global__ void speak(int value) {
  if (threadIdx.x < 2) printf("thread %d says %d, %.2f, %s\n", threadIdx.x, value, 1.5, "hello");
}

__global__ void insist(int value) { assert(value == 4); }

int main() {
  speak<<<1, 32>>>(7);
  CHECK(cudaDeviceSynchronize());
  insist<<<1, 32>>>(4);
  CHECK(cudaDeviceSynchronize());
  insist<<<1, 32>>>(5);
  EXPECT(cudaDeviceSynchronize() == cudaErrorAssert);
  std::printf("asserted\n");
}
