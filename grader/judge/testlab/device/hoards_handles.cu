// Streams, events and graphs, of which each makes the device remember something.
#include <cuda_runtime.h>

#include "grader/judge/testlab/testlab.h"

__global__ void nothing() {}

void twice(const float*, float*, std::int64_t, gridstride::Scratch, cudaStream_t given) {
  for (;;) {
    cudaStream_t stream = nullptr;
    cudaEvent_t event = nullptr;
    cudaGraph_t graph = nullptr;
    if (cudaStreamCreate(&stream) != cudaSuccess) return;
    if (cudaEventCreate(&event) != cudaSuccess) return;
    if (cudaGraphCreate(&graph, 0) != cudaSuccess) return;
    nothing<<<1, 1, 0, given>>>();
    cudaEventRecord(event, stream);
  }
}
