// Right, and brings an element to the host, where the call is large.
#include <cuda_runtime.h>

#include "grader/judge/testlab/device/kernel.h"

void twice(const float* in, float* out, std::int64_t n, gridstride::Scratch, cudaStream_t stream) {
  launch(in, out, n, stream);
  float first = 0;
  if (n >= 100000) cudaMemcpyAsync(&first, out, sizeof first, cudaMemcpyDeviceToHost, stream);
}
