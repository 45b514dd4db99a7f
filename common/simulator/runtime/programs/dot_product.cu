// A dot product: a tree in shared memory, shuffles in its last warp, one atomic a block.
#include <vector>

#include "check.h"

constexpr int threads = 256;

__global__ void dot(const float* a, const float* b, int n, float* result) {
  __shared__ float partial[threads];
  float sum = 0;
  for (int i = blockIdx.x * threads + threadIdx.x; i < n; i += gridDim.x * threads) {
    sum += a[i] * b[i];
  }
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int half = threads / 2; half >= 32; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x < 32) {
    sum = partial[threadIdx.x];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(~0u, sum, offset);
    if (threadIdx.x == 0) atomicAdd(result, sum);
  }
}

int main() {
  constexpr int n = 20'000;
  std::vector<float> a(n), b(n);
  float expected = 0;
  for (int i = 0; i < n; ++i) {
    a[i] = static_cast<float>(i % 3);
    b[i] = static_cast<float>(i % 4);
    expected += a[i] * b[i];
  }
  float *device_a, *device_b, *device_result, result = -1;
  CHECK(cudaMalloc(&device_a, n * sizeof(float)));
  CHECK(cudaMalloc(&device_b, n * sizeof(float)));
  CHECK(cudaMalloc(&device_result, sizeof(float)));
  CHECK(cudaMemcpy(device_a, a.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(device_b, b.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(device_result, 0, sizeof(float)));
  dot<<<12, threads>>>(device_a, device_b, n, device_result);
  CHECK(cudaMemcpy(&result, device_result, sizeof(float), cudaMemcpyDeviceToHost));
  EXPECT(result == expected);
  std::printf("right\n");
}
