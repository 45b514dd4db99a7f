// Right, but neighbouring lanes write far apart.
#include "grader/judge/testlab/testlab.h"

__global__ void twice_each(const float* in, float* out, std::int64_t n, std::int64_t threads) {
  const std::int64_t thread = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t each = (n + threads - 1) / threads;
  for (std::int64_t i = thread * each; i < (thread + 1) * each && i < n; ++i) out[i] = 2 * in[i];
}

void twice(const float* in, float* out, std::int64_t n, gridstride::Scratch, cudaStream_t stream) {
  twice_each<<<64, 128, 0, stream>>>(in, out, n, 64 * 128);
}
