// Reads what another warp writes, with no barrier between; it happens to work.
#include "check.h"

__global__ void reverse(int* data) {
  __shared__ int copy[64];
  copy[threadIdx.x] = data[threadIdx.x];
  data[threadIdx.x] = copy[63 - threadIdx.x];
}

int main() {
  int* data;
  CHECK(cudaMalloc(&data, 64 * sizeof(int)));
  CHECK(cudaMemset(data, 0, 64 * sizeof(int)));
  reverse<<<1, 64>>>(data);
  CHECK(cudaDeviceSynchronize());
  std::printf("done\n");
}
