// Right, with a header that may be used and itself includes some that may not.
#include <cooperative_groups.h>

#include "grader/judge/testlab/testlab.h"

__global__ void twice_together(const float* in, float* out, std::int64_t n) {
  const auto i = static_cast<std::int64_t>(cooperative_groups::this_grid().thread_rank());
  if (i < n) out[i] = 2 * in[i];
}

void twice(const float* in, float* out, std::int64_t n, gridstride::Scratch, cudaStream_t stream) {
  if (n == 0) return;
  twice_together<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(in, out, n);
}
