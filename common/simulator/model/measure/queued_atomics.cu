// Measures, on a real GPU, atomics that wait for each other beside others that need not, and additions
// whose places follow the order of the blocks; prints CSV, microseconds.
//
//     nvcc -O3 -arch=sm_90 -o queued_atomics queued_atomics.cu && ./queued_atomics
#include <cuda_runtime.h>

#include <cstdio>

#include "seconds.cuh"

namespace {

constexpr int threads = 256, places = 1 << 20;

/// Wellons, hash-prospector (2018): "lowbias32", the variant of least bias that was known then.
__device__ unsigned hash(unsigned x) {
  x = (x ^ x >> 16) * 0x7feb352dU;
  x = (x ^ x >> 15) * 0x846ca68bU;
  return x ^ x >> 16;
}

/// A minimum anywhere in 4 MB, then an addition by each warp: to one address, or to one of 64.
template <bool minima, int added>
__global__ void anywhere_and_one(int* table, int* counts, int* out) {
  const int i = blockIdx.x * threads + threadIdx.x;
  bool mine = true;
  if (minima) mine = atomicMin(&table[hash(i) % places], 4) >= 0;
  const unsigned found = __ballot_sync(0xffffffffU, mine);
  int before = i;
  if constexpr (added > 0) {
    if (threadIdx.x % 32 == 0) before = atomicAdd(counts + i / 32 % added * 256, __popc(found));
  }
  if (before == -1) *out = 0;
}

enum Order { drawn, ordered };

/// Additions to 4096 places: any, or as the blocks follow one another; `each` by a thread.
template <class T, Order order>
__global__ void additions(T* table, int each) {
  for (int k = 0; k < each; ++k) {
    const unsigned i = (blockIdx.x * each + k) * threads + threadIdx.x;
    atomicAdd(&table[order == drawn ? hash(~i) % 4096 : i >> 10], T(1) + T(i & 1));
  }
}

}  // namespace

int main() {
  int* memory = nullptr;
  check(cudaMalloc(&memory, std::size_t{256} << 20));
  check(cudaMemset(memory, 0, std::size_t{256} << 20));
  int *counts = memory + (32 << 20), *out = memory + (48 << 20);
  std::printf("what,where,how,us\n");
  const auto row = [&](const char* what, const char* where, const char* how, auto launch) {
    std::printf("%s,%s,%s,%.1f\n", what, where, how, seconds(launch) * 1e6);
  };
  constexpr int grid = places / threads;
  row("minima", "anywhere", "",
      [&] { anywhere_and_one<true, 0><<<grid, threads>>>(memory, counts, out); });
  row("additions", "one address", "",
      [&] { anywhere_and_one<false, 1><<<grid, threads>>>(memory, counts, out); });
  row("additions", "64 addresses", "",
      [&] { anywhere_and_one<false, 64><<<grid, threads>>>(memory, counts, out); });
  row("minima and additions", "one address", "",
      [&] { anywhere_and_one<true, 1><<<grid, threads>>>(memory, counts, out); });
  row("minima and additions", "64 addresses", "",
      [&] { anywhere_and_one<true, 64><<<grid, threads>>>(memory, counts, out); });
  constexpr int n = 1 << 22;
  auto* floats = reinterpret_cast<float*>(memory);
  for (const int each : {1, 4, 16}) {
    char how[16];
    std::snprintf(how, sizeof how, "%d a thread", each);
    const int blocks = n / threads / each;
    row("floats", "drawn places", how,
        [&] { additions<float, drawn><<<blocks, threads>>>(floats, each); });
    row("floats", "ordered places", how,
        [&] { additions<float, ordered><<<blocks, threads>>>(floats, each); });
    row("integers", "drawn places", how,
        [&] { additions<int, drawn><<<blocks, threads>>>(memory, each); });
    row("integers", "ordered places", how,
        [&] { additions<int, ordered><<<blocks, threads>>>(memory, each); });
  }
  check(cudaDeviceSynchronize());
}
