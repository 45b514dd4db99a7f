// Prints, and asserts what is not so.
#include <cassert>
#include <cstdio>

#include "grader/judge/testlab/testlab.h"

__global__ void asserts(const float* in, std::int64_t n) {
  if (threadIdx.x == 0) printf("before the assertion\n");
  assert(in[0] * n < 1);
}

void twice(const float* in, float*, std::int64_t n, gridstride::Scratch, cudaStream_t stream) {
  if (n > 0) asserts<<<1, 32, 0, stream>>>(in, n);
}
