// A grid that a kernel launches writes past the end of an array.
#include "check.h"

__global__ void child(int* values, int n) { values[n] = 1; }

__global__ void parent(int* values, int n) {
  if (threadIdx.x == 3) child<<<1, 1>>>(values, n);
}

int main() {
  int* values = nullptr;
  CHECK(cudaMalloc(&values, 100 * sizeof(int)));
  parent<<<1, 32>>>(values, 100);
  std::printf("%d\n", static_cast<int>(cudaDeviceSynchronize()));
}
