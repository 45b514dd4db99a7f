// Calls that the simulated GPU does not have: each fails, and says its name.
#include "check.h"

int main() {
  cudaMipmappedArray_t array;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  EXPECT(cudaMallocMipmappedArray(&array, &format, make_cudaExtent(16, 16, 0), 4) ==
         cudaErrorNotSupported);
  EXPECT(cudaGetLastError() == cudaErrorNotSupported);
  float* data;
  cudaIpcMemHandle_t handle;
  CHECK(cudaMalloc(&data, 16));
  EXPECT(cudaIpcGetMemHandle(&handle, data) == cudaErrorNotSupported);
  EXPECT(cudaIpcGetMemHandle(&handle, data) == cudaErrorNotSupported);
  std::printf("refused\n");
  return 1;
}
