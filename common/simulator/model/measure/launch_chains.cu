// Measures, on a real GPU, kernels that follow one another in a stream: what each further launch adds,
// by the size of the grid and what a thread does, when the GPU has all launches before it begins, and
// when the host makes them meanwhile. Prints CSV: microseconds for each further launch.
//
//     nvcc -O3 -arch=sm_90 -o launch_chains launch_chains.cu && ./launch_chains
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "seconds.cuh"

namespace {

__global__ void wait(long long clocks) {
  const long long begin = clock64();
  while (clock64() - begin < clocks) {
  }
}

__global__ void empty() {}

/// A chain of `n` multiplications and additions.
__global__ void compute(int n, float* out) {
  float v = threadIdx.x;
  for (int i = 0; i < n; ++i) v = fmaf(v, 0.5F, 1);
  if (v == 12345) *out = v;
}

/// Reads and writes one word a thread.
__global__ void add(float* all) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  all[i] += 1;
}

template <class Launch>
double median(Launch launch, int n, bool waits) {
  cudaEvent_t start, stop;
  check(cudaEventCreate(&start));
  check(cudaEventCreate(&stop));
  std::vector<float> times(9);
  for (float& time : times) {
    if (waits) wait<<<1, 1>>>(4'000'000);
    check(cudaEventRecord(start));
    for (int k = 0; k < n; ++k) launch();
    check(cudaEventRecord(stop));
    check(cudaEventSynchronize(stop));
    check(cudaEventElapsedTime(&time, start, stop));
  }
  std::nth_element(times.begin(), times.begin() + 4, times.end());
  return times[4] * 1e3;
}

template <class Launch>
void row(const char* kernel, int blocks, int threads, Launch launch) {
  launch();
  for (const bool waits : {true, false}) {
    double at[6];
    const int n[6] = {1, 2, 4, 16, 64, 128};
    for (int k = 0; k < 6; ++k) at[k] = median(launch, n[k], waits);
    std::printf("%s,%d,%d,%s,%.2f,%.2f,%.2f,%.2f,%.2f\n", kernel, blocks, threads,
                waits ? "before" : "meanwhile", at[0], at[1] - at[0], (at[2] - at[1]) / 2,
                (at[3] - at[2]) / 12, (at[5] - at[4]) / 64);
  }
}

}  // namespace

int main() {
  float* all;
  check(cudaMalloc(&all, sizeof(float) << 22));
  std::printf("kernel,blocks,threads,launched,first,second,3 to 4,5 to 16,65 to 128\n");
  for (const int blocks : {1, 8, 132, 1056, 4224, 16896}) {
    row("empty", blocks, 128, [&] { empty<<<blocks, 128>>>(); });
  }
  row("empty", 132, 1024, [&] { empty<<<132, 1024>>>(); });
  for (const int n : {64, 256, 1024, 4096}) {
    for (const int blocks : {1, 132, 1056}) {
      char name[32];
      std::snprintf(name, sizeof name, "%d sums", n);
      row(name, blocks, 128, [&] { compute<<<blocks, 128>>>(n, all); });
    }
  }
  for (const int blocks : {1, 32, 132, 1056, 4224, 16384}) {
    row("add", blocks, 256, [&] { add<<<blocks, 256>>>(all); });
  }
  check(cudaDeviceSynchronize());
}
