// Measures, on a real GPU, conflicts of shared memory, operations of whole warps, and stores of
// short runs; prints CSV.
//
//     nvcc -O2 -arch=sm_90 -o warp_operations warp_operations.cu && ./warp_operations
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "seconds.cuh"

// mode 0 loads, 1 stores, 2 load and store, of words `step` apart; `active` lanes of each warp
template <int mode>
__global__ void shared_words(int step, int active, int times, int* out) {
  extern __shared__ int s[];
  volatile int* v = s;
  const int lane = threadIdx.x % 32;
  for (int i = threadIdx.x; i < 8192; i += blockDim.x) s[i] = 0;
  __syncthreads();
  int sum = 0;
  if (lane < active) {
    const int at = (lane * step + threadIdx.x / 32) % 4096;
#pragma unroll 1
    for (int t = 0; t < times; ++t) {
#pragma unroll
      for (int k = 0; k < 8; ++k) {
        if (mode == 0) sum += v[at + k * 32];
        if (mode == 1) v[at + k * 32] = t;
        if (mode == 2) {
          const int x = v[at + k * 32];
          v[at + k * 32 + 4096] = x + t;
        }
      }
    }
  }
  if (sum == 12345) *out = sum;
}
template <int kind>
__global__ void warp_ops(int times, unsigned mask, unsigned* out) {
  // Spread as in l2_places.cu.
  unsigned x = (threadIdx.x * 2654435761u + 77) >> 7, sum = 0;
#pragma unroll 4
  for (int t = 0; t < times; ++t) {
    if (kind == 0) sum += __match_any_sync(~0u, (x + t * 7) & mask);
    if (kind == 1) {
      x = __match_any_sync(~0u, x & mask) * 2654435761u + threadIdx.x;
    }
    if (kind == 2) sum += __shfl_xor_sync(~0u, x + t, 5);
    if (kind == 3) sum += __ballot_sync(~0u, (x + t) & 1);
    if (kind == 4) sum += __popc(x + t);
    if (kind == 5) {
      double d = x;
      x = (unsigned)(long long)d + 1;
    }
    if (kind == 7) sum += __reduce_add_sync(~0u, x + t);
  }
  if (sum + x == 12345) *out = sum;
}
template <int kind>
void ops(const char* name, unsigned mask, char* m) {
  for (int threads : {32, 1024}) {
    const int blocks = threads == 32 ? 1 : 264, times = 2048;
    const double t =
        seconds([&] { warp_ops<kind><<<blocks, threads>>>(times, mask, (unsigned*)m); }) -
        (threads == 32 ? 2.5e-6 : 3.5e-6);
    std::printf("warp,%s mask %x,%d threads,%.2f clk\n", name, mask, threads,
                t * 1.98e9 / times / (threads == 32 ? 1 : 64));
  }
}
// keys to places of their digit: a block of 256 threads x 16 keys sorted by digit writes runs
__global__ void runs(unsigned* out, unsigned n, unsigned run, unsigned digits, unsigned gap) {
  // block b writes, for each digit d, `run` words at d * gap + b * run (+ shift)
  for (unsigned k = threadIdx.x; k < run * digits; k += blockDim.x) {
    const unsigned d = k / run, j = k % run;
    out[size_t(d) * gap + blockIdx.x * run + j + d * 3 % 8] = k;
  }
}
__global__ void flood(const float4* v, size_t n, float* out) {
  float s = 0;
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n;
       i += size_t(gridDim.x) * blockDim.x)
    s += v[i].x;
  if (s == 12345) *out = s;
}
int main() {
  char* m;
  check(cudaMalloc(&m, size_t(1) << 30));
  check(cudaMemset(m, 0, size_t(1) << 30));
  std::printf("kind,a,b,value\n");
  cudaFuncSetAttribute(shared_words<0>, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
  for (int threads : {256, 1024})
    for (int active : {32, 8})
      for (int step : {1, 2, 4, 8, 16, 32}) {
        const int times = 512, blocks = 132 * (2048 / threads / 2);
        const double z = 1.98e9 / (threads / 32.0 * (blocks / 132) * times * 8);
        std::printf("shared,%d threads %d lanes step %d,", threads, active, step);
        std::printf("load %.2f,", seconds([&] {
                                    shared_words<0>
                                        <<<blocks, threads, 49152>>>(step, active, times, (int*)m);
                                  }) * z);
        std::printf("store %.2f,", seconds([&] {
                                     shared_words<1>
                                         <<<blocks, threads, 49152>>>(step, active, times, (int*)m);
                                   }) * z);
        std::printf("both %.2f\n", seconds([&] {
                                     shared_words<2>
                                         <<<blocks, threads, 49152>>>(step, active, times, (int*)m);
                                   }) * z);
      }
  for (unsigned mask : {0u, 1u, 3u, 15u, 31u, 255u, ~0u}) ops<0>("match_any", mask, m);
  ops<1>("match chain", 255, m);
  ops<2>("shfl", 0, m);
  ops<3>("ballot", 0, m);
  ops<4>("popc", 0, m);
  ops<5>("u2d+d2l", 0, m);
  ops<7>("redux", 0, m);
  for (unsigned megabytes : {16u, 32u, 64u, 256u})
    for (unsigned run : {2u, 4u, 8u, 16u})
      for (int cold : {0, 1}) {
        const unsigned n = megabytes << 18, digits = 256, blocks = n / (run * digits),
                       gap = n / digits;
        std::vector<float> v;
        cudaEvent_t a, b;
        cudaEventCreate(&a);
        cudaEventCreate(&b);
        for (int i = 0; i < 5; ++i) {
          if (cold) flood<<<1024, 256>>>((float4*)(m + (512 << 20)), size_t(256) << 16, (float*)m);
          cudaEventRecord(a);
          runs<<<blocks, 256>>>((unsigned*)m, n, run, digits, gap);
          cudaEventRecord(b);
          cudaEventSynchronize(b);
          float ms;
          cudaEventElapsedTime(&ms, a, b);
          v.push_back(ms);
        }
        std::sort(v.begin(), v.end());
        std::printf("runs,%u MB %s,run of %u words,%.4g words/s\n", megabytes,
                    cold ? "cold" : "warm", run, n / (v[2] * 1e-3));
      }
  check(cudaDeviceSynchronize());
}
