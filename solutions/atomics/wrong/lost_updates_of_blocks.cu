// Wrong: adds to the account without an atomic, one thread at a time of each block but many blocks
// at once.
#include "labs/atomics/atomics.h"
#include "labs/atomics/elements.cuh"

namespace {

using namespace atomics;

/// atomicAdd has no form for signed numbers of 64 bits. None is needed: in two's complement, sums
/// have the same bits whichever way the numbers are meant.
using Bits = unsigned long long;

__global__ void __launch_bounds__(block_threads)
    book_by_block(const std::int32_t* amounts, std::int64_t* total, std::int64_t n) {
  std::int64_t mine = 0;
  for_each_of_mine(amounts, n, [&](std::int32_t amount, std::int64_t) { mine += amount; });
  *total += mine;
}

}  // namespace

void book(const std::int32_t* amounts, std::int64_t* total, std::int64_t n, gridstride::Scratch,
          cudaStream_t stream) {
  cudaMemsetAsync(total, 0, sizeof(*total), stream);
  const int blocks = grid_blocks(book_by_block, n, round_elements);
  book_by_block<<<blocks, block_threads, 0, stream>>>(amounts, total, n);
}
