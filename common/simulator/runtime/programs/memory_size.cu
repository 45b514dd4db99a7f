// Asks how much memory there is, takes most of it in one piece and uses its ends.
#include <cstdio>

#include "check.h"

namespace {

__global__ void touch(char* bytes, std::size_t last) {
  bytes[0] = 1;
  bytes[last] = 2;
}

}  // namespace

int main() {
  std::size_t free = 0, total = 0;
  CHECK(cudaMemGetInfo(&free, &total));
  cudaDeviceProp device;
  CHECK(cudaGetDeviceProperties(&device, 0));
  EXPECT(device.totalGlobalMem == total);
  const std::size_t bytes = total / 8 * 7;
  char *most = nullptr, *more = nullptr, ends[2] = {};
  CHECK(cudaMalloc(&most, bytes));
  touch<<<1, 1>>>(most, bytes - 1);
  CHECK(cudaMemcpy(&ends[0], most, 1, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(&ends[1], most + bytes - 1, 1, cudaMemcpyDeviceToHost));
  EXPECT(ends[0] == 1 && ends[1] == 2);
  EXPECT(cudaMalloc(&more, bytes) == cudaErrorMemoryAllocation);
  CHECK(cudaFree(most));
  std::printf("%zu MiB\n", total >> 20);
}
