// An index that goes below zero.
#include <cstdint>

#include "grader/judge/testlab/testlab.h"

void twice(const float* in, float* out, std::int64_t n, gridstride::Scratch, cudaStream_t) {
  for (std::int64_t i = n; i-- > 0;) out[i] = 2 * in[i];
  out[-1] = 0;
}
