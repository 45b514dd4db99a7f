// Measures, on a real GPU, what fetching instructions costs: straight code of so many instructions, done
// once by each warp, when nothing of it is in any cache and when it is; and a loop over it, again and
// again; prints CSV.
//
//     nvcc -O3 -arch=sm_90 -o code_fetch code_fetch.cu && ./code_fetch
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "seconds.cuh"

namespace {

template <int instructions>
__global__ void straight(float* out, int rounds, float a, float b, long long* clocks) {
  float x[8];
  for (int k = 0; k < 8; ++k) x[k] = threadIdx.x + k;
  const long long begin = clock64();
#pragma unroll 1
  for (int r = 0; r < rounds; ++r) {
#pragma unroll
    for (int i = 0; i < instructions / 8; ++i) {
#pragma unroll
      for (int k = 0; k < 8; ++k) x[k] = x[k] * a + b;
    }
  }
  const long long end = clock64();
  float sum = 0;
  for (int k = 0; k < 8; ++k) sum += x[k];
  if (sum == 12345) *out = sum;
  if (threadIdx.x == 0) clocks[blockIdx.x] = end - begin;
}

__global__ void read_all(const float4* values, int n, float* sum) {
  float all = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    all += values[i].x + values[i].w;
  }
  if (all == 1) *sum = all;
}

constexpr int lines = 120 << 20;
float4* others;
float* out;
long long* clocks;

/// Median clocks of a block, and microseconds of the launch.
template <class Launch>
void time(Launch launch, bool cold, int blocks, double& of_block, double& of_launch) {
  cudaEvent_t start, stop;
  check(cudaEventCreate(&start));
  check(cudaEventCreate(&stop));
  std::vector<double> times, all;
  launch();
  for (int k = 0; k < 7; ++k) {
    check(cudaDeviceSynchronize());
    if (cold) {
      read_all<<<1024, 256>>>(others, lines / 16, out);
    } else {
      launch();
    }
    check(cudaEventRecord(start));
    launch();
    check(cudaEventRecord(stop));
    check(cudaEventSynchronize(stop));
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, start, stop));
    times.push_back(milliseconds * 1e3);
    std::vector<long long> taken(blocks);
    check(cudaMemcpy(taken.data(), clocks, blocks * sizeof(long long), cudaMemcpyDeviceToHost));
    std::nth_element(taken.begin(), taken.begin() + blocks / 2, taken.end());
    all.push_back(double(taken[blocks / 2]));
  }
  std::sort(times.begin(), times.end());
  std::sort(all.begin(), all.end());
  of_launch = times[times.size() / 2];
  of_block = all[all.size() / 2];
}

template <int instructions>
void rows() {
  for (const int threads : {32, 128, 512}) {
    double cold = 0, hot = 0, cold_us = 0, hot_us = 0, many = 0, many_us = 0;
    const auto launch = [&](int blocks, int rounds) {
      return [=] { straight<instructions><<<blocks, threads>>>(out, rounds, 1.1F, 0.3F, clocks); };
    };
    time(launch(132, 1), true, 132, cold, cold_us);
    time(launch(132, 1), false, 132, hot, hot_us);
    time(launch(132, 21), false, 132, many, many_us);
    double one = 0, one_us = 0;
    time(launch(1, 1), true, 1, one, one_us);
    std::printf("%d,%d,%.0f,%.2f,%.0f,%.2f,%.0f,%.2f,%.3f\n", instructions, threads, cold, cold_us,
                one, one_us, hot, hot_us, (many - hot) / 20 / instructions);
  }
}

}  // namespace

int main() {
  check(cudaMalloc(&others, lines));
  check(cudaMemset(others, 0, lines));
  check(cudaMalloc(&out, 4));
  check(cudaMalloc(&clocks, 132 * sizeof(long long)));
  std::printf(
      "instructions,threads,cold clocks,cold us,one block cold clocks,one block cold us,"
      "warm clocks,warm us,clocks an instruction in a loop\n");
  rows<64>();
  rows<256>();
  rows<512>();
  rows<1024>();
  rows<2048>();
  rows<4096>();
  rows<8192>();
  rows<16384>();
  check(cudaDeviceSynchronize());
}
