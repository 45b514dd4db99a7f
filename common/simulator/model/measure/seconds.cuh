// What the programs here share: a check of every call, and the time of a launch.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

/// Ends the program when a call failed.
inline void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
  std::exit(1);
}

/// Median seconds of `n` launches, by events, after one that is not timed.
template <class Launch>
double seconds(Launch launch, int n = 9) {
  cudaEvent_t start, stop;
  check(cudaEventCreate(&start));
  check(cudaEventCreate(&stop));
  launch();
  std::vector<float> times(n);
  for (float& time : times) {
    check(cudaEventRecord(start));
    launch();
    check(cudaEventRecord(stop));
    check(cudaEventSynchronize(stop));
    check(cudaEventElapsedTime(&time, start, stop));
  }
  check(cudaEventDestroy(start));
  check(cudaEventDestroy(stop));
  std::nth_element(times.begin(), times.begin() + n / 2, times.end());
  return times[n / 2] * 1e-3;
}
