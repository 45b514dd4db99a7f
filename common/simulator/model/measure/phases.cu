// Measures, on a real GPU, how far work of one kind and work of another lie side by side when a
// block does the one strictly before the other: first A, then B. Prints CSV.
//
//     nvcc -O2 -arch=sm_90 -o phases phases.cu && ./phases [REPETITIONS]
//
// A grid does the same work in 1 to 8 waves of blocks, each block the smaller a part of it, or in
// one wave whose blocks go round 1 to 8 times. Columns: what A and B are; "waves" or "rounds" and
// how many; threads of a block, blocks on a multiprocessor; how much of B; microseconds of A alone,
// B alone and both.
#include <cstdio>
#include <cstring>

#include "seconds.cuh"

namespace {

constexpr int threads_of_sm = 2048;
constexpr int most_parts = 8;

enum Kind { none, dram, l2, store, fma_chain, shared_loads, shared_swaps, one_address, anywhere };
const char* const names[] = {"none",   "dram",  "l2",          "store",   "fma",
                             "shared", "swaps", "one address", "anywhere"};

constexpr int l2_loads = 1 << 20;  ///< of 16 bytes, that are read again and again

using Big = unsigned long long;

struct Work {
  const float4* in;
  float4* out;
  Big* total;
  int all;   ///< threads of a wave
  int a, b;  ///< how much of each a thread does in one part
};

/// `part`: which of the grid's pieces of work this is for the thread `place` of its wave.
template <Kind kind>
__device__ float work(const Work& w, int much, int part, int place, float before, float* shared,
                      Big* total) {
  float sum = before;
  if constexpr (kind == dram) {
#pragma unroll 1
    for (int i = 0; i < much; i += 4) {
      float4 v[4];
#pragma unroll
      for (int k = 0; k < 4; ++k)
        v[k] = __ldcs(w.in + (size_t(part) * much + i + k) * w.all + place);
#pragma unroll
      for (int k = 0; k < 4; ++k) sum += v[k].x + v[k].y + v[k].z + v[k].w;
    }
  }
  if constexpr (kind == l2) {
#pragma unroll 1
    for (int i = 0; i < much; i += 4) {
      float4 v[4];
#pragma unroll
      for (int k = 0; k < 4; ++k) v[k] = __ldcg(w.in + ((i + k) * w.all + place) % l2_loads);
#pragma unroll
      for (int k = 0; k < 4; ++k) sum += v[k].x + v[k].y + v[k].z + v[k].w;
    }
  }
  if constexpr (kind == store) {
#pragma unroll 1
    for (int i = 0; i < much; ++i)
      w.out[(size_t(part) * much + i) * w.all + place] = {sum, sum, sum, sum};
  }
  if constexpr (kind == fma_chain) {
    float x[4] = {sum, sum + 1, sum + 2, sum + 3};
#pragma unroll 1
    for (int i = 0; i < much; i += 16)
#pragma unroll
      for (int k = 0; k < 16; ++k) x[k % 4] = x[k % 4] * 0.5f + 1.0f;
    sum = x[0] + x[1] + x[2] + x[3];
  }
  if constexpr (kind == shared_loads) {
    int at = threadIdx.x % 32 + (sum == 12345);
#pragma unroll 1
    for (int i = 0; i < much; i += 4)
#pragma unroll
      for (int k = 0; k < 4; ++k) sum += static_cast<volatile float*>(shared)[at + 32 * k];
  }
  // The first lanes of each warp add to one place: a compare-and-swap loop.
  if constexpr (kind == shared_swaps) {
    for (int i = threadIdx.x % 32; i < much; i += 32) atomicAdd(total, Big(sum) + threadIdx.x);
  }
  // Of each 256 threads, `much` warps' first lanes.
  if constexpr (kind == one_address) {
    for (int i = threadIdx.x / 32 % 8; i < much; i += 8)
      if (threadIdx.x % 32 == 0) atomicAdd(w.total, Big(sum) + threadIdx.x);
  }
  if constexpr (kind == anywhere) {
    for (int i = 0; i < much; ++i) {
      const unsigned at = (unsigned(part * much + i) * w.all + place) * 0x9e3779b1u;
      atomicAdd(reinterpret_cast<unsigned*>(w.out) + (at >> 12), unsigned(sum) + 1);
    }
  }
  return sum;
}

/// Part r of `rounds` of a block is part r of its place; part blockIdx / (blocks of a wave) of
/// waves.
template <Kind A, Kind B, bool barrier>
__global__ void __launch_bounds__(1024, 2) first_then(Work w, int rounds) {
  __shared__ float shared[160];
  __shared__ Big total;
  for (int i = threadIdx.x; i < 160; i += blockDim.x) shared[i] = i;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  const int wave_blocks = w.all / blockDim.x;
  const int place = blockIdx.x % wave_blocks * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int r = 0; r < rounds; ++r) {
    const int part = blockIdx.x / wave_blocks + r;
    sum = work<A>(w, w.a, part, place, sum, shared, &total);
    if (barrier) __syncthreads();
    sum = work<B>(w, w.b, part, place, sum, shared, &total);
    if (barrier) __syncthreads();
  }
  if (sum == 12345 || total == 12345) *w.total = total;
}

/// What a thread of a wave does in all, such that each kind takes some 30 us.
int all_of(Kind kind) {
  switch (kind) {
    case dram:
      return 32;  // loads of 16 bytes
    case l2:
      return 64;
    case store:
      return 24;
    case fma_chain:
      return 3584;
    case shared_loads:
      return 896;
    case shared_swaps:
      return 32;  // lanes
    case one_address:
      return 40;  // of 256 threads
    case anywhere:
      return 8;
    case none:
      break;
  }
  return 0;
}

struct Shape {
  int threads, blocks;  ///< of a block; on a multiprocessor
};

class Measurement {
 public:
  explicit Measurement(int repetitions) : repetitions_(repetitions) {
    check(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, 0));
    region_ = size_t(multiprocessors_) * threads_of_sm * all_of(dram);
    check(cudaMalloc(&memory_, regions * region_ * sizeof(float4)));
    check(cudaMemset(memory_, 0, regions * region_ * sizeof(float4)));
    check(cudaMalloc(&total_, sizeof(Big)));
    check(cudaMemset(total_, 0, sizeof(Big)));
  }
  ~Measurement() {
    cudaFree(memory_);
    cudaFree(total_);
  }

  template <Kind A, Kind B, bool barrier>
  void take(Shape shape, double much) {
    for (const bool waves : {true, false})
      for (int parts = 1; parts <= most_parts; parts *= 2) {
        if (parts == 1 && !waves) continue;
        const double a = run<A, none, barrier>(shape, parts, waves, much);
        const double b = run<none, B, barrier>(shape, parts, waves, much);
        const double both = run<A, B, barrier>(shape, parts, waves, much);
        std::printf("%s,%s%s,%s,%d,%d,%d,%g,%.2f,%.2f,%.2f\n", names[A], barrier ? "barrier " : "",
                    names[B], waves ? "waves" : "rounds", parts, shape.threads, shape.blocks, much,
                    a * 1e6, b * 1e6, both * 1e6);
      }
  }

 private:
  static constexpr int regions = 4;  // so that no launch finds in the L2 what it reads

  template <Kind A, Kind B, bool barrier>
  double run(Shape shape, int parts, bool waves, double much) {
    Work w{};
    w.total = total_;
    w.all = multiprocessors_ * shape.threads * shape.blocks;
    // As much in all, whatever share of the places for threads is taken.
    const int fewer = threads_of_sm / (shape.threads * shape.blocks);
    w.a = all_of(A) * fewer / parts;
    w.b = static_cast<int>(all_of(B) * fewer * much) / parts;
    const int blocks = multiprocessors_ * shape.blocks * (waves ? parts : 1);
    const auto kernel = first_then<A, B, barrier>;
    // Shared memory that nobody uses keeps further blocks away.
    int bytes = 0, reserved = 0;
    check(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerMultiprocessor, 0));
    check(cudaDeviceGetAttribute(&reserved, cudaDevAttrReservedSharedMemoryPerBlock, 0));
    const int each = (bytes / shape.blocks - reserved - 1024) / 1024 * 1024;
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, each));
    return seconds(
        [&] {
          region_at_ = (region_at_ + 1) % regions;
          w.in = memory_ + region_at_ * region_;
          w.out = memory_ + (region_at_ + 2) % regions * region_;
          kernel<<<blocks, shape.threads, each>>>(w, waves ? 1 : parts);
        },
        repetitions_);
  }

  int repetitions_;
  int multiprocessors_ = 0;
  size_t region_ = 0;  ///< float4s
  int region_at_ = 0;
  float4* memory_ = nullptr;
  Big* total_ = nullptr;
};

template <Kind A, Kind B>
void take_all(Measurement& measurement) {
  for (const double much : {1.0, 0.5}) {
    measurement.take<A, B, false>({256, 8}, much);
    measurement.take<A, B, true>({256, 8}, much);
  }
  measurement.take<A, B, true>({1024, 2}, 1);
  measurement.take<A, B, true>({1024, 1}, 1);
}

}  // namespace

int main(int argc, char** argv) {
  Measurement measurement(argc > 1 ? std::atoi(argv[1]) : 9);
  std::printf("first,then,parts,number,threads,blocks,much,first_us,then_us,both_us\n");
  take_all<dram, shared_swaps>(measurement);
  take_all<dram, one_address>(measurement);
  take_all<dram, shared_loads>(measurement);
  take_all<dram, fma_chain>(measurement);
  take_all<dram, anywhere>(measurement);
  take_all<dram, store>(measurement);
  take_all<l2, one_address>(measurement);
  take_all<fma_chain, one_address>(measurement);
  take_all<fma_chain, shared_loads>(measurement);
  take_all<shared_loads, dram>(measurement);
  check(cudaDeviceSynchronize());
}
