// Measures, on a real GPU, loads from constant memory whose lanes want different addresses, by their
// width, and loads of more than the cache for constants holds; prints CSV: clocks of one multiprocessor
// for each load of a warp.
//
//     nvcc -O3 -arch=sm_90 -o constants constants.cu && ./constants
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "seconds.cuh"

namespace {

constexpr double clock_hz = 1.98e9;
constexpr int multiprocessors = 132, turns = 8;
__constant__ float table[16384];

__device__ float sum_of(float v) { return v; }
__device__ float sum_of(float2 v) { return v.x + v.y; }
__device__ float sum_of(float4 v) { return v.x + v.y + v.z + v.w; }

/// `place`: turns times 32, in elements of T; the same for all warps, or drawn by each.
template <class T>
__global__ void load(const int* place, int sets, int n, float* out) {
  const T* const all = reinterpret_cast<const T*>(table);
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  int at[turns];
  float sum = 0;
  for (int i = 0; i < n; ++i) {
    const int set = (warp + i) % sets;
    for (int k = 0; k < turns; ++k) at[k] = place[(set * turns + k) * 32 + threadIdx.x % 32];
#pragma unroll
    for (int m = 0; m < 4; ++m) {
#pragma unroll
      for (int k = 0; k < turns; ++k) sum += sum_of(all[at[k] ^ m]);
    }
  }
  if (sum == 12345) *out = sum;
}

int* places;
float* out;

template <class T>
double clocks(int sets, int threads, int blocks) {
  constexpr int n = 32;
  const auto run = [&](int times) {
    return seconds(
        [&] { load<T><<<multiprocessors * blocks, threads>>>(places, sets, times, out); }, 5);
  };
  return (run(2 * n) - run(n)) * clock_hz / (double(blocks) * threads / 32 * 4 * turns * n);
}

template <class Place>
void put(int sets, Place place) {
  std::vector<int> all(sets * turns * 32);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = place(int(i) / 32, int(i) % 32);
  check(cudaMemcpy(places, all.data(), all.size() * sizeof(int), cudaMemcpyHostToDevice));
}

void row(const char* what, int number, int kilobytes, int sets) {
  for (const int threads : {32, 256}) {
    const int blocks = threads == 32 ? 1 : 8;
    std::printf("%s,%d,%d,%d,%.2f,%.2f,%.2f\n", what, number, kilobytes, threads * blocks,
                clocks<float>(sets, threads, blocks), clocks<float2>(sets, threads, blocks),
                clocks<float4>(sets, threads, blocks));
  }
}

}  // namespace

int main() {
  check(cudaMalloc(&places, 8 << 20));
  check(cudaMalloc(&out, 4));
  std::vector<float> zeros(16384);
  check(cudaMemcpyToSymbol(table, zeros.data(), sizeof table));
  std::printf("places,addresses,elements,threads,4 bytes,8 bytes,16 bytes\n");
  for (const int apart : {1, 2, 4, 6, 8, 16, 32}) {
    put(1, [=](int, int lane) { return lane % apart * 4; });
    row("next to one another", apart, 64, 1);
  }
  // One address for the warp, each load of another line.
  for (const int elements : {64, 128, 256, 512, 1024, 2048, 4096}) {
    std::srand(7);
    int now = 0;
    put(64,
        [&](int, int lane) { return now = lane == 0 ? std::rand() % (elements / 4) * 4 : now; });
    row("drawn by warp", 1, elements, 64);
  }
  for (const int elements : {64, 256, 1024, 4096}) {
    for (const int apart : {4, 32}) {
      std::srand(7);
      int now[32] = {};
      put(64, [&](int, int lane) {
        if (lane < apart) now[lane] = std::rand() % (elements / 4) * 4;
        return now[lane % apart];
      });
      row("drawn", apart, elements, 64);
    }
  }
  check(cudaDeviceSynchronize());
}
