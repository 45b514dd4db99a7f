// A mistake in arithmetic: one thread, one running total. Right in whole numbers, but each
// element's value goes through up to n additions, far more than the contract allows for.
#include "labs/scan/scan.h"
#include "labs/scan/sections.cuh"

namespace {

__global__ void scan_all(const float* in, float* out, std::int64_t n) {
  float sum = 0.0f;
  for (std::int64_t i = 0; i < n; ++i) {
    out[i] = sum;
    sum += in[i];
  }
}

}  // namespace

void exclusive_scan(const float* in, float* out, std::int64_t n, gridstride::Scratch,
                    cudaStream_t stream) {
  if (n > 0) scan_all<<<1, 1, 0, stream>>>(in, out, n);
}
