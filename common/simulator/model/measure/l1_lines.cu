// Measures, on a real GPU, what lanes that want different places of the L1 cost, and additions in shared
// memory; prints CSV: clocks of one multiprocessor for each request of a warp.
//
//     nvcc -O3 -arch=sm_90 -o l1_lines l1_lines.cu && ./l1_lines
//
// A request takes 1.9 clocks at least here, for that is what the instructions around it take.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

#include "seconds.cuh"

namespace {

constexpr double clock_hz = 1.98e9;
constexpr int chains = 8, blocks = 1056, threads = 256, multiprocessors = 132;

/// `zero` is 0 in what is loaded, but nobody knows it before the load.
__global__ void loads(const unsigned* table, const int* place, int n, unsigned zero,
                      unsigned* out) {
  unsigned at[chains], sum = 0;
  for (unsigned& one : at) one = place[threadIdx.x % 32];
  for (int i = 0; i < n; ++i) {
#pragma unroll
    for (int k = 0; k < chains; ++k) {
      const unsigned value = __ldca(table + at[k]);
      sum += value;
      at[k] += value & zero;
    }
  }
  if (sum == 12345) *out = sum;
}

enum Addition { ones, numbers, returned };

template <Addition addition>
__global__ void additions(const int* place, int n, unsigned* out) {
  __shared__ unsigned table[4096];
  for (int i = threadIdx.x; i < 4096; i += threads) table[i] = 0;
  __syncthreads();
  const int at = place[threadIdx.x % 32];
  unsigned sum = 0;
  for (int i = 0; i < n; ++i) {
#pragma unroll
    for (int k = 0; k < chains; ++k) {
      if (addition == ones) atomicAdd(&table[at], 1U);
      if (addition == numbers) atomicAdd(&table[at], unsigned(i) | 3U);
      if (addition == returned) sum += atomicAdd(&table[at], unsigned(i) | 3U);
    }
  }
  __syncthreads();
  if (sum == 12345 || table[threadIdx.x] == 1234567) *out = sum;
}

template <class Launch>
double clocks(Launch launch) {
  constexpr int n = 64;
  const double requests = double(blocks) * threads / 32 * chains * n / multiprocessors;
  const auto time = [&](int times) { return seconds([&] { launch(times); }, 5); };
  return (time(2 * n) - time(n)) * clock_hz / requests;
}

struct Memory {
  unsigned *table, *out;
  int* place;
};

template <class Place>
void put(const Memory& memory, Place place) {
  int places[32];
  for (int lane = 0; lane < 32; ++lane) places[lane] = place(lane);
  check(cudaMemcpy(memory.place, places, sizeof places, cudaMemcpyHostToDevice));
}

template <class Place>
void load_row(const Memory& memory, const char* name, int value, Place place) {
  put(memory, place);
  std::printf("load,%s,%d,%.2f\n", name, value, clocks([&](int n) {
                loads<<<blocks, threads>>>(memory.table, memory.place, n, 5, memory.out);
              }));
}

template <Addition addition>
void addition_rows(const Memory& memory, const char* name) {
  const auto row = [&](const char* where, auto place) {
    put(memory, place);
    std::printf("add,%s,%s,%.2f\n", name, where, clocks([&](int n) {
                  additions<addition><<<blocks, threads>>>(memory.place, n, memory.out);
                }));
  };
  row("own bank", [](int lane) { return lane; });
  row("every second bank", [](int lane) { return 2 * lane; });
  row("one place", [](int) { return 0; });
}

}  // namespace

int main() {
  Memory memory{};
  constexpr std::size_t bytes = std::size_t{64} << 20;
  check(cudaMalloc(&memory.table, bytes));
  check(cudaMemset(memory.table, 0, bytes));
  check(cudaMalloc(&memory.place, 128));
  check(cudaMalloc(&memory.out, 4));
  std::printf("kind,what,how many,clocks\n");
  for (const int step : {0, 1, 2, 4, 8, 16, 32}) {
    load_row(memory, "words apart", step, [=](int lane) { return lane * step; });
  }
  for (const int step : {1, 2, 3, 4, 8, 16, 64}) {
    load_row(memory, "own bank; lines apart", step,
             [=](int lane) { return lane * 32 * step + lane; });
  }
  for (const int lines : {2, 4, 8, 16}) {
    load_row(memory, "own bank; lines", lines, [=](int lane) { return lane % lines * 32 + lane; });
  }
  for (const int lines : {1, 2, 4, 8, 16, 32, 64, 256, 1024}) {
    for (unsigned seed = 7; seed < 10; ++seed) {
      std::srand(seed);
      load_row(memory, "drawn; of lines", lines, [=](int) { return std::rand() % (lines * 32); });
    }
  }
  addition_rows<ones>(memory, "ones");
  addition_rows<numbers>(memory, "numbers");
  addition_rows<returned>(memory, "returned");
  check(cudaDeviceSynchronize());
}
