// Each element holds its right neighbour's result.
#include <cstdint>

#include "grader/judge/testlab/testlab.h"

void twice(const float* in, float* out, std::int64_t n, gridstride::Scratch, cudaStream_t) {
  for (std::int64_t i = 0; i < n; ++i) out[i] = 2 * in[i + 1 < n ? i + 1 : i];
}
