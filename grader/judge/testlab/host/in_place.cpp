// Right, on values that are input and output.
#include <cstdint>

#include "grader/judge/testlab/testlab.h"

void twice_in_place(float* values, std::int64_t n, cudaStream_t) {
  for (std::int64_t i = 0; i < n; ++i) values[i] *= 2;
}
