// Right: half of the work is done in a stream of its own, between events of the given one.
#include "grader/judge/testlab/device/kernel.h"

void twice(const float* in, float* out, std::int64_t n, gridstride::Scratch, cudaStream_t stream) {
  cudaStream_t further = nullptr;
  cudaEvent_t begun = nullptr, done = nullptr;
  cudaStreamCreateWithFlags(&further, cudaStreamNonBlocking);
  for (cudaEvent_t* event : {&begun, &done})
    cudaEventCreateWithFlags(event, cudaEventDisableTiming);

  cudaEventRecord(begun, stream);
  cudaStreamWaitEvent(further, begun, 0);
  launch(in, out, n / 2, further);
  launch(in + n / 2, out + n / 2, n - n / 2, stream);
  cudaEventRecord(done, further);
  cudaStreamWaitEvent(stream, done, 0);

  for (const cudaEvent_t event : {begun, done}) cudaEventDestroy(event);
  cudaStreamDestroy(further);
}
