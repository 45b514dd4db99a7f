// Stage 0, given: what every later stage is measured against.
//
// Each thread takes a section of the input, element by element, and adds 1 to the counter of each
// in global memory. Two threads may want the same counter at once, and `bins[b] = bins[b] + 1` is
// three steps (read, add, write): of two that overlap, one addition is lost. So the addition is an
// atomic, and threads that want the same counter wait for each other.
//
// Sections are how one would divide the work among CPU cores. On a GPU they are the wrong way: in
// any one instruction the 32 lanes of a warp read 32 bytes that lie far apart, 32 sectors for 32
// bytes.

#include "labs/histogram/histogram.h"

namespace {

constexpr int block_threads = 256;
constexpr std::int64_t most_threads = 1024 * block_threads;
constexpr std::int64_t shortest_section = 64;

/// The bin of a lower-case letter; letter_bins for everything else.
struct LetterBin {
  static __device__ unsigned of(std::uint8_t c) {
    return c >= 'a' && c <= 'z' ? (c - 'a') / 4u : unsigned{histogram::letter_bins};
  }
};

struct ValueBin {
  template <typename Value>
  static __device__ unsigned of(Value value) {
    return value;
  }
};

/// Thread t counts in[t * length] … in[(t + 1) * length - 1].
template <typename Bin, typename Value>
__global__ void count_sections(const Value* in, std::uint32_t* bins, std::int64_t n,
                               std::int64_t length, unsigned bin_count) {
  const std::int64_t t = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t end = min(n, (t + 1) * length);
  for (std::int64_t i = t * length; i < end; ++i) {
    const unsigned bin = Bin::of(in[i]);
    if (bin < bin_count) atomicAdd(&bins[bin], 1u);
  }
}

template <typename Bin, typename Value>
void count(const Value* in, std::uint32_t* bins, std::int64_t n, unsigned bin_count,
           cudaStream_t stream) {
  cudaMemsetAsync(bins, 0, bin_count * sizeof(*bins), stream);
  if (n == 0) return;
  const std::int64_t length = max(shortest_section, (n + most_threads - 1) / most_threads);
  const std::int64_t sections = (n + length - 1) / length;
  const std::int64_t blocks = (sections + block_threads - 1) / block_threads;
  count_sections<Bin><<<blocks, block_threads, 0, stream>>>(in, bins, n, length, bin_count);
}

}  // namespace

void count_letters(const std::uint8_t* text, std::uint32_t* bins, std::int64_t n,
                   gridstride::Scratch, cudaStream_t stream) {
  count<LetterBin>(text, bins, n, histogram::letter_bins, stream);
}

void count_bytes(const std::uint8_t* in, std::uint32_t* bins, std::int64_t n, gridstride::Scratch,
                 cudaStream_t stream) {
  count<ValueBin>(in, bins, n, histogram::byte_bins, stream);
}

void count_words(const std::uint16_t* in, std::uint32_t* bins, std::int64_t n, gridstride::Scratch,
                 cudaStream_t stream) {
  count<ValueBin>(in, bins, n, histogram::wide_bins, stream);
}
