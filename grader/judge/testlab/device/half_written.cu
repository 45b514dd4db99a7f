// Runs, and is not done: a TODO is left, and the compiler has something to say.
#include "grader/judge/testlab/testlab.h"

__global__ void twice_each(const float* in, float* out, std::int64_t n) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const int factor = 2;
  if (i < n) out[i] = in[i];
  // TODO(1): multiply by two.
  // TODO(1) end
}

void twice(const float* in, float* out, std::int64_t n, gridstride::Scratch, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>((n + 255) / 256);
  if (blocks != 0) twice_each<<<blocks, 256, 0, stream>>>(in, out, n);
}
