// Accesses so much memory in single bytes that the race checker has no room for all of it.
#include <cstdio>

__global__ void touch(unsigned char* data) {
  unsigned char* own = data + (blockIdx.x * blockDim.x + threadIdx.x) * 4096ull;
  *own = 1;
  __syncthreads();
  if (*own != 1) *own = 2;
}

int main() {
  unsigned char* data = nullptr;
  cudaMalloc(&data, 2048 * 4096);
  for (int i = 0; i < 2; ++i) touch<<<8, 256>>>(data);
  std::printf("%d\n", static_cast<int>(cudaDeviceSynchronize()));
  cudaFree(data);
}
