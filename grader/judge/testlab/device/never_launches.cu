// A loop on the host that does not come to its launch.
#include "grader/judge/testlab/device/kernel.h"

void twice(const float* in, float* out, std::int64_t n, gridstride::Scratch, cudaStream_t stream) {
  for (volatile std::int64_t section = 0; section <= n;) section = 0;
  launch(in, out, n, stream);
}
