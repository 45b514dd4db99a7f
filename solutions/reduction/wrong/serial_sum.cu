// One running total: right within rounding for a thousand elements, and so imprecise for millions
// that the error bound, which a tree keeps easily, is left behind. Also as slow as it looks.
#include "labs/reduction/reduction.h"

namespace {

__global__ void sum_all(const float* in, float* out, std::int64_t n) {
  float sum = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += in[i];
  *out = sum;
}

}  // namespace

void reduce_sum(const float* in, float* out, std::int64_t n, gridstride::Scratch,
                cudaStream_t stream) {
  sum_all<<<1, 1, 0, stream>>>(in, out, n);
}
