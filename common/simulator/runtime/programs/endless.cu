// A kernel whose loop never ends, as a slip makes it: it is stopped, and the program told so.
#include "check.h"

namespace {

__global__ void count_up(int* x, int n) {
  const unsigned i = threadIdx.x;
  while (x[i] < n) {
    if (x[i] > 5) x[i] = 0;
    x[i] += 1;
  }
}

}  // namespace

int main() {
  int* x = nullptr;
  CHECK(cudaMalloc(&x, 64 * sizeof *x));
  CHECK(cudaMemset(x, 0, 64 * sizeof *x));
  count_up<<<2, 32>>>(x, 100);
  EXPECT(cudaDeviceSynchronize() == cudaErrorLaunchTimeout);
  std::puts("right");
}
