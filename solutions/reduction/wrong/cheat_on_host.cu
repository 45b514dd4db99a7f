// A cheat: computes on the host. Right and deterministic; no kernel is ever launched.
#include <vector>

#include "labs/reduction/reduction.h"

void reduce_sum(const float* in, float* out, std::int64_t n, gridstride::Scratch,
                cudaStream_t stream) {
  std::vector<float> copy(n);
  cudaMemcpyAsync(copy.data(), in, n * sizeof(float), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  double sum = 0;
  for (float each : copy) sum += each;
  const float result = static_cast<float>(sum);
  cudaMemcpyAsync(out, &result, sizeof(float), cudaMemcpyHostToDevice, stream);
  cudaStreamSynchronize(stream);
}
