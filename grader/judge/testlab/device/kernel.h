// The right kernel, for stages whose mischief is elsewhere.
#pragma once

#include <cstdint>

#include "grader/judge/testlab/testlab.h"

namespace {

__global__ void twice_each(const float* in, float* out, std::int64_t n) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}

void launch(const float* in, float* out, std::int64_t n, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>((n + 255) / 256);
  if (blocks != 0) twice_each<<<blocks, 256, 0, stream>>>(in, out, n);
}

}  // namespace
