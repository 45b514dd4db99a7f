// A matrix transposed through shared memory, padded against bank conflicts.
#include <vector>

#include "check.h"

constexpr int tile = 32, rows = 8;

__global__ void transpose(const int* in, int* out, int width, int height) {
  __shared__ int block[tile][tile + 1];
  int x = blockIdx.x * tile + threadIdx.x;
  int y = blockIdx.y * tile + threadIdx.y;
  for (int i = 0; i < tile; i += rows) {
    if (x < width && y + i < height) block[threadIdx.y + i][threadIdx.x] = in[(y + i) * width + x];
  }
  __syncthreads();
  x = blockIdx.y * tile + threadIdx.x;
  y = blockIdx.x * tile + threadIdx.y;
  for (int i = 0; i < tile; i += rows) {
    if (x < height && y + i < width) out[(y + i) * height + x] = block[threadIdx.x][threadIdx.y + i];
  }
}

int main() {
  constexpr int width = 150, height = 77;
  std::vector<int> in(width * height), out(width * height);
  for (int i = 0; i < width * height; ++i) in[i] = 3 * i + 1;
  int *device_in, *device_out;
  CHECK(cudaMalloc(&device_in, in.size() * sizeof(int)));
  CHECK(cudaMalloc(&device_out, in.size() * sizeof(int)));
  CHECK(cudaMemcpy(device_in, in.data(), in.size() * sizeof(int), cudaMemcpyHostToDevice));
  const dim3 grid((width + tile - 1) / tile, (height + tile - 1) / tile);
  transpose<<<grid, dim3(tile, rows)>>>(device_in, device_out, width, height);
  CHECK(cudaMemcpy(out.data(), device_out, in.size() * sizeof(int), cudaMemcpyDeviceToHost));
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) EXPECT(out[x * height + y] == in[y * width + x]);
  }
  std::printf("right\n");
}
