// Stops when blocks come in another order than theirs, and is wrong from a process's seventh call
// on: what comes of a case depends on when its runner was started.
#include "grader/judge/testlab/testlab.h"

__global__ void twice_each(const float* in, float* out, std::int64_t n, unsigned* arrived,
                           float factor) {
  if (threadIdx.x == 0 && atomicAdd(arrived, 1u) != blockIdx.x) __trap();
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) out[i] = factor * in[i];
}

void twice(const float* in, float* out, std::int64_t n, gridstride::Scratch scratch,
           cudaStream_t stream) {
  static int calls = 0;
  const float factor = ++calls < 7 ? 2 : 3;
  const auto blocks = static_cast<unsigned>((n + 255) / 256);
  auto* const arrived = static_cast<unsigned*>(scratch.data);
  cudaMemsetAsync(arrived, 0, sizeof *arrived, stream);
  if (blocks != 0) twice_each<<<blocks, 256, 0, stream>>>(in, out, n, arrived, factor);
}
