// Writes one element past the end; the error sticks, as it does on a GPU.
#include "check.h"

__global__ void past_the_end(int* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) data[i] = i;
}

int main() {
  int* data;
  CHECK(cudaMalloc(&data, 100 * sizeof(int)));
  past_the_end<<<1, 128>>>(data, 100);
  EXPECT(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  EXPECT(cudaMalloc(&data, 4) == cudaErrorIllegalAddress);
  EXPECT(cudaGetLastError() == cudaErrorIllegalAddress);
  EXPECT(cudaGetLastError() == cudaErrorIllegalAddress);
  CHECK(cudaDeviceReset());
  EXPECT(cudaMalloc(&data, 4) == cudaErrorDevicesUnavailable);
  std::printf("stuck\n");
  return 3;
}
