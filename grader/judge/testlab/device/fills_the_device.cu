// Takes all of the device's memory while the library is loaded.
#include <cuda_runtime.h>

#include "grader/judge/testlab/testlab.h"

static const bool filled = [] {
  void* memory = nullptr;
  for (std::size_t bytes = std::size_t{1} << 40; bytes > 0; bytes /= 2)
    while (cudaMalloc(&memory, bytes) == cudaSuccess) {
    }
  return true;
}();

void twice(const float*, float*, std::int64_t, gridstride::Scratch, cudaStream_t) { (void)filled; }
