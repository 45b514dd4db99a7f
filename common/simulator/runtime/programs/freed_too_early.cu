// A kernel uses memory that was given back to its pool.
#include "check.h"

__global__ void add(int* data) { data[threadIdx.x] += 1; }

int main() {
  int* data;
  CHECK(cudaMallocAsync(&data, 32 * sizeof(int), nullptr));
  CHECK(cudaMemsetAsync(data, 0, 32 * sizeof(int), nullptr));
  CHECK(cudaFreeAsync(data, nullptr));
  add<<<1, 32>>>(data);
  std::printf("%d\n", static_cast<int>(cudaDeviceSynchronize()));
}
