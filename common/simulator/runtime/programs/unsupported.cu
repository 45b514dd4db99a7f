// Calls that the simulated GPU does not have: each fails, and says its name.
#include "check.h"

int main() {
  cudaArray_t array;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  EXPECT(cudaMallocArray(&array, &format, 16, 16) == cudaErrorNotSupported);
  EXPECT(cudaGetLastError() == cudaErrorNotSupported);
  float* managed;
  EXPECT(cudaMallocManaged(&managed, 16) == cudaErrorNotSupported);
  EXPECT(cudaMallocManaged(&managed, 16) == cudaErrorNotSupported);
  std::printf("refused\n");
  return 1;
}
