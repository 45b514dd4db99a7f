// All of the device's memory, written, in pieces.
#include <cuda_runtime.h>

#include <cstddef>

#include "grader/judge/testlab/testlab.h"

void twice(const float*, float*, std::int64_t, gridstride::Scratch, cudaStream_t stream) {
  constexpr std::size_t piece = std::size_t{256} << 20;
  void* memory = nullptr;
  while (cudaMalloc(&memory, piece) == cudaSuccess) cudaMemsetAsync(memory, 1, piece, stream);
}
