// Memory that the host frees twice, and memory that it never frees. Built with debug information, so
// that messages name the lines of the calls.
#include "check.h"

int main() {
  int *freed, *kept;
  CHECK(cudaMalloc(&freed, 400));
  CHECK(cudaMalloc(&kept, 800));
  CHECK(cudaFree(freed));
  EXPECT(cudaFree(freed) == cudaErrorInvalidValue);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(cudaMemset(kept, 0, 800));
  std::printf("done\n");
}
