// An exception that nobody catches.
#include <cstdint>
#include <stdexcept>

#include "grader/judge/testlab/testlab.h"

void twice(const float*, float*, std::int64_t, gridstride::Scratch, cudaStream_t) {
  throw std::runtime_error("no idea\x1b[31m how");
}
