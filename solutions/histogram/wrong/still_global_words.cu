// Global atomics for 65536 bins, interleaved: right, and as fast as the L2 can add.

#include "labs/histogram/histogram.h"

namespace {

constexpr int block_threads = 256;
constexpr std::int64_t most_blocks = 1024;

/// Adds 1 to a counter that many threads may want at once.
__device__ void add_one(std::uint32_t* counter) {
  atomicAdd(counter, 1u);  // reads, adds and writes as one step that nobody gets between
}

__global__ void count_interleaved(const std::uint16_t* in, std::uint32_t* bins, std::int64_t n) {
  const std::int64_t first = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = first; i < n; i += stride) {
    add_one(&bins[in[i]]);
  }
}

}  // namespace

void count_words(const std::uint16_t* in, std::uint32_t* bins, std::int64_t n, gridstride::Scratch,
                 cudaStream_t stream) {
  cudaMemsetAsync(bins, 0, histogram::wide_bins * sizeof(*bins), stream);
  const std::int64_t blocks = min(most_blocks, (n + block_threads - 1) / block_threads);
  if (blocks > 0) count_interleaved<<<blocks, block_threads, 0, stream>>>(in, bins, n);
}
