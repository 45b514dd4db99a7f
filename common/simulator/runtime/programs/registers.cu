// How many registers a thread takes, which blocks fit, and what becomes of one that does not. Built
// twice: with machine code beside the PTX, where a thread takes what ptxas says, and without, where
// that is estimated.
#include "check.h"
#include "common/simulator/fatbin/testdata/weigh.h"

/// All values are needed at once, by PTX and on hardware.
__global__ void mix(float* data, int rounds) {
  float values[96];
#pragma unroll
  for (int i = 0; i < 96; ++i) values[i] = data[i];
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int i = 0; i < 96; ++i) values[i] = values[i] * values[(i + 1) % 96] + 1.0f;
  }
#pragma unroll
  for (int i = 0; i < 96; ++i) data[i] = values[i];
}

#ifdef WITH_MACHINE_CODE
constexpr bool compiled = true;
#else
constexpr bool compiled = false;
#endif

int main() {
  float* data = nullptr;
  CHECK(cudaMalloc(&data, 96 * sizeof(float)));
  CHECK(cudaMemset(data, 0, 96 * sizeof(float)));

  cudaFuncAttributes attributes{};
  CHECK(cudaFuncGetAttributes(&attributes, weigh));
  EXPECT(compiled ? attributes.numRegs < 32 : attributes.numRegs > 64);
  EXPECT(attributes.maxThreadsPerBlock == 1024);

  CHECK(cudaFuncGetAttributes(&attributes, mix));
  EXPECT(attributes.numRegs > 96);
  // More than 65536 registers in a block: no launch is refused for what is only estimated.
  EXPECT(compiled ? attributes.maxThreadsPerBlock < 1024 : attributes.maxThreadsPerBlock == 1024);
  int blocks = 0;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, mix, 1024, 0));
  EXPECT(blocks == (compiled ? 0 : 1));
  mix<<<1, 1024>>>(data, 0);
  EXPECT(cudaGetLastError() == (compiled ? cudaErrorLaunchOutOfResources : cudaSuccess));
  mix<<<1, static_cast<unsigned>(attributes.maxThreadsPerBlock)>>>(data, 0);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(data));
  std::printf("right\n");
}
