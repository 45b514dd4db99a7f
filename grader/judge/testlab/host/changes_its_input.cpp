// Doubles in place first.
#include <cstdint>

#include "grader/judge/testlab/testlab.h"

void twice(const float* in, float* out, std::int64_t n, gridstride::Scratch, cudaStream_t) {
  float* work = const_cast<float*>(in);
  for (std::int64_t i = 0; i < n; ++i) out[i] = work[i] = 2 * work[i];
}
