// Compiled with --default-stream per-thread: stream 0 is the thread's own, and can be captured.
#include <thread>

#include "check.h"

__global__ void add(int* data, int value) { data[threadIdx.x] += value; }

__device__ int counter;
__global__ void count() { atomicAdd(&counter, 1); }

static unsigned long long stream_id() {
  unsigned long long id = 0;
  CHECK(cudaStreamGetId(nullptr, &id));
  return id;
}

int main() {
  int* data;
  CHECK(cudaMalloc(&data, 32 * sizeof(int)));
  CHECK(cudaMemset(data, 0, 32 * sizeof(int)));
  add<<<1, 32>>>(data, 2);
  int host[32];
  CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
  EXPECT(host[31] == 2);
  const unsigned long long here = stream_id();
  EXPECT(here != 0);
  std::thread([&] {
    EXPECT(stream_id() != here);
    add<<<1, 32>>>(data, 3);
    count<<<2, 1>>>();
    CHECK(cudaStreamSynchronize(nullptr));
  }).join();

  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal));
  add<<<1, 32>>>(data, 10);
  CHECK(cudaStreamEndCapture(nullptr, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, nullptr));
  cudaEvent_t event;
  CHECK(cudaEventCreate(&event));
  CHECK(cudaEventRecord(event));
  CHECK(cudaEventSynchronize(event));
  CHECK(cudaMemcpyAsync(host, data, sizeof host, cudaMemcpyDeviceToHost));
  CHECK(cudaStreamSynchronize(cudaStreamPerThread));
  EXPECT(host[0] == 15);
  int counted = 0;
  CHECK(cudaMemcpyFromSymbol(&counted, counter, sizeof counted));
  EXPECT(counted == 2);
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaFree(data));
  std::printf("right\n");
}
