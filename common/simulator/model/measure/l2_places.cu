// Measures, on a real GPU, loads that pass the L1 in few places, stores and loads of lines
// anywhere, what the L2 alone gives, and atomics of blocks in shared memory; prints CSV.
//
//     nvcc -O2 -arch=sm_90 -o l2_places l2_places.cu && ./l2_places
#include <cuda_runtime.h>

#include <cstdio>

#include "seconds.cuh"

namespace {
/// Numerical Recipes' quick generator (7.1). What it starts from is spread by 2654435761, the prime
/// nearest to 2^32 / golden ratio (Knuth, volume 3, 6.4).
__device__ unsigned step(unsigned x) { return x * 1664525u + 1013904223u; }
// loads that pass the L1, of random words of a table; by lane, by warp, or a random line by warp
template <int mode>
__global__ void hot(const unsigned* t, unsigned mask, int n, unsigned* out) {
  unsigned x = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 12345, sum = 0;
  if (mode) x = __shfl_sync(~0u, x, 0);
  const unsigned lane = mode == 2 ? threadIdx.x % 32 : 0, m = mode == 2 ? mask & ~31u : mask;
  for (int i = 0; i < n; i += 4) {
    unsigned v[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      x = step(x);
      v[k] = __ldcg(t + ((x >> 7) & m) + lane);
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) sum += v[k];
  }
  if (sum == 12345) *out = sum;
}
// each warp: lines at random; `sectors` of them; store or load
template <bool store, int lines>
__global__ void random_lines(unsigned* t, unsigned line_mask, unsigned sectors, int n) {
  unsigned x = ((blockIdx.x * blockDim.x + threadIdx.x) / (32 / lines)) * 2654435761u + 12345,
           sum = 0;
  constexpr unsigned per = 32 / lines;  // lanes to a line
  const unsigned in = threadIdx.x % per;
  const unsigned word = per >= 8 * sectors ? in : in * (8 * sectors / per);
  const bool on = word < 8 * sectors;
  for (int i = 0; i < n; ++i) {
    x = step(x);
    const size_t at = size_t((x >> 7) & line_mask) * 32 + word;
    if (on) {
      if (store)
        t[at] = x;
      else
        sum += __ldcg(t + at);
    }
  }
  if (!store && sum == 12345) *t = sum;
}
__global__ void write_l2(float4* v, unsigned n, int times) {
  for (int t = 0; t < times; ++t)
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
      v[i] = {1, 2, 3, float(t)};
}
__global__ void write_l2_words(float* v, unsigned n, int times) {
  for (int t = 0; t < times; ++t)
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
      v[i] = t;
}
__global__ void read_l2(const float4* v, unsigned n, int times, float* out) {
  float s = 0;
  for (int t = 0; t < times; ++t) {
#pragma unroll 4
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
      float4 x = __ldcg(v + i);
      s += x.x + x.y + x.z + x.w;
    }
  }
  if (s == 12345) *out = s;
}
__global__ void copy_l2(const float4* v, float4* w, unsigned n, int times) {
  for (int t = 0; t < times; ++t) {
#pragma unroll 4
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
      w[i] = __ldcg(v + i);
  }
}
template <class T>
__global__ void shared_add(int n, T* out) {
  __shared__ T total;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  for (int i = 0; i < n; ++i) atomicAdd(&total, T(threadIdx.x + i + 1));
  __syncthreads();
  if (total == T(12345)) *out = total;
}
}  // namespace
int main() {
  char* m;
  const size_t G = size_t(1) << 30;
  check(cudaMalloc(&m, 2 * G));
  check(cudaMemset(m, 0, 2 * G));
  unsigned* out = (unsigned*)(m + G);
  const unsigned* t = (const unsigned*)m;
  std::printf("kind,a,b,value\n");
  for (unsigned bytes : {4u, 32u, 64u, 128u, 256u, 512u, 1024u, 2048u, 4096u, 16384u, 65536u,
                         262144u, 1048576u, 4194304u, 16777216u}) {
    const int n = bytes < 4096 ? 64 : 256;
    const double warps = 132 * 8 * 8.0 * n;
    std::printf("hot,lane,%u,%.4g\n", bytes,
                32 * warps / seconds([&] { hot<0><<<132 * 8, 256>>>(t, bytes / 4 - 1, n, out); }));
    std::printf("hot,warp,%u,%.4g\n", bytes,
                warps / seconds([&] { hot<1><<<132 * 8, 256>>>(t, bytes / 4 - 1, n, out); }));
    if (bytes >= 128)
      std::printf("hot,line,%u,%.4g\n", bytes,
                  warps / seconds([&] { hot<2><<<132 * 8, 256>>>(t, bytes / 4 - 1, n, out); }));
  }
  for (unsigned megabytes : {16u, 1024u})
    for (unsigned sectors : {1u, 2u, 3u, 4u}) {
      const unsigned mask = megabytes * 8192u - 1;
      const int n = 128;
      const double warps = 132 * 8 * 8.0 * n;
      auto go = [&](const char* name, auto kernel, int lines) {
        std::printf(
            "%s,%u MB %u lines a warp,%u sectors,%.4g lines/s\n", name, megabytes, lines, sectors,
            lines * warps /
                seconds([&] { kernel<<<132 * 8, 256>>>((unsigned*)m, mask, sectors, n); }, 3));
      };
      go("store", random_lines<true, 1>, 1);
      go("load", random_lines<false, 1>, 1);
      go("store", random_lines<true, 4>, 4);
      go("load", random_lines<false, 4>, 4);
      if (sectors == 1 || sectors == 4) {
        go("store", random_lines<true, 32>, 32);
        go("load", random_lines<false, 32>, 32);
      }
    }
  for (unsigned megabytes : {2u, 8u, 16u, 32u}) {
    const double b = megabytes * 1048576.0;
    const int k = 16;
    for (int blocks : {132, 264, 1056}) {
      std::printf("write16,%u MB,%d,%.4g B/s\n", megabytes, blocks,
                  k * b / seconds([&] {
                    write_l2<<<blocks, blocks == 1056 ? 256 : 1024>>>((float4*)m, b / 16, k);
                  }));
      std::printf("write4,%u MB,%d,%.4g B/s\n", megabytes, blocks,
                  k * b / seconds([&] {
                    write_l2_words<<<blocks, blocks == 1056 ? 256 : 1024>>>((float*)m, b / 4, k);
                  }));
      std::printf("read16,%u MB,%d,%.4g B/s\n", megabytes, blocks,
                  k * b / seconds([&] {
                    read_l2<<<blocks, blocks == 1056 ? 256 : 1024>>>((float4*)m, b / 16, k,
                                                                     (float*)out);
                  }));
      std::printf("copy16,2 x %u MB,%d,%.4g B/s\n", megabytes, blocks,
                  2 * k * b / seconds([&] {
                    copy_l2<<<blocks, blocks == 1056 ? 256 : 1024>>>(
                        (float4*)m, (float4*)(m + 64 * 1048576), b / 16, k);
                  }));
    }
  }
  using Big = unsigned long long;
  // Of more additions a thread, so that starting the blocks is not in it.
  const auto add_in_shared = [&](auto type, int per, int threads, int n) {
    using T = decltype(type);
    const auto run = [&](int each) {
      return seconds([&] { shared_add<T><<<132 * per, threads>>>(each, (T*)out); });
    };
    return (run(2 * n) - run(n)) * 1.98e9 / (double(per) * threads * n);
  };
  for (int threads : {32, 64, 128, 256, 512, 1024})
    for (int per : {1, 2, 4, 8, 16, 32}) {
      if (per * threads > 2048) continue;
      for (int n : {1, 16}) {
        std::printf("shared u64 %d each,%d blocks an SM,%d threads,%.4g clk/op/SM\n", n, per,
                    threads, add_in_shared(Big(), per, threads, n));
        std::printf("shared float %d each,%d blocks an SM,%d threads,%.4g clk/op/SM\n", n, per,
                    threads, add_in_shared(float(), per, threads, n));
      }
    }
  check(cudaDeviceSynchronize());
}
