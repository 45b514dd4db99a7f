// One block does everything.
#include "grader/judge/testlab/testlab.h"

__global__ void twice_each(const float* in, float* out, std::int64_t n) {
  for (std::int64_t i = threadIdx.x; i < n; i += blockDim.x) out[i] = 2 * in[i];
}

void twice(const float* in, float* out, std::int64_t n, gridstride::Scratch, cudaStream_t stream) {
  twice_each<<<1, 32, 0, stream>>>(in, out, n);
}
