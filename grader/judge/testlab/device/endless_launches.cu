// Never ends: each grid launches the next one. Relocatable device code.
#include "grader/judge/testlab/testlab.h"

__global__ void launch_again(float* out) {
  out[0] = 1;
  launch_again<<<1, 1, 0, cudaStreamTailLaunch>>>(out);
}

void twice(const float*, float* out, std::int64_t n, gridstride::Scratch, cudaStream_t stream) {
  if (n != 0) launch_again<<<1, 1, 0, stream>>>(out);
}
