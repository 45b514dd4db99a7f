// Each thread prints a long line, and nothing is computed.
#include <cstdio>

#include "grader/judge/testlab/testlab.h"

__global__ void prints() {
  printf(
      "line %d is longer than it need be, longer than a terminal is wide, and longer than anybody "
      "reads\n",
      static_cast<int>(threadIdx.x));
}

void twice(const float*, float* out, std::int64_t, gridstride::Scratch, cudaStream_t stream) {
  prints<<<1, 64, 0, stream>>>();
  cudaMemsetAsync(out, 0, sizeof *out, stream);
}
