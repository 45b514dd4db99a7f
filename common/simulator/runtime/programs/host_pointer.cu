// Hands a kernel the address of a host array.
#include "check.h"

__global__ void read(const int* data, int* out) { *out = data[threadIdx.x]; }

int main() {
  static int host[32];
  int* out;
  CHECK(cudaMalloc(&out, sizeof(int)));
  read<<<1, 32>>>(host, out);
  CHECK(cudaDeviceSynchronize());
}
