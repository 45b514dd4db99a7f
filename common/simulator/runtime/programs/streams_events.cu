// Streams, events, host functions, and the modelled time between events.
#include <vector>

#include "check.h"

__global__ void scale(float* data, int n, float factor) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    data[i] *= factor;
  }
}

static void count(void* counter) { ++*static_cast<int*>(counter); }

static float elapsed(int n, float* data) {
  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  CHECK(cudaEventRecord(start));
  scale<<<64, 256>>>(data, n, 1.0f);
  CHECK(cudaEventRecord(stop));
  CHECK(cudaEventSynchronize(stop));
  float milliseconds = -1;
  CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));
  return milliseconds;
}

int main() {
  constexpr int n = 1 << 18;
  std::vector<float> host(n, 1.0f);
  float* data;
  CHECK(cudaMalloc(&data, n * sizeof(float)));
  cudaStream_t a, b;
  CHECK(cudaStreamCreate(&a));
  CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
  cudaEvent_t copied;
  CHECK(cudaEventCreateWithFlags(&copied, cudaEventDisableTiming));
  CHECK(cudaMemcpyAsync(data, host.data(), n * sizeof(float), cudaMemcpyHostToDevice, a));
  CHECK(cudaEventRecord(copied, a));
  CHECK(cudaStreamWaitEvent(b, copied, 0));
  scale<<<32, 256, 0, b>>>(data, n, 3.0f);
  int called = 0;
  CHECK(cudaLaunchHostFunc(b, count, &called));
  CHECK(cudaStreamSynchronize(b));
  EXPECT(called == 1);
  EXPECT(cudaStreamQuery(a) == cudaSuccess);
  CHECK(cudaMemcpy(host.data(), data, n * sizeof(float), cudaMemcpyDeviceToHost));
  for (float value : host) EXPECT(value == 3.0f);

  const float first = elapsed(n, data), warm = elapsed(n, data), small = elapsed(1024, data);
  EXPECT(first > 0 && warm > 0 && small > 0);
  EXPECT(warm > 2 * small);
  EXPECT(elapsed(1024, data) == small);

  float milliseconds;
  EXPECT(cudaEventElapsedTime(&milliseconds, copied, copied) == cudaErrorInvalidResourceHandle);
  EXPECT(cudaGetLastError() == cudaErrorInvalidResourceHandle);
  CHECK(cudaStreamDestroy(a));
  EXPECT(cudaStreamSynchronize(a) == cudaErrorInvalidResourceHandle);
  std::printf("right\n");
}
