// Reads through a pointer that nobody set.
#include "check.h"

__global__ void read(const int* data, int* out) { *out = data[threadIdx.x]; }

int main() {
  int* out;
  CHECK(cudaMalloc(&out, sizeof(int)));
  read<<<1, 1>>>(nullptr, out);
  CHECK(cudaDeviceSynchronize());
}
