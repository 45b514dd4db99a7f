// Right, and writes files as long as it may.
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <ios>
#include <string>
#include <vector>

#include "grader/judge/testlab/testlab.h"

void twice(const float* in, float* out, std::int64_t n, gridstride::Scratch, cudaStream_t) {
  const std::vector<char> bytes(1 << 20, 'x');
  const std::string folder = std::getenv("TMPDIR");
  for (int number = 0;; ++number) {
    std::ofstream file(folder + "/" + std::to_string(number), std::ios::binary);
    if (!file.write(bytes.data(), static_cast<std::streamsize>(bytes.size())).flush()) break;
  }
  for (std::int64_t i = 0; i < n; ++i) out[i] = 2 * in[i];
}
