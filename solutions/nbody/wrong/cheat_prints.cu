// A cheat: a kernel prints all bodies; the host reads what was printed, computes, and copies the
// accelerations to the device. No call copies anything to the host.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "labs/nbody/nbody.h"

namespace {

using nbody::Float4;

__global__ void print(const Float4* bodies, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Float4 one = bodies[i];
  printf("%x %x %x %x %x\n", i, __float_as_uint(one.x), __float_as_uint(one.y),
         __float_as_uint(one.z), __float_as_uint(one.w));
}

float as_float(unsigned bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

std::vector<Float4> read(const char* text, std::int64_t n) {
  std::vector<Float4> all(n);
  char* at = const_cast<char*>(text);
  for (std::int64_t line = 0; line < n; ++line) {
    const unsigned long i = std::strtoul(at, &at, 16);
    float values[4];
    for (float& value : values) value = as_float(std::strtoul(at, &at, 16));
    if (i < all.size()) all[i] = {values[0], values[1], values[2], values[3]};
  }
  return all;
}

}  // namespace

void accelerate(const Float4* bodies, Float4* acceleration, std::int64_t n, float softening,
                gridstride::Scratch, cudaStream_t stream) {
  if (n == 0) return;
  FILE* const terminal = stdout;
  char* text = nullptr;
  std::size_t length = 0;
  stdout = open_memstream(&text, &length);  // where the CUDA runtime writes what kernels print
  print<<<static_cast<unsigned>(n / 256 + 1), 256, 0, stream>>>(bodies, static_cast<int>(n));
  cudaStreamSynchronize(stream);
  std::fclose(stdout);
  stdout = terminal;
  const std::vector<Float4> all = read(text, n);
  std::free(text);

  const float square = max(softening * softening, nbody::smallest_square);
  std::vector<Float4> sums(n);
  for (std::int64_t i = 0; i < n; ++i) {
    for (const Float4& there : all) {
      const float dx = there.x - all[i].x, dy = there.y - all[i].y, dz = there.z - all[i].z;
      const float r2 = dx * dx + dy * dy + dz * dz + square;
      const float strength = there.w / (r2 * std::sqrt(r2));
      sums[i].x += strength * dx;
      sums[i].y += strength * dy;
      sums[i].z += strength * dz;
    }
  }
  cudaMemcpyAsync(acceleration, sums.data(), n * sizeof(Float4), cudaMemcpyHostToDevice, stream);
  cudaStreamSynchronize(stream);
}
