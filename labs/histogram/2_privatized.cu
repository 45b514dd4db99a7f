// Stage 2, a private table for each block: most additions happen in shared memory.
//
// Counting is associative and commutative, so each block may count its elements for itself and add
// its counts to the result at the end: one global atomic for each block and bin, not one for each
// element. Clear, barrier, count, barrier, merge.

#include "labs/histogram/histogram.h"

namespace {

constexpr int block_threads = 256;
constexpr std::int64_t most_blocks = 1024;

/// The bin of a lower-case letter; letter_bins for everything else.
__device__ unsigned letter_bin(std::uint8_t c) {
  return c >= 'a' && c <= 'z' ? (c - 'a') / 4u : unsigned{histogram::letter_bins};
}

/// Sets the block's table to 0. Every thread must call it.
__device__ void clear(std::uint32_t* counts) {
  // TODO(1): shared memory holds anything when a block starts.
  // TODO(1) end
}

__global__ void count_privately(const std::uint8_t* text, std::uint32_t* bins, std::int64_t n) {
  __shared__ std::uint32_t counts[histogram::letter_bins];
  clear(counts);
  // TODO(2): who must wait for whom before the first element is counted?
  // TODO(2) end

  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride) {
    const unsigned bin = letter_bin(text[i]);
    if (bin >= histogram::letter_bins) continue;
    // TODO(3): count it in the block's table. The threads of the block still want the same
    // counters.
    // TODO(3) end
  }
  // TODO(4): merge: add the block's counts to the result.
  //   One thread for each bin. Other blocks do the same at the same time. Is the table complete
  //   when the first warp comes here?
  // TODO(4) end
}

}  // namespace

void count_letters(const std::uint8_t* text, std::uint32_t* bins, std::int64_t n,
                   gridstride::Scratch, cudaStream_t stream) {
  // TODO(5): the counters hold anything when the call begins.
  // TODO(5) end
  const std::int64_t blocks = min(most_blocks, (n + block_threads - 1) / block_threads);
  if (blocks > 0) count_privately<<<blocks, block_threads, 0, stream>>>(text, bins, n);
}
