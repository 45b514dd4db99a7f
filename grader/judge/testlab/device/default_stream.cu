// Clears its output in the default stream, which waits for nothing in the stream that it is given.
#include "grader/judge/testlab/device/kernel.h"

void twice(const float* in, float* out, std::int64_t n, gridstride::Scratch, cudaStream_t stream) {
  cudaMemset(out, 0, static_cast<std::size_t>(n) * sizeof(float));
  launch(in, out, n, stream);
}
