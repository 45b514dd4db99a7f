// Reads what nobody has written, many inlined calls deep.
#include "check.h"
#include "inlined_calls.h"

__device__ __forceinline__ int helper(const int* data) {
  return first(data + 1) + 1;
}

__device__ __forceinline__ int outer_helper(const int* data) {
  return helper(data + 1) + 1;
}

__global__ void a_few_calls(const int* data, int* out) {
  out[threadIdx.x] = outer_helper(data);
}

__global__ void many_calls(const int* data, int* out) {
  out[threadIdx.x] = nested<20>(data);
}

int main() {
  int *data, *out;
  CHECK(cudaMalloc(&data, 100 * sizeof(int)));
  CHECK(cudaMalloc(&out, 100 * sizeof(int)));
  a_few_calls<<<1, 1>>>(data, out);
  many_calls<<<1, 1>>>(data, out);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(data));
  CHECK(cudaFree(out));
  std::printf("done\n");
}
