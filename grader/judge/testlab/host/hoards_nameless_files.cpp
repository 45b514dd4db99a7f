// Memory in files without a name, which no process has mapped.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "grader/judge/testlab/testlab.h"

void twice(const float*, float*, std::int64_t, gridstride::Scratch, cudaStream_t) {
  const std::vector<char> bytes(std::size_t{60} << 20, 'x');
  for (int number = 0; number < 60; ++number) {
    const int file = ::memfd_create("hoard", 0);
    if (file < 0) throw std::runtime_error("no file without a name");
    (void)!::write(file, bytes.data(), bytes.size());
  }
}
