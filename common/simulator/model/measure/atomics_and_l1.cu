// Measures, on a real GPU, what the time model's figures for atomics and for the L1 come from;
// prints CSV. Build and run:
//
//     nvcc -O2 -arch=sm_90 -o atomics_and_l1 atomics_and_l1.cu && ./atomics_and_l1
//
// No kernel of a lab is in here: the model is settled with these, and tested on those.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

#include "seconds.cuh"

namespace {

/// Wellons, hash-prospector (2018): "lowbias32", the variant of least bias that was known then.
__device__ unsigned hash(unsigned x) {
  x = (x ^ x >> 16) * 0x7feb352du;
  x = (x ^ x >> 15) * 0x846ca68bu;
  return x ^ x >> 16;
}

// What is done to a place; a result that is used makes it an atom, else it is a red.
template <class T>
struct Add {
  using Value = T;
  static __device__ T apply(T* at, unsigned seed) {
    return atomicAdd(at, static_cast<T>(seed | 1));
  }
};
template <class T>
struct Max {
  using Value = T;
  static __device__ T apply(T* at, unsigned seed) { return atomicMax(at, static_cast<T>(seed)); }
};
struct Swap {
  using Value = int;
  static __device__ int apply(int* at, unsigned seed) {
    return atomicCAS(at, int(seed), int(seed + 1));
  }
};

enum Pattern { each_random, warp_random, row_random };

/// Index of the place that a lane uses: of its own, of its warp, or its own in a row of 32.
__device__ unsigned place(Pattern pattern, unsigned seed, unsigned places) {
  const unsigned of_warp = __shfl_sync(0xffffffff, seed, 0);
  if (pattern == each_random) return hash(seed) % places;
  if (pattern == warp_random) return hash(of_warp) % places;
  return hash(of_warp) % (places / 32) * 32 + threadIdx.x % 32;
}

constexpr int rounds = 64;

template <class Op, bool used>
__global__ void in_global(typename Op::Value* table, unsigned places, unsigned stride,
                          Pattern pattern, typename Op::Value* sink) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  typename Op::Value sum = 0;
  for (int i = 0; i < rounds; ++i) {
    const unsigned seed = hash(thread * rounds + i);
    const auto before = Op::apply(table + place(pattern, seed, places) * stride, seed);
    if (used) sum += before;
  }
  if (used && sum == 12345) *sink = sum;
}

template <class Op, bool used>
__global__ void in_shared(unsigned places, Pattern pattern, typename Op::Value* sink) {
  __shared__ typename Op::Value table[4096];
  for (unsigned i = threadIdx.x; i < 4096; i += blockDim.x) table[i] = 0;
  __syncthreads();
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  typename Op::Value sum = 0;
  for (int i = 0; i < rounds; ++i) {
    const unsigned seed = hash(thread * rounds + i);
    const auto before = Op::apply(table + place(pattern, seed, places), seed);
    if (used) sum += before;
  }
  __syncthreads();
  if ((used && sum == 12345) || table[threadIdx.x] == 12345) *sink = sum;
}

/// Loads of T from a piece of memory that fits the L1, lanes `step` elements apart.
template <class T>
__global__ void read_again(const T* values, unsigned mask, unsigned step, int times, T* sink) {
  T sum = 0;
  unsigned at = threadIdx.x * step;
  for (int i = 0; i < times; ++i) {
#pragma unroll
    for (unsigned k = 0; k < 8; ++k) sum += values[(at + k * 32 * step) & mask];
    at += 32;
  }
  if (sum == 12345) *sink = sum;
}

__global__ void chase(const unsigned* next, int steps, unsigned* out, long long* clocks) {
  unsigned at = 0;
  for (int i = 0; i < 1024; ++i) at = next[at];  // once around, to fill the cache
  const long long start = clock64();
  for (int i = 0; i < steps; ++i) at = next[at];
  *clocks = clock64() - start;
  *out = at;
}

const char* name(Pattern pattern) {
  return pattern == each_random ? "each" : pattern == warp_random ? "warp" : "row";
}

int multiprocessors() {
  int count = 0;
  check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0));
  return count;
}

template <class Op>
void global_rows(const char* op, void* memory) {
  using T = typename Op::Value;
  auto* table = static_cast<T*>(memory);
  const int blocks = multiprocessors() * 4;
  const double lanes = 256.0 * blocks * rounds;
  const auto row = [&](unsigned places, unsigned stride, Pattern pattern) {
    T* sink = table;
    const double red = seconds(
        [&] { in_global<Op, false><<<blocks, 256>>>(table, places, stride, pattern, sink); });
    const double atom = seconds(
        [&] { in_global<Op, true><<<blocks, 256>>>(table, places, stride, pattern, sink); });
    std::printf("global,%s,%s,%u,%zu,%.4g,%.4g\n", op, name(pattern), places, stride * sizeof(T),
                lanes / red, lanes / atom);
  };
  for (const unsigned places : {1u, 7u, 64u, 256u, 4096u, 65536u, 1u << 20}) {
    row(places, 1, each_random);
    row(places, 1, warp_random);
  }
  for (const unsigned places : {8u, 64u, 256u}) {
    row(places, 8, each_random);
    row(places, 128, each_random);
    row(places, 8, warp_random);
    row(places, 128, warp_random);
  }
  for (const unsigned places : {32u, 256u, 65536u}) row(places, 1, row_random);
}

template <class Op>
void shared_rows(const char* op, void* memory) {
  using T = typename Op::Value;
  auto* sink = static_cast<T*>(memory);
  const int blocks = multiprocessors() * 4;
  const double lanes = 256.0 * blocks * rounds;
  for (const unsigned places : {1u, 7u, 32u, 256u, 4096u}) {
    for (const Pattern pattern : {each_random, warp_random, row_random}) {
      if (pattern == row_random && places < 32) continue;
      const double red =
          seconds([&] { in_shared<Op, false><<<blocks, 256>>>(places, pattern, sink); });
      const double atom =
          seconds([&] { in_shared<Op, true><<<blocks, 256>>>(places, pattern, sink); });
      std::printf("shared,%s,%s,%u,%zu,%.4g,%.4g\n", op, name(pattern), places, sizeof(T),
                  lanes / red, lanes / atom);
    }
  }
}

template <class T>
void l1_rows(void* memory) {
  auto* values = static_cast<T*>(memory);
  constexpr int times = 4096;
  const int blocks = multiprocessors() * 2;
  for (const unsigned step : {1u, 2u, 4u, 8u, 32u}) {
    const unsigned elements = 32768 / sizeof(T);
    const double time =
        seconds([&] { read_again<<<blocks, 1024>>>(values, elements - 1, step, times, values); });
    std::printf("l1,%zu,%u,%u,,%.4g,\n", sizeof(T), step, elements,
                blocks * 32.0 * 8 * times / time);
  }
}

void latencies(void* memory) {
  auto* next = static_cast<unsigned*>(memory);
  for (const unsigned bytes : {4096u, 16384u, 131072u, 1u << 22, 1u << 24}) {
    const unsigned entries = bytes / 4, hop = 32;  // a line each
    std::vector<unsigned> ring(entries);
    for (unsigned i = 0; i < entries; ++i) ring[i] = (i + hop) % entries;
    check(cudaMemcpy(next, ring.data(), bytes, cudaMemcpyHostToDevice));
    unsigned* out = next + (1u << 24);
    auto* clocks = reinterpret_cast<long long*>(out + 2);
    constexpr int steps = 4096;
    chase<<<1, 1>>>(next, steps, out, clocks);
    long long taken = 0;
    check(cudaMemcpy(&taken, clocks, sizeof(taken), cudaMemcpyDeviceToHost));
    std::printf("latency,load,ring,%u,,%.1f,\n", bytes, static_cast<double>(taken) / steps);
  }
}

}  // namespace

int main() {
  void* memory = nullptr;
  check(cudaMalloc(&memory, std::size_t{1} << 28));
  check(cudaMemset(memory, 0, std::size_t{1} << 28));
  std::printf("kind,operation,pattern,places,bytes,red_per_second,atom_per_second\n");
  global_rows<Add<int>>("add.int", memory);
  global_rows<Add<float>>("add.float", memory);
  global_rows<Add<unsigned long long>>("add.u64", memory);
  global_rows<Max<int>>("max.int", memory);
  global_rows<Swap>("cas.int", memory);
  shared_rows<Add<int>>("add.int", memory);
  shared_rows<Add<float>>("add.float", memory);
  shared_rows<Add<unsigned long long>>("add.u64", memory);
  shared_rows<Max<int>>("max.int", memory);
  shared_rows<Swap>("cas.int", memory);
  l1_rows<float>(memory);
  l1_rows<double>(memory);
  check(cudaMemset(memory, 0, std::size_t{1} << 28));
  latencies(memory);
  check(cudaDeviceSynchronize());
  return 0;
}
