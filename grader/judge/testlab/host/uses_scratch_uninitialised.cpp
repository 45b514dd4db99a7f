// Counts on scratch being zero.
#include <cstdint>
#include <vector>

#include "grader/judge/testlab/host/copies.h"

void twice(const float* in, float* out, std::int64_t n, gridstride::Scratch scratch, cudaStream_t) {
  std::vector<float> values = doubled(fetch(in, n));
  const float first = fetch(static_cast<const float*>(scratch.data), 1).front();
  for (float& value : values) value += first;
  store(out, values);
}
