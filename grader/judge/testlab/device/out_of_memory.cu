// Asks for more than any device has.
#include <cuda_runtime.h>

#include "grader/judge/testlab/testlab.h"

void twice(const float*, float*, std::int64_t, gridstride::Scratch, cudaStream_t) {
  void* memory = nullptr;
  cudaMalloc(&memory, std::size_t{1} << 45);
}
