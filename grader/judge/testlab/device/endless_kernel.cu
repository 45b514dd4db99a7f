// A thread that never gets what it waits for.
#include "grader/judge/testlab/testlab.h"

__global__ void wait_for_ever(const float* in, float* out, std::int64_t n) {
  while (*static_cast<volatile const float*>(in) != 0) {
  }
  if (n > 0) out[0] = 2;
}

void twice(const float* in, float* out, std::int64_t n, gridstride::Scratch, cudaStream_t stream) {
  if (n > 0) wait_for_ever<<<1, 32, 0, stream>>>(in, out, n);
}
