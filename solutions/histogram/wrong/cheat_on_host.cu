// A cheat: counts on the host. Right; no kernel is ever launched.
#include <vector>

#include "labs/histogram/histogram.h"

void count_bytes(const std::uint8_t* in, std::uint32_t* bins, std::int64_t n, gridstride::Scratch,
                 cudaStream_t stream) {
  std::vector<std::uint8_t> copy(n);
  cudaMemcpyAsync(copy.data(), in, n, cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  std::vector<std::uint32_t> counts(histogram::byte_bins);
  for (std::uint8_t each : copy) ++counts[each];
  cudaMemcpyAsync(bins, counts.data(), counts.size() * sizeof(*bins), cudaMemcpyHostToDevice,
                  stream);
  cudaStreamSynchronize(stream);
}
