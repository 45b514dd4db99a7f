// Kernels whose loops never end: one as a slip makes it, and one that asks the clock, of which nobody can
// know. Both are stopped, and the program told so.
#include <cstdlib>

#include "check.h"

namespace {

__global__ void count_up(int* x, int n) {
  const unsigned i = threadIdx.x;
  while (x[i] < n) {
    if (x[i] > 5) x[i] = 0;
    x[i] += 1;
  }
}

__global__ void wait_for(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

}  // namespace

int main() {
  int* x = nullptr;
  CHECK(cudaMalloc(&x, 64 * sizeof *x));
  CHECK(cudaMemset(x, 0, 64 * sizeof *x));
  if (std::getenv("ASK_THE_CLOCK") != nullptr)
    wait_for<<<2, 32>>>(1LL << 60);
  else
    count_up<<<2, 32>>>(x, 100);
  EXPECT(cudaDeviceSynchronize() == cudaErrorLaunchTimeout);
  std::puts("right");
}
