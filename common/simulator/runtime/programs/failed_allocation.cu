// Nobody looks at what cudaMalloc returned. The pointer held an address of the host before: the kernel
// that gets it is told of a null pointer all the same.
#include "check.h"

__global__ void fill(int* data) { data[threadIdx.x] = 1; }

int main() {
  static int host[32];
  int* data = host;
  EXPECT(cudaMalloc(&data, std::size_t{1} << 40) == cudaErrorMemoryAllocation);
  cudaGetLastError();
  fill<<<1, 32>>>(data);
  std::printf("%d\n", cudaDeviceSynchronize());
}
