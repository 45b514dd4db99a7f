// Blocks of more threads than there can be, and nobody asks whether the launch succeeded.
#include "grader/judge/testlab/testlab.h"

__global__ void twice_each(const float* in, float* out, std::int64_t n) {
  const std::int64_t i = threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}

void twice(const float* in, float* out, std::int64_t n, gridstride::Scratch, cudaStream_t stream) {
  twice_each<<<1, 4096, 0, stream>>>(in, out, n);
}
