// Measures, on a real GPU, loops over a table in constant memory in order, all lanes of a warp at one
// address: by the size of the table, what is loaded at a time and how much is done with it, the number of
// warps and the size of blocks. Prints CSV: clocks of one multiprocessor for each line of 64 bytes and warp.
//
//     nvcc -O3 -arch=sm_90 -o constant_loops constant_loops.cu && ./constant_loops
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "seconds.cuh"

namespace {

constexpr double clock_hz = 1.98e9;
constexpr int multiprocessors = 132;
__constant__ float4 table[4096];

/// `work`: times two sums and a multiply-add of what has been loaded.
template <int work>
__global__ void four_floats(int lines, int times, float* out) {
  float sum = threadIdx.x;
  for (int t = 0; t < times; ++t) {
#pragma unroll 4
    for (int i = 0; i < 4 * lines; ++i) {
      const float4 v = table[i];
#pragma unroll
      for (int k = 0; k < work; ++k) sum = fmaf(sum, v.x + v.z, v.y) + v.w;
    }
  }
  if (sum == 12345) *out = sum;
}

/// The least distance to any of them.
__global__ void floats(int lines, int times, float* out) {
  const float* all = reinterpret_cast<const float*>(table);
  const float mine = threadIdx.x;
  float least = 1e30F;
  for (int t = 0; t < times; ++t) {
#pragma unroll 8
    for (int i = 0; i < 16 * lines; ++i) least = fminf(least, fabsf(mine - all[i]));
  }
  if (least == 12345) *out = least;
}

float* out;

template <class Kernel>
void rows(const char* what, Kernel kernel) {
  for (const int lines : {4, 8, 12, 16, 32, 64, 256}) {
    for (const int threads : {64, 256, 1024}) {
      for (const int warps : {1, 8, 16, 24, 28, 32, 40, 48, 64}) {
        if (warps == 1 ? threads != 64 : warps * 32 % threads != 0) continue;
        const int of_block = warps == 1 ? 32 : threads;
        const int blocks = multiprocessors * warps * 32 / of_block, times = 1024 / lines;
        const auto run = [&](int more) {
          return seconds([&] { kernel<<<blocks, of_block>>>(lines, more * times, out); }, 5);
        };
        const double clocks = (run(3) - run(1)) * clock_hz / (2.0 * times * lines * warps);
        std::printf("%s,%d,%d,%d,%.1f\n", what, lines * 64, of_block, warps, clocks);
      }
    }
  }
}

}  // namespace

int main() {
  check(cudaMalloc(&out, sizeof(float)));
  std::printf("loaded,bytes,threads,warps,clocks\n");
  rows("float", floats);
  rows("four floats", four_floats<1>);
  rows("four floats and much work", four_floats<16>);
  check(cudaDeviceSynchronize());
}
