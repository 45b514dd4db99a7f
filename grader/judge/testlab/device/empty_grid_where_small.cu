// Right but for calls of less than a warp, for which it launches no block: that a launch was refused, in three
// cases one after the other.
#include "grader/judge/testlab/testlab.h"

__global__ void twice_each(const float* in, float* out, std::int64_t n) {
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
    out[i] = 2 * in[i];
}

void twice(const float* in, float* out, std::int64_t n, gridstride::Scratch, cudaStream_t stream) {
  twice_each<<<static_cast<unsigned>(n / 32), 32, 0, stream>>>(in, out, n);
}
