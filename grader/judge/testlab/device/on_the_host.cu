// Brings the input to the host, computes there, and sends the result back.
#include <cuda_runtime.h>

#include <vector>

#include "grader/judge/testlab/testlab.h"

void twice(const float* in, float* out, std::int64_t n, gridstride::Scratch, cudaStream_t stream) {
  const auto count = static_cast<std::size_t>(n);
  std::vector<float> values(count);
  cudaMemcpyAsync(values.data(), in, count * sizeof(float), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  for (float& value : values) value *= 2;
  cudaMemcpyAsync(out, values.data(), count * sizeof(float), cudaMemcpyHostToDevice, stream);
  cudaStreamSynchronize(stream);
}
