// Writes where there is nothing.
#include "grader/judge/testlab/testlab.h"

__global__ void far_away(float* out) { out[std::int64_t{1} << 40] = 1; }

void twice(const float*, float* out, std::int64_t, gridstride::Scratch, cudaStream_t stream) {
  far_away<<<1, 1, 0, stream>>>(out);
}
