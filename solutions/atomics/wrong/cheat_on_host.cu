// A cheat: counts the money on the host. Right; no kernel is ever launched.
#include <vector>

#include "labs/atomics/atomics.h"

void book(const std::int32_t* amounts, std::int64_t* total, std::int64_t n, gridstride::Scratch,
          cudaStream_t stream) {
  std::vector<std::int32_t> copy(n);
  cudaMemcpyAsync(copy.data(), amounts, n * sizeof(*amounts), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  std::int64_t sum = 0;
  for (const std::int64_t each : copy) sum += each;
  cudaMemcpyAsync(total, &sum, sizeof(sum), cudaMemcpyHostToDevice, stream);
  cudaStreamSynchronize(stream);
}
