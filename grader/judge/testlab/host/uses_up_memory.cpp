// Host memory without end.
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "grader/judge/testlab/testlab.h"

void twice(const float*, float*, std::int64_t, gridstride::Scratch, cudaStream_t) {
  for (;;) {
    constexpr std::size_t piece = 64u << 20;
    if (void* memory = std::malloc(piece)) std::memset(memory, 1, piece);
  }
}
