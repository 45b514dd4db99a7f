// C = A B, tile by tile through shared memory.
#include <vector>

#include "check.h"

constexpr int tile = 16;

__global__ void multiply(const float* a, const float* b, float* c, int n) {
  __shared__ float a_tile[tile][tile], b_tile[tile][tile];
  const int row = blockIdx.y * tile + threadIdx.y, column = blockIdx.x * tile + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; k += tile) {
    const bool in_a = row < n && k + threadIdx.x < n, in_b = column < n && k + threadIdx.y < n;
    a_tile[threadIdx.y][threadIdx.x] = in_a ? a[row * n + k + threadIdx.x] : 0.0f;
    b_tile[threadIdx.y][threadIdx.x] = in_b ? b[(k + threadIdx.y) * n + column] : 0.0f;
    __syncthreads();
    for (int i = 0; i < tile; ++i) sum += a_tile[threadIdx.y][i] * b_tile[i][threadIdx.x];
    __syncthreads();
  }
  if (row < n && column < n) c[row * n + column] = sum;
}

int main() {
  constexpr int n = 70;
  constexpr std::size_t bytes = n * n * sizeof(float);
  std::vector<float> a(n * n), b(n * n), c(n * n);
  for (int i = 0; i < n * n; ++i) {
    a[i] = static_cast<float>(i % 7 - 3);
    b[i] = static_cast<float>(i % 5 - 2);
  }
  float *device_a, *device_b, *device_c;
  CHECK(cudaMalloc(&device_a, bytes));
  CHECK(cudaMalloc(&device_b, bytes));
  CHECK(cudaMalloc(&device_c, bytes));
  CHECK(cudaMemcpy(device_a, a.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(device_b, b.data(), bytes, cudaMemcpyHostToDevice));
  const dim3 grid((n + tile - 1) / tile, (n + tile - 1) / tile);
  multiply<<<grid, dim3(tile, tile)>>>(device_a, device_b, device_c, n);
  CHECK(cudaMemcpy(c.data(), device_c, bytes, cudaMemcpyDeviceToHost));
  for (int y = 0; y < n; ++y) {
    for (int x = 0; x < n; ++x) {
      float sum = 0;
      for (int k = 0; k < n; ++k) sum += a[y * n + k] * b[k * n + x];
      EXPECT(c[y * n + x] == sum);
    }
  }
  std::printf("right\n");
}
