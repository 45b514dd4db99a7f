// Constant and device variables, by symbol and by address.
#include "check.h"

__constant__ float weights[4] = {1, 2, 3, 4};
__device__ int counter = 40;
__device__ int table[3];

__global__ void use(float* out) {
  out[threadIdx.x] = weights[threadIdx.x];
  if (threadIdx.x == 0) {
    ++counter;
    table[1] = counter;
  }
}

int main() {
  float out[4], *device_out;
  CHECK(cudaMalloc(&device_out, sizeof out));
  use<<<1, 4>>>(device_out);
  CHECK(cudaMemcpy(out, device_out, sizeof out, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 4; ++i) EXPECT(out[i] == static_cast<float>(i + 1));

  const float replacement = 9;
  CHECK(cudaMemcpyToSymbol(weights, &replacement, sizeof replacement, 2 * sizeof(float)));
  use<<<1, 4>>>(device_out);
  CHECK(cudaMemcpy(out, device_out, sizeof out, cudaMemcpyDeviceToHost));
  EXPECT(out[1] == 2 && out[2] == 9 && out[3] == 4);

  int value = 0;
  CHECK(cudaMemcpyFromSymbol(&value, counter, sizeof value));
  EXPECT(value == 42);
  void* address;
  CHECK(cudaGetSymbolAddress(&address, table));
  CHECK(cudaMemcpy(&value, static_cast<int*>(address) + 1, sizeof value, cudaMemcpyDeviceToHost));
  EXPECT(value == 42);
  std::size_t bytes = 0;
  CHECK(cudaGetSymbolSize(&bytes, table));
  EXPECT(bytes == sizeof table);
  EXPECT(cudaMemcpyToSymbol(table, &value, 4, 12) == cudaErrorInvalidValue);
  std::printf("right\n");
}
