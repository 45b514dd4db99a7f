// Measures, on a real GPU, latencies of arithmetic in one warp, loads of the L1 with and without
// conflicts of its banks, loads that pass it in few places, and steps of a block in shared memory;
// prints CSV.
//
//     nvcc -O2 -arch=sm_90 -o latencies latencies.cu && ./latencies
#include <cuda_runtime.h>

#include <cstdio>

#include "seconds.cuh"

namespace {
constexpr int steps = 4096;
struct Dfma {
  using T = double;
  static __device__ T step(T x, T y) { return fma(x, y, y); }
};
struct Dadd {
  using T = double;
  static __device__ T step(T x, T y) { return x + y; }
};
struct Dmul {
  using T = double;
  static __device__ T step(T x, T y) { return x * y; }
};
struct Ffma {
  using T = float;
  static __device__ T step(T x, T y) { return fmaf(x, y, y); }
};
struct Imad {
  using T = int;
  static __device__ T step(T x, T y) { return x * y + y; }
};
struct Iadd {
  using T = int;
  static __device__ T step(T x, T y) { return (x + y) ^ y; }
};
struct Ladd {
  using T = long long;
  static __device__ T step(T x, T y) { return (x + y) ^ y; }
};
struct Square {
  using T = float;
  static __device__ T step(T p, T y) {
    const double x = p;
    const double d = x * x + x * x + x * x;
    return (float)d;
  }
};
struct Exp {
  using T = float;
  static __device__ T step(T x, T y) { return exp2f(x); }
};
struct Popc {
  using T = int;
  static __device__ T step(T x, T y) { return __popc(x) + y; }
};
struct Ballot {
  using T = unsigned;
  static __device__ T step(T x, T y) { return __ballot_sync(~0u, x & 1) + y; }
};
struct Match {
  using T = unsigned;
  static __device__ T step(T x, T y) { return __match_any_sync(~0u, x) + y; }
};
struct Itof {
  using T = int;
  static __device__ T step(T x, T y) { return (int)((float)x + 1.0f); }
};
template <class Op>
__global__ void chain(typename Op::T y, typename Op::T* out, long long* clocks) {
  typename Op::T x = threadIdx.x;
  const long long t = clock64();
#pragma unroll 16
  for (int i = 0; i < steps; ++i) x = Op::step(x, y);
  const long long u = clock64();
  out[threadIdx.x] = x;
  *clocks = u - t;
}
template <class Op>
void row(const char* name, char* m) {
  long long* c = (long long*)(m + 65536);
  long long h;
  for (int k = 0; k < 2; ++k) chain<Op><<<1, 32>>>((typename Op::T)1, (typename Op::T*)m, c);
  check(cudaMemcpy(&h, c, 8, cudaMemcpyDefault));
  std::printf("chain,%s,,%.2f\n", name, double(h) / steps);
}
// loops whose body is nothing but a dependent test
__global__ void loop(int n, int* out, long long* clocks, volatile int* stop) {
  int x = 0;
  const long long t = clock64();
#pragma unroll 1
  for (int i = 0; i < n; ++i) x = x * 3 + i;
  *clocks = clock64() - t;
  *out = x;
}
// ---- L1: each warp's lanes `step` words apart, again and again
__global__ void l1(const float* v, unsigned mask, unsigned step, int times, float* out) {
  float s = 0;
  unsigned at = threadIdx.x % 32 * step + threadIdx.x / 32 * 7;
  for (int t = 0; t < times; ++t) {
#pragma unroll
    for (int k = 0; k < 4; ++k) s += v[(at + k) & mask];
    at = (at + 4) & mask;
  }
  if (s == 12345) *out = s;
}
// ---- a few hot places: lanes read T at random of `places`, `stride` bytes apart
template <class T>
__global__ void hot(const char* m, unsigned places, unsigned stride, unsigned offset, int n,
                    T* out) {
  // Spread and generator as in l2_places.cu.
  unsigned x = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 12345;
  T sum = 0;
  for (int i = 0; i < n; ++i) {
    x = x * 1664525u + 1013904223u;
    sum += *(const volatile T*)(m + (x >> 12) % places * stride + offset);
  }
  if (sum == (T)1234567) *out = sum;
}
// ---- a block's steps in shared memory
template <int mode>
__global__ void steps_of_block(int n, int* out) {
  extern __shared__ int s[];
  const unsigned t = threadIdx.x;
  s[t] = t;
  __syncthreads();
  for (int i = 0; i < n; ++i) {
    if (mode == 0) {
      __syncthreads();
    }
    if (mode == 1) {
      const int x = s[t ^ 33];
      __syncthreads();
      s[t] = x;
      __syncthreads();
    }
    if (mode == 2) {
      if (t < (blockDim.x >> (i % 8))) s[t] += s[t + 1];
      __syncthreads();
    }
    if (mode == 3) {
      if ((t & ((2u << (i % 5)) - 1)) == 0) s[t] += s[t + 1];
      __syncthreads();
    }
  }
  if (s[t] == 123456) *out = 1;
}
}  // namespace
int main() {
  void *a, *b, *c, *d, *e, *f, *g, *h;
  check(cudaMalloc(&a, 64 << 20));
  check(cudaMalloc(&b, 8));
  check(cudaMalloc(&c, 1024));
  check(cudaMalloc(&d, 8));
  check(cudaMalloc(&e, 700 << 10));
  check(cudaMalloc(&f, (1 << 20) + 4096));
  check(cudaMalloc(&g, 3 << 20));
  check(cudaMalloc(&h, 100));
  std::printf("addresses,64M %p,8 %p,1K %p,8 %p,700K %p,1M+4K %p,3M %p,100 %p\n", a, b, c, d, e, f,
              g, h);
  char* m = (char*)a;
  check(cudaMemset(m, 0, 64 << 20));
  row<Dfma>("dfma", m);
  row<Dadd>("dadd", m);
  row<Dmul>("dmul", m);
  row<Ffma>("ffma", m);
  row<Imad>("imad", m);
  row<Iadd>("iadd+xor", m);
  row<Ladd>("ladd+xor", m);
  row<Square>("f2d+3d+d2f", m);
  row<Exp>("exp2f", m);
  row<Popc>("popc+add", m);
  row<Ballot>("ballot+add", m);
  row<Match>("match_any+add", m);
  row<Itof>("i2f+add+f2i", m);
  {
    long long* k = (long long*)(m + 65536);
    long long v;
    for (int r = 0; r < 2; ++r) loop<<<1, 32>>>(4096, (int*)m, k, nullptr);
    check(cudaMemcpy(&v, k, 8, cudaMemcpyDefault));
    std::printf("loop,imad,,%.2f\n", v / 4096.0);
  }
  for (unsigned step : {1u, 2u, 8u, 16u, 32u, 33u, 34u, 36u, 40u, 48u, 129u, 258u, 1024u, 1032u})
    for (int threads : {256, 1024}) {
      const int times = 1024;
      const unsigned mask = 32767;
      const double t =
          seconds([&] { l1<<<132, threads>>>((float*)m, mask, step, times, (float*)m); });
      std::printf("l1,step %u,%d threads,%.3f clk/request\n", step, threads,
                  t * 1.98e9 / (threads / 32.0 * times * 4));
    }
  for (unsigned places : {64u, 1024u})
    for (unsigned stride : {8u, 16u, 32u})
      for (int bytes : {4, 8}) {
        const int n = 64, blocks = 1056;
        const double loads = double(n) * blocks * 256;
        double t = bytes == 4 ? seconds([&] {
          hot<unsigned><<<blocks, 256>>>(m, places, stride, 0, n, (unsigned*)m);
        })
                              : seconds([&] {
                                  hot<unsigned long long><<<blocks, 256>>>(m, places, stride, 0, n,
                                                                           (unsigned long long*)m);
                                });
        std::printf("hot,%u places %u apart,%d bytes,%.4g\n", places, stride, bytes, loads / t);
      }
  for (int threads : {32, 256, 512, 1024}) {
    const int n = 4096;
    const double z = 1.98e9 / n;
    std::printf("steps,sync,%d threads,%.1f clk\n", threads,
                seconds([&] { steps_of_block<0><<<1, threads, 8192>>>(n, (int*)m); }) * z);
    std::printf("steps,load sync store sync,%d threads,%.1f clk\n", threads,
                seconds([&] { steps_of_block<1><<<1, threads, 8192>>>(n, (int*)m); }) * z);
    std::printf("steps,halving add sync,%d threads,%.1f clk\n", threads,
                seconds([&] { steps_of_block<2><<<1, threads, 8192>>>(n, (int*)m); }) * z);
    std::printf("steps,spreading add sync,%d threads,%.1f clk\n", threads,
                seconds([&] { steps_of_block<3><<<1, threads, 8192>>>(n, (int*)m); }) * z);
  }
  {
    cudaEvent_t s, t;
    cudaEventCreate(&s);
    cudaEventCreate(&t);
    float ms;
    for (int i = 0; i < 4; ++i) {
      cudaEventRecord(s);
      cudaEventRecord(t);
      cudaEventSynchronize(t);
      cudaEventElapsedTime(&ms, s, t);
    }
    std::printf("events,nothing between,,%.3f us\n", ms * 1e3);
  }
  check(cudaDeviceSynchronize());
}
