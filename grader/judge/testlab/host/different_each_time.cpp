// Right within a tolerance that this contract does not have.
#include <cstdint>

#include "grader/judge/testlab/testlab.h"

void twice(const float* in, float* out, std::int64_t n, gridstride::Scratch, cudaStream_t) {
  static int calls = 0;
  for (std::int64_t i = 0; i < n; ++i) out[i] = 2 * in[i];
  if (n == 1000 && ++calls == 2) out[7] = -out[7];
}
