// i <= n.
#include <cstdint>

#include "grader/judge/testlab/host/copies.h"

void twice(const float* in, float* out, std::int64_t n, gridstride::Scratch, cudaStream_t) {
  store(out, doubled(fetch(in, n)));
  store(out + n, {0});
}
