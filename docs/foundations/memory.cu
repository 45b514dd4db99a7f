// The memory spaces: where a variable lives decides who sees it, how long, and what it costs.
//   ./lab explain docs/foundations/memory.cu
#include "common/example.h"

constexpr int block = 256, blocks = 64, n = block * blocks;

__constant__ float weights[3] = {0.25f, 0.5f, 0.25f};  // constant: one value for all, read only
__device__ int calls = 0;  // global: all threads, as long as the program

/// Each output is a mean of three inputs. Every thread reads its three from global memory.
__global__ void smooth_from_global(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;  // i: a register, this thread's own
  float sum = 0.0f;
  for (int k = 0; k < 3; ++k) {
    const int from = i + k - 1;
    if (from >= 0 && from < n) sum += weights[k] * in[from];
  }
  out[i] = sum;
}

/// The block fetches what it needs once: load, barrier, compute, store.
__global__ void smooth_from_shared(const float* in, float* out) {
  __shared__ float tile[block + 2];  // shared: this block's, as long as the block
  const int t = threadIdx.x, i = blockIdx.x * block + t;
  tile[t + 1] = in[i];
  if (t == 0) tile[0] = i > 0 ? in[i - 1] : 0.0f;
  if (t == block - 1) tile[block + 1] = i < n - 1 ? in[i + 1] : 0.0f;
  __syncthreads();  // nobody reads before everybody has written
  out[i] = weights[0] * tile[t] + weights[1] * tile[t + 1] + weights[2] * tile[t + 2];
  if (i == 0) calls += 1;
}

/// Counts digits. An array indexed by what only the run knows has no place in registers, which have
/// no addresses: it goes to local memory, which is this thread's own and lies where global memory
/// lies.
__global__ void array_in_local(const int* digits, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int counts[10] = {};
  for (int k = 0; k < 16; ++k) ++counts[digits[k * n + i]];
  out[i] = counts[digits[i]];
}

/// Every index is known when it is compiled: the same array, in registers.
__global__ void array_in_registers(const int* digits, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int first = digits[i];
  int counts[10] = {}, wanted = 0;
  for (int k = 0; k < 16; ++k) {
    const int digit = digits[k * n + i];
#pragma unroll
    for (int d = 0; d < 10; ++d) counts[d] += digit == d;
  }
#pragma unroll
  for (int d = 0; d < 10; ++d) wanted += d == first ? counts[d] : 0;
  out[i] = wanted;
}

int main() {
  DeviceArray<float> in(n), out(n);
  DeviceArray<int> digits(16 * n), counts(n);
  smooth_from_global<<<blocks, block>>>(in.data(), out.data());
  smooth_from_shared<<<blocks, block>>>(in.data(), out.data());
  array_in_local<<<blocks, block>>>(digits.data(), counts.data());
  array_in_registers<<<blocks, block>>>(digits.data(), counts.data());
  return finish();
}
