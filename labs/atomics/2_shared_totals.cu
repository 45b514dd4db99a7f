// Stage 2, totals in shared memory: thousands of atomics at one address become one for each block.
//
// One address is one queue, whoever stands in it. So each thread first sums what it can in a
// register, where it is alone. The block has a total of its own, in shared memory, with a queue of
// its own that is short and near. What remains for the account itself is one atomic for each block.
#include "labs/atomics/atomics.h"
#include "labs/atomics/elements.cuh"

namespace {

using namespace atomics;

/// atomicAdd has no form for signed numbers of 64 bits. None is needed: in two's complement, sums
/// have the same bits whichever way the numbers are meant.
using Bits = unsigned long long;

__global__ void __launch_bounds__(block_threads)
    book_by_block(const std::int32_t* amounts, std::int64_t* total, std::int64_t n) {
  // TODO(1): a total of the block.
  //   A `__shared__ Bits`, which nobody has set to 0 yet. Who sets it, and when may the others add?
  // TODO(1) end

  std::int64_t mine = 0;
  // TODO(2): the thread's amounts.
  //   for_each_of_mine(amounts, n, [&](std::int32_t amount, std::int64_t) { … }) calls you for each
  //   of them. Their sum goes to the block's total, by an atomic.
  (void)amounts, (void)n, (void)&mine;
  // TODO(2) end

  // TODO(3): to the account.
  //   When all threads of the block have added, and not before, one of them adds the block's total
  //   to *total.
  // TODO(3) end
}

}  // namespace

void book(const std::int32_t* amounts, std::int64_t* total, std::int64_t n, gridstride::Scratch,
          cudaStream_t stream) {
  // TODO(4): what must stand in *total before the first block adds to it?
  // TODO(4) end
  const int blocks = grid_blocks(book_by_block, n, round_elements);
  book_by_block<<<blocks, block_threads, 0, stream>>>(amounts, total, n);
}
