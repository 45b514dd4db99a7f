// A cheat: the host sorts, faster than the baseline, and no kernel is launched. The model does not
// charge for the host's work.
#include <algorithm>
#include <vector>

#include "labs/quicksort-cdp/quicksort-cdp.h"

void quicksort(const std::int32_t* in, std::int32_t* out, std::int64_t n, gridstride::Scratch,
               cudaStream_t stream) {
  const std::size_t bytes = static_cast<std::size_t>(n) * sizeof *in;
  std::vector<std::int32_t> keys(static_cast<std::size_t>(n));
  cudaMemcpyAsync(keys.data(), in, bytes, cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  std::sort(keys.begin(), keys.end());
  cudaMemcpyAsync(out, keys.data(), bytes, cudaMemcpyHostToDevice, stream);
  cudaStreamSynchronize(stream);
}
