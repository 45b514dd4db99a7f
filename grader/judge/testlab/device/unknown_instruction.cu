// PTX that no simulator knows; nvcc does not look at it.
#include "grader/judge/testlab/testlab.h"

__global__ void frobnicate(const float* in, float* out, std::int64_t n) {
  if (threadIdx.x == 0) asm volatile("frobnicate.sync.aligned.u32 0;");
  if (threadIdx.x < n) out[threadIdx.x] = 2 * in[threadIdx.x];
}

void twice(const float* in, float* out, std::int64_t n, gridstride::Scratch, cudaStream_t stream) {
  frobnicate<<<1, 256, 0, stream>>>(in, out, n);
}
