// A kernel that prints without end, into the largest buffer that it gets.
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdio>

#include "grader/judge/testlab/testlab.h"

__global__ void prints() {
  for (;;) printf("all work and no play makes the grader a dull program %d\n", threadIdx.x);
}

void twice(const float*, float*, std::int64_t, gridstride::Scratch, cudaStream_t stream) {
  cudaDeviceSetLimit(cudaLimitPrintfFifoSize, std::size_t{1} << 40);
  prints<<<64, 256, 0, stream>>>();
}
