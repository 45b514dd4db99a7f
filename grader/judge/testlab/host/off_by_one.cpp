// Each element holds its right neighbour's result.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "grader/judge/testlab/host/copies.h"

void twice(const float* in, float* out, std::int64_t n, gridstride::Scratch, cudaStream_t) {
  std::vector<float> values = doubled(fetch(in, n));
  for (std::size_t i = 0; i + 1 < values.size(); ++i) values[i] = values[i + 1];
  store(out, values);
}
