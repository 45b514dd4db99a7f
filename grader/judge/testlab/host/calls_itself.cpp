// Uses up the stack of the host.
#include <cstdint>

#include "grader/judge/testlab/testlab.h"

namespace {

int deeper(volatile int* above) {
  volatile int here[1024];
  here[0] = *above + 1;
  return here[0] < 0 ? 0 : deeper(here) + here[0];
}

}  // namespace

void twice(const float*, float*, std::int64_t, gridstride::Scratch, cudaStream_t) {
  volatile int first = 0;
  first = deeper(&first);
}
