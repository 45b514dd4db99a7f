// Stage 1, interleaved: neighbouring threads read neighbouring bytes.
//
// Thread t takes the elements t, t + threads, t + 2 * threads, …, so that a warp reads 32 bytes in
// a row with each load: one or two sectors instead of 32. The additions are the same, and in the
// same place.

#include "labs/histogram/histogram.h"

namespace {

constexpr int block_threads = 256;
constexpr std::int64_t most_blocks = 1024;

/// The bin of a lower-case letter; letter_bins for everything else.
__device__ unsigned letter_bin(std::uint8_t c) {
  return c >= 'a' && c <= 'z' ? (c - 'a') / 4u : unsigned{histogram::letter_bins};
}

/// Adds 1 to a counter that many threads may want at once.
__device__ void add_one(std::uint32_t* counter) {
  // TODO(1): add 1 so that no other thread's addition is lost.
  //   `*counter = *counter + 1` reads, adds and writes. What remains of two threads that read
  //   before either has written?
  // TODO(1) end
}

__global__ void count_interleaved(const std::uint8_t* text, std::uint32_t* bins, std::int64_t n) {
  // TODO(2): which element does this thread take first, and how far is it to its next one?
  //   In each round of the loop the lanes of a warp must read neighbouring bytes, and all threads
  //   of the grid together must take each element once.
  const std::int64_t first = n;
  const std::int64_t stride = 1;
  // TODO(2) end
  for (std::int64_t i = first; i < n; i += stride) {
    const unsigned bin = letter_bin(text[i]);
    if (bin < histogram::letter_bins) add_one(&bins[bin]);
  }
}

}  // namespace

void count_letters(const std::uint8_t* text, std::uint32_t* bins, std::int64_t n,
                   gridstride::Scratch, cudaStream_t stream) {
  // TODO(3): the counters hold anything when the call begins. Which stream must clear them?
  // TODO(3) end
  const std::int64_t blocks = min(most_blocks, (n + block_threads - 1) / block_threads);
  if (blocks > 0) count_interleaved<<<blocks, block_threads, 0, stream>>>(text, bins, n);
}
