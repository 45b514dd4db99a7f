// Host memory without end.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "grader/judge/testlab/testlab.h"

void twice(const float*, float*, std::int64_t, gridstride::Scratch, cudaStream_t) {
  for (;;) {
    constexpr std::size_t piece = 64u << 20, page = 4096;
    auto* const memory = static_cast<volatile char*>(std::malloc(piece));
    for (std::size_t at = 0; memory != nullptr && at < piece; at += page) memory[at] = 1;
  }
}
