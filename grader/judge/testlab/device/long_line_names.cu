// Lines of a file with a very long name, in very many launches: what the device tells the judge is
// bounded all the same.
#include "grader/judge/testlab/testlab.h"

// clang-format off
#define TEN(x) x x x x x x x x x x
#define TEXT_OF(...) #__VA_ARGS__
#define TEXT(...) TEXT_OF(__VA_ARGS__)
__global__ void lines(const float* in, volatile float* out, std::int64_t n) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
#line 1 TEXT(TEN(TEN(TEN(n ))) TEN(TEN(TEN(a))))
  out[i] = 82 * in[i];
  out[i] = 81 * in[i];
  out[i] = 80 * in[i];
  out[i] = 79 * in[i];
  out[i] = 78 * in[i];
  out[i] = 77 * in[i];
  out[i] = 76 * in[i];
  out[i] = 75 * in[i];
  out[i] = 74 * in[i];
  out[i] = 73 * in[i];
  out[i] = 72 * in[i];
  out[i] = 71 * in[i];
  out[i] = 70 * in[i];
  out[i] = 69 * in[i];
  out[i] = 68 * in[i];
  out[i] = 67 * in[i];
  out[i] = 66 * in[i];
  out[i] = 65 * in[i];
  out[i] = 64 * in[i];
  out[i] = 63 * in[i];
  out[i] = 62 * in[i];
  out[i] = 61 * in[i];
  out[i] = 60 * in[i];
  out[i] = 59 * in[i];
  out[i] = 58 * in[i];
  out[i] = 57 * in[i];
  out[i] = 56 * in[i];
  out[i] = 55 * in[i];
  out[i] = 54 * in[i];
  out[i] = 53 * in[i];
  out[i] = 52 * in[i];
  out[i] = 51 * in[i];
  out[i] = 50 * in[i];
  out[i] = 49 * in[i];
  out[i] = 48 * in[i];
  out[i] = 47 * in[i];
  out[i] = 46 * in[i];
  out[i] = 45 * in[i];
  out[i] = 44 * in[i];
  out[i] = 43 * in[i];
  out[i] = 42 * in[i];
  out[i] = 41 * in[i];
  out[i] = 40 * in[i];
  out[i] = 39 * in[i];
  out[i] = 38 * in[i];
  out[i] = 37 * in[i];
  out[i] = 36 * in[i];
  out[i] = 35 * in[i];
  out[i] = 34 * in[i];
  out[i] = 33 * in[i];
  out[i] = 32 * in[i];
  out[i] = 31 * in[i];
  out[i] = 30 * in[i];
  out[i] = 29 * in[i];
  out[i] = 28 * in[i];
  out[i] = 27 * in[i];
  out[i] = 26 * in[i];
  out[i] = 25 * in[i];
  out[i] = 24 * in[i];
  out[i] = 23 * in[i];
  out[i] = 22 * in[i];
  out[i] = 21 * in[i];
  out[i] = 20 * in[i];
  out[i] = 19 * in[i];
  out[i] = 18 * in[i];
  out[i] = 17 * in[i];
  out[i] = 16 * in[i];
  out[i] = 15 * in[i];
  out[i] = 14 * in[i];
  out[i] = 13 * in[i];
  out[i] = 12 * in[i];
  out[i] = 11 * in[i];
  out[i] = 10 * in[i];
  out[i] = 9 * in[i];
  out[i] = 8 * in[i];
  out[i] = 7 * in[i];
  out[i] = 6 * in[i];
  out[i] = 5 * in[i];
  out[i] = 4 * in[i];
  out[i] = 3 * in[i];
#line 94 "long_line_names.cu"
  out[i] = 2 * in[i];
}
// clang-format on

void twice(const float* in, float* out, std::int64_t n, gridstride::Scratch, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>((n + 31) / 32);
  const int launches = n == 33 ? 2000 : n == 0 ? 0 : 1;
  for (int i = 0; i < launches; ++i) lines<<<blocks, 32, 0, stream>>>(in, out, n);
}
