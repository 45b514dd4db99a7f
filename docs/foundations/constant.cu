// Constant memory: one value for a whole warp, or one for each lane.
//   ./lab explain docs/foundations/constant.cu
#include "common/example.h"

constexpr int size = 256, block = 256, blocks = 528, steps = 512;

__constant__ float table[size];  // 64 KiB of constant memory at most, all together

/// At every step the lanes of a warp ask for `Distinct` different elements.
template <int Distinct>
__global__ void from_constant(float* out) {
  float sum = 0.0f;
#pragma unroll 8
  for (int s = 0; s < steps; ++s) sum += table[(threadIdx.x % Distinct * 8 + s) % size];
  out[blockIdx.x * block + threadIdx.x] = sum;
}

/// The same from shared memory, where 32 lanes read 32 words of different banks at once.
template <int Distinct>
__global__ void from_shared(float* out) {
  __shared__ float own[size];
  own[threadIdx.x] = table[threadIdx.x];
  __syncthreads();
  float sum = 0.0f;
#pragma unroll 8
  for (int s = 0; s < steps; ++s) sum += own[(threadIdx.x % Distinct + s) % size];
  out[blockIdx.x * block + threadIdx.x] = sum;
}

int main() {
  float values[size];
  for (int k = 0; k < size; ++k) values[k] = 0.01f * k;
  check(cudaMemcpyToSymbol(table, values, sizeof(values)));  // before the launch; the size in bytes
  DeviceArray<float> out(block * blocks);
  from_constant<1><<<blocks, block>>>(out.data());
  from_constant<2><<<blocks, block>>>(out.data());
  from_constant<4><<<blocks, block>>>(out.data());
  from_constant<8><<<blocks, block>>>(out.data());
  from_constant<32><<<blocks, block>>>(out.data());
  from_shared<1><<<blocks, block>>>(out.data());
  from_shared<32><<<blocks, block>>>(out.data());
  return finish();
}
