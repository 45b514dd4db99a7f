// One half of a program in two files: the kernel calls functions of the other half, by name and
// by pointer, and reads its variables.
#include "check.h"

extern __device__ int twice(int value);
extern __device__ int offset;
extern __device__ int (*operation)(int);  // holds the address of a function of that file
extern __constant__ int factors[2];

__global__ void apply(int* out) {
  out[threadIdx.x] = twice(threadIdx.x) + offset + factors[1] * operation(threadIdx.x);
}

int main() {
  int out[32], *device_out;
  CHECK(cudaMalloc(&device_out, sizeof out));
  apply<<<1, 32>>>(device_out);
  CHECK(cudaMemcpy(out, device_out, sizeof out, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 32; ++i) EXPECT(out[i] == 2 * i + 5 + 7 * (i + 1));
  std::printf("right\n");
}
