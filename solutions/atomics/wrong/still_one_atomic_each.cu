// Right, and without what the stage teaches: every thread adds to the account by itself, once for
// each of its elements.
#include "labs/atomics/atomics.h"
#include "labs/atomics/elements.cuh"

namespace {

using namespace atomics;

/// atomicAdd has no form for signed numbers of 64 bits. None is needed: in two's complement, sums
/// have the same bits whichever way the numbers are meant.
using Bits = unsigned long long;

__global__ void __launch_bounds__(block_threads)
    book_by_block(const std::int32_t* amounts, std::int64_t* total, std::int64_t n) {
  for_each_of_mine(amounts, n, [&](std::int32_t amount, std::int64_t) {
    atomicAdd(reinterpret_cast<Bits*>(total), static_cast<Bits>(std::int64_t{amount}));
  });
}

}  // namespace

void book(const std::int32_t* amounts, std::int64_t* total, std::int64_t n, gridstride::Scratch,
          cudaStream_t stream) {
  cudaMemsetAsync(total, 0, sizeof(*total), stream);
  const int blocks = grid_blocks(book_by_block, n, round_elements);
  book_by_block<<<blocks, block_threads, 0, stream>>>(amounts, total, n);
}
