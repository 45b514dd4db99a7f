// Right, on values that are input and output.
#include "grader/judge/testlab/testlab.h"

__global__ void twice_each(float* values, std::int64_t n) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) values[i] *= 2;
}

void twice_in_place(float* values, std::int64_t n, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>((n + 255) / 256);
  if (blocks != 0) twice_each<<<blocks, 256, 0, stream>>>(values, n);
}
