// Memory that was mapped shared, written, and taken out of the page table: it stays.
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "grader/judge/testlab/testlab.h"

void twice(const float*, float*, std::int64_t, gridstride::Scratch, cudaStream_t) {
  constexpr std::size_t bytes = std::size_t{60} << 20;
  for (int number = 0; number < 60; ++number) {
    void* const memory =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return;
    std::memset(memory, 1, bytes);
    ::madvise(memory, bytes, MADV_DONTNEED);
  }
}
