// Measures, on a real GPU, what a few threads or blocks reach, what scattered stores and two
// counters cost, how long a fence and a hand-over between blocks take; prints CSV.
//
//     nvcc -O2 -arch=sm_90 -o stores_and_locks stores_and_locks.cu && ./stores_and_locks
#include <cuda_runtime.h>

#include <cstdio>

#include "seconds.cuh"

namespace {
/// Wellons, hash-prospector (2018): "lowbias32", the variant of least bias that was known then.
__host__ __device__ unsigned hash(unsigned x) {
  x = (x ^ x >> 16) * 0x7feb352du;
  x = (x ^ x >> 15) * 0x846ca68bu;
  return x ^ x >> 16;
}

// ---- one thread, a table
struct Pair {
  float a, b;
};
__global__ void table_read(const Pair* t, int n, Pair* out) {
  Pair sum{0, 0};
  for (int i = 0; i < n; ++i) {
    Pair x = t[i];
    sum = {x.a + sum.a, x.b + sum.b * x.a};
  }
  *out = sum;
}
__global__ void table_replace(Pair* t, int n) {
  Pair sum{0, 0};
  for (int i = 0; i < n; ++i) {
    Pair x = t[i];
    t[i] = sum;
    sum = {x.a + sum.a, x.b + sum.b * x.a};
  }
}
__global__ void table_copy(const Pair* t, Pair* u, int n) {
  Pair sum{0, 0};
  for (int i = 0; i < n; ++i) {
    Pair x = t[i];
    u[i] = sum;
    sum = {x.a + sum.a, x.b + sum.b * x.a};
  }
}
// every thread a section: loads and stores in place, or elsewhere, or loads only
template <int mode>
__global__ void sections(float* v, float* w, int length) {
  float* p = v + size_t(blockIdx.x * blockDim.x + threadIdx.x) * length;
  float* q = mode == 1 ? p : w + (p - v);
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < length; ++i) {
    sum = sum * 0.5f + p[i];
    if (mode) q[i] = sum;
  }
  if (sum == 12345) *w = sum;
}
// ---- bandwidth of few blocks
__global__ void read_some(const float4* v, size_t n, float* out, int times) {
  float s = 0;
  for (int t = 0; t < times; ++t)
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n;
         i += size_t(gridDim.x) * blockDim.x * 4) {
      float4 x[4];
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        size_t j = i + k * size_t(gridDim.x) * blockDim.x;
        x[k] = j < n ? __ldcg(v + j) : float4{};
      }
#pragma unroll
      for (int k = 0; k < 4; ++k) s += x[k].x + x[k].y + x[k].z + x[k].w;
    }
  if (s == 12345) *out = s;
}
__global__ void write_some(float4* v, size_t n) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n;
       i += size_t(gridDim.x) * blockDim.x)
    v[i] = {1, 2, 3, float(i)};
}
// ---- scattered accesses: `run` neighbouring lanes use one sector's neighbouring words
template <bool store>
__global__ void scatter(unsigned* v, unsigned words_mask, unsigned run, unsigned salt) {
  unsigned sum = 0;
  for (int i = 0; i < 16; ++i) {
    const unsigned t = (blockIdx.x * 16 + i) * blockDim.x + threadIdx.x;
    const unsigned at = (hash(t / run + salt) * run + t % run) & words_mask;
    if (store)
      v[at] = t;
    else
      sum += __ldcg(v + at);
  }
  if (!store && sum == 12345) *v = sum;
}
// each warp has `streams` places that it appends to in turn, as a pass of a radix sort does: word
// by word in time, sectors fill up over several requests of other warps
__global__ void append(unsigned* v, unsigned streams, unsigned stream_words, unsigned n_each) {
  // block b writes n_each words of each stream, at [b * n_each, ...): lanes over streams
  for (unsigned k = threadIdx.x; k < streams * n_each; k += blockDim.x) {
    const unsigned s = k / n_each, j = k % n_each;
    v[size_t(s) * stream_words + blockIdx.x * n_each + j] = k;
  }
}
__global__ void append_words(unsigned* v, unsigned streams, unsigned stream_words,
                             unsigned n_each) {
  // the same words, but neighbouring lanes write different streams
  for (unsigned k = threadIdx.x; k < streams * n_each; k += blockDim.x) {
    const unsigned j = k / streams, s = (k % streams) * 97 % streams;
    v[size_t(s) * stream_words + blockIdx.x * n_each + j] = k;
  }
}
// ---- two counters
using Big = unsigned long long;
template <int mode>
__global__ void draw(Big* a, Big* b, Big* out) {
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  Big sum = 0;
  if (mode == 0) {
    if (lane == 0) sum += atomicAdd(a, 1ull);
  }
  if (mode == 1) {
    if (lane == 0) sum += atomicAdd(a, 1ull);
    if (lane == 1) sum += atomicAdd(b, 1ull);
  }
  if (mode == 2) {
    if (lane == 0) sum += atomicAdd(warp % 2 ? a : b, 1ull);
  }
  if (mode == 3) {
    if (lane == 0) {
      sum += atomicAdd(a, 1ull);
      sum += atomicAdd(b, 1ull);
    }
  }
  if (mode == 4) {
    if (lane == 0) sum += atomicAdd(blockIdx.x % 2 ? a : b, 1ull);
  }
  if (mode == 5) {
    if (lane < 2) sum += atomicAdd(lane ? a : b, 1ull);
  }
  if (sum == 1234567890123ull) *out = sum;
}
// ---- fences
template <int mode>
__global__ void fences(int* p, long long* clocks) {
  long long t = clock64();
#pragma unroll 1
  for (int i = 0; i < 64; ++i) {
    if (mode == 0) {
      p[i * 32] = i;
    }
    if (mode == 1) {
      __threadfence();
    }
    if (mode == 2) {
      p[i * 32] = i;
      __threadfence();
    }
    if (mode == 3) {
      atomicExch(p, i);
      __threadfence();
    }
    if (mode == 4) {
      if (atomicCAS(p, 0, 1) == 0) {
        __threadfence();
        p[32] = i;
        __threadfence();
        atomicExch(p, 0);
      }
    }
    if (mode == 5) {
      *(volatile int*)(p + 64);
    }
  }
  *clocks = clock64() - t;
}
// ---- a lock: `threads` of each of many blocks, or lanes of one warp, want it
__device__ int counter_in_lock;
__global__ void lock_all(int* lock, int* value, int locks, int rounds) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int r = 0; r < rounds; ++r) {
    const unsigned k = locks == 1 ? 0 : hash(t * 7 + r) % locks;
    bool done = false;
    while (!done) {
      if (atomicCAS(lock + k * 32, 0, 1) == 0) {
        __threadfence();
        const int v = __ldcg(value + k * 32);
        value[k * 32] = v + 1;
        __threadfence();
        atomicExch(lock + k * 32, 0);
        done = true;
      }
    }
  }
}
// ---- hand over from block to block
__global__ void chain(volatile int* flags, int fence) {
  const int b = blockIdx.x;
  if (threadIdx.x == 0) {
    if (b > 0)
      while (flags[(b - 1) * 32] == 0) {
      }
    if (fence) __threadfence();
    flags[b * 32] = 1;
  }
}
__global__ void nothing() {}
__global__ void block_waits(const float* v, float* out, int loads) {
  float s = 0;
  for (int i = 0; i < loads; ++i)
    s += v[(size_t(blockIdx.x) * loads + i) * blockDim.x + threadIdx.x];
  __syncthreads();
  if (s == 12345) *out = s;
}
}  // namespace

int main() {
  char* m;
  const size_t G = size_t(1) << 30;
  check(cudaMalloc(&m, 2 * G));
  check(cudaMemset(m, 0, 2 * G));
  float* out = reinterpret_cast<float*>(m + 2 * G - 4096);
  const double hz = 1.98e9;
  std::printf("kind,a,b,c,value\n");
  {
    Pair* t = (Pair*)m;
    Pair* u = (Pair*)(m + G);
    const int n = 65536;
    std::printf("table,read,,clocks,%.1f\n",
                seconds([&] { table_read<<<1, 1>>>(t, n, u); }) * hz / n);
    std::printf("table,replace,,clocks,%.1f\n",
                seconds([&] { table_replace<<<1, 1>>>(t, n); }) * hz / n);
    std::printf("table,copy,,clocks,%.1f\n",
                seconds([&] { table_copy<<<1, 1>>>(t, u, n); }) * hz / n);
    const int s = 2048;
    std::printf("table2048,read,,clocks,%.1f\n",
                seconds([&] { table_read<<<1, 1>>>(t, s, u); }) * hz / s);
    std::printf("table2048,replace,,clocks,%.1f\n",
                seconds([&] { table_replace<<<1, 1>>>(t, s); }) * hz / s);
  }
  for (int length : {1024, 1032, 8192, 8200})
    for (int threads : {32, 256, 1024}) {
      float* v = (float*)m;
      float* w = (float*)(m + G);
      std::printf("sections,load,%d,%d,%.1f\n", length, threads,
                  seconds([&] { sections<0><<<1, threads>>>(v, w, length); }, 3) * hz / length);
      std::printf("sections,inplace,%d,%d,%.1f\n", length, threads,
                  seconds([&] { sections<1><<<1, threads>>>(v, w, length); }, 3) * hz / length);
      std::printf("sections,copy,%d,%d,%.1f\n", length, threads,
                  seconds([&] { sections<2><<<1, threads>>>(v, w, length); }, 3) * hz / length);
    }
  for (int blocks : {1, 2, 8, 33, 66, 132, 264, 528}) {
    const size_t l2 = 8 << 20, dram = blocks < 8 ? G / 4 : G;
    double s = seconds([&] { read_some<<<blocks, 1024>>>((float4*)m, l2 / 16, out, 4); });
    std::printf("read,l2,%d,bytes/clk,%.2f\n", blocks, 4 * l2 / s / hz);
    s = seconds([&] { read_some<<<blocks, 1024>>>((float4*)m, dram / 16, out, 1); }, 3);
    std::printf("read,dram,%d,bytes/clk,%.2f\n", blocks, dram / s / hz);
    s = seconds([&] { write_some<<<blocks, 1024>>>((float4*)m, l2 / 16); });
    std::printf("write,l2,%d,bytes/clk,%.2f\n", blocks, l2 / s / hz);
    s = seconds([&] { write_some<<<blocks, 1024>>>((float4*)m, dram / 16); }, 3);
    std::printf("write,dram,%d,bytes/clk,%.2f\n", blocks, dram / s / hz);
  }
  for (unsigned megabytes : {8u, 32u, 64u, 128u, 512u, 1024u})
    for (unsigned run : {1u, 2u, 4u, 8u, 32u}) {
      const unsigned mask = megabytes * 262144u - 1, blocks = 8192;
      const double lanes = double(blocks) * 256 * 16;
      unsigned salt = 0;
      double s = seconds(
          [&] { scatter<true><<<blocks, 256>>>((unsigned*)m, mask, run, salt += 77777777); }, 3);
      std::printf("scatter,store,%u,%u,%.4g\n", megabytes, run, lanes / s);
      s = seconds(
          [&] { scatter<false><<<blocks, 256>>>((unsigned*)m, mask, run, salt += 77777777); }, 3);
      std::printf("scatter,load,%u,%u,%.4g\n", megabytes, run, lanes / s);
    }
  for (unsigned streams : {16u, 256u, 2048u})
    for (unsigned n_each : {4u, 8u, 16u}) {
      const unsigned n = 16u << 20, blocks = n / (streams * n_each), stream_words = n / streams + 8;
      if (blocks < 64) continue;
      std::printf("append,runs,%u,%u,%.4g\n", streams, n_each,
                  n / seconds([&] {
                    append<<<blocks, 256>>>((unsigned*)m, streams, stream_words, n_each);
                  }));
      std::printf("append,words,%u,%u,%.4g\n", streams, n_each,
                  n / seconds([&] {
                    append_words<<<blocks, 256>>>((unsigned*)m, streams, stream_words, n_each);
                  }));
    }
  for (long distance :
       {8l, 32l, 512l, 1536l, 4096l, 65536l, 1l << 20, 64l << 20, (64l << 20) + 512, 300l << 20}) {
    Big* a = (Big*)m;
    Big* b = (Big*)(m + distance);
    const int blocks = 16384;
    const double warps = blocks * 8.0;
    std::printf("draw,one,%ld,ops/s,%.4g\n", distance,
                warps / seconds([&] { draw<0><<<blocks, 256>>>(b, b, b); }));
    std::printf("draw,lanes apart,%ld,ops/s,%.4g\n", distance,
                2 * warps / seconds([&] { draw<1><<<blocks, 256>>>(a, b, a); }));
    std::printf("draw,warps,%ld,ops/s,%.4g\n", distance,
                warps / seconds([&] { draw<2><<<blocks, 256>>>(a, b, a); }));
    std::printf("draw,both,%ld,ops/s,%.4g\n", distance,
                2 * warps / seconds([&] { draw<3><<<blocks, 256>>>(a, b, a); }));
    std::printf("draw,blocks,%ld,ops/s,%.4g\n", distance,
                warps / seconds([&] { draw<4><<<blocks, 256>>>(a, b, a); }));
    std::printf("draw,one request,%ld,ops/s,%.4g\n", distance,
                2 * warps / seconds([&] { draw<5><<<blocks, 256>>>(a, b, a); }));
  }
  {
    long long* c = (long long*)(m + G);
    long long h;
    int* p = (int*)m;
    check(cudaMemset(m, 0, 65536));
    auto show = [&](const char* name) {
      check(cudaMemcpy(&h, c, 8, cudaMemcpyDefault));
      std::printf("fence,%s,,clocks,%.1f\n", name, h / 64.0);
    };
    for (int k = 0; k < 2; ++k) {
      fences<0><<<1, 1>>>(p, c);
      show("store");
      fences<1><<<1, 1>>>(p, c);
      show("fence");
      fences<2><<<1, 1>>>(p, c);
      show("store+fence");
      fences<3><<<1, 1>>>(p, c);
      show("exch+fence");
      check(cudaMemset(m, 0, 65536));
      fences<4><<<1, 1>>>(p, c);
      show("lock+store+release");
      fences<5><<<1, 1>>>(p, c);
      show("volatile load");
    }
  }
  for (int locks : {1, 64, 1024})
    for (int blocks : {1, 8, 132})
      for (int threads : {1, 32, 256}) {
        if (locks == 1 && blocks * threads > 9000) continue;
        const int rounds = 2;
        check(cudaMemset(m, 0, 1 << 20));
        double s =
            seconds([&] { lock_all<<<blocks, threads>>>((int*)m, (int*)m + 1, locks, rounds); }, 3);
        std::printf("lock,%d locks,%d blocks,%d threads,%.1f\n", locks, blocks, threads,
                    s * hz / (double(blocks) * threads * rounds));
      }
  for (int fence : {0, 1}) {
    const int blocks = 2000;
    int* flags = (int*)m;
    double s = seconds([&] {
      check(cudaMemsetAsync(m, 0, blocks * 128));
      chain<<<blocks, 32>>>(flags, fence);
    });
    std::printf("chain,fence %d,%d,clocks,%.1f\n", fence, blocks, s * hz / blocks);
  }
  std::printf("launch,nothing x 20,,us,%.3f\n", seconds([&] {
                                                  for (int i = 0; i < 20; ++i) nothing<<<1, 32>>>();
                                                }) * 1e6 /
                                                    20);
  std::printf("launch,memset 8,,us,%.3f\n",
              seconds([&] { check(cudaMemsetAsync(m, 0, 8)); }) * 1e6);
  std::printf("launch,nothing,,us,%.3f\n", seconds([&] { nothing<<<1, 32>>>(); }) * 1e6);
  std::printf("launch,memset 8 + nothing,,us,%.3f\n", seconds([&] {
                                                        check(cudaMemsetAsync(m, 0, 8));
                                                        nothing<<<1, 32>>>();
                                                      }) * 1e6);
  std::printf("launch,2 memsets + nothing,,us,%.3f\n", seconds([&] {
                                                         check(cudaMemsetAsync(m, 0, 8));
                                                         check(cudaMemsetAsync(m + 512, 0, 1024));
                                                         nothing<<<1, 32>>>();
                                                       }) * 1e6);
  std::printf("launch,nothing + nothing,,us,%.3f\n", seconds([&] {
                                                       nothing<<<1, 32>>>();
                                                       nothing<<<1, 32>>>();
                                                     }) * 1e6);
  for (int loads : {1, 2, 4, 8})
    for (int threads : {256, 1024}) {
      const int n = 64 << 20;
      std::printf("rounds,%d loads,%d threads,us,%.2f\n", loads, threads,
                  seconds([&] {
                    block_waits<<<n / loads / threads, threads>>>((float*)m, out, loads);
                  }) * 1e6);
    }
  check(cudaDeviceSynchronize());
}
