// Writes past the end of memory that the stage itself has allocated.
#include "grader/judge/testlab/testlab.h"

__global__ void twice_each(const float* in, float* out, float* copy, std::int64_t n) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) out[i] = copy[i] = 2 * in[i];
}

static float* allocated(std::int64_t n) {
  float* copy = nullptr;
  cudaMalloc(&copy, static_cast<std::size_t>(n) * 2);
  return copy;
}

void twice(const float* in, float* out, std::int64_t n, gridstride::Scratch, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>((n + 255) / 256);
  if (blocks == 0) return;
  float* copy = allocated(n);
  twice_each<<<blocks, 256, 0, stream>>>(in, out, copy, n);
  cudaFree(copy);
}
