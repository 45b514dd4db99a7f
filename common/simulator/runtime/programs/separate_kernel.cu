// One half of a program in two files: the kernel calls a function of the other half.
#include "check.h"

extern __device__ int twice(int value);
extern __device__ int offset;

__global__ void apply(int* out) { out[threadIdx.x] = twice(threadIdx.x) + offset; }

int main() {
  int out[32], *device_out;
  CHECK(cudaMalloc(&device_out, sizeof out));
  apply<<<1, 32>>>(device_out);
  CHECK(cudaMemcpy(out, device_out, sizeof out, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 32; ++i) EXPECT(out[i] == 2 * i + 5);
  std::printf("right\n");
}
