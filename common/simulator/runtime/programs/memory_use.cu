// Touches each byte of what it allocates, in the way that ACCESS in the environment names, and
// holds no memory of its own on the host: what the simulated GPU takes for it can be seen from
// outside.
#include <cstdint>
#include <cstring>

#include "check.h"

namespace {

constexpr unsigned block = 256;

__global__ void add(const float* a, const float* b, float* sum) {
  const unsigned i = blockIdx.x * block + threadIdx.x;
  sum[i] = a[i] + b[i];
}

/// Each element is read by three threads, two of which may be of other blocks.
__global__ void smooth(const float* in, float* out, unsigned n) {
  const unsigned i = blockIdx.x * block + threadIdx.x;
  const float left = i > 0 ? in[i - 1] : 0, right = i + 1 < n ? in[i + 1] : 0;
  out[i] = (left + in[i] + right) / 3;
}

/// Single bytes, the dearest there are to the race checker.
__global__ void invert(const std::uint8_t* in, std::uint8_t* out) {
  const unsigned i = blockIdx.x * block + threadIdx.x;
  out[i] = static_cast<std::uint8_t>(~in[i]);
}

/// Neighbouring words are accessed by threads far apart.
__global__ void scatter(const float* in, float* out, unsigned n) {
  const unsigned i = blockIdx.x * block + threadIdx.x;
  out[i * 40503u % n] = in[i * 2654435761u % n];
}

template <class T>
T* allocate(std::size_t n) {
  T* p = nullptr;
  CHECK(cudaMalloc(&p, n * sizeof(T)));
  CHECK(cudaMemset(p, 0, n * sizeof(T)));
  return p;
}

}  // namespace

int main() {
  const char* const access = std::getenv("ACCESS");
  EXPECT(access != nullptr);
  constexpr unsigned n = 4 << 20;  // a power of two: odd factors modulo n are permutations
  if (std::strcmp(access, "add") == 0) {
    const float* const b = allocate<float>(n);
    add<<<n / block, block>>>(allocate<float>(n), b, allocate<float>(n));
  } else if (std::strcmp(access, "smooth") == 0) {
    smooth<<<n / block, block>>>(allocate<float>(n), allocate<float>(n), n);
  } else if (std::strcmp(access, "bytes") == 0) {
    const std::uint8_t* const in = allocate<std::uint8_t>(4 * n);
    invert<<<4 * n / block, block>>>(in, allocate<std::uint8_t>(4 * n));
  } else if (std::strcmp(access, "scattered") == 0) {
    scatter<<<n / block, block>>>(allocate<float>(n), allocate<float>(n), n);
  }
  CHECK(cudaDeviceSynchronize());
  std::size_t free = 0, total = 0;
  CHECK(cudaMemGetInfo(&free, &total));
  std::printf("%zu\n", (total - free) >> 20);
}
