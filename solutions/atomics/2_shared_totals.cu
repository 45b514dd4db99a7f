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
  __shared__ Bits block_total;
  if (threadIdx.x == 0) block_total = 0;
  __syncthreads();  // nobody may add before it is 0

  std::int64_t mine = 0;
  for_each_of_mine(amounts, n, [&](std::int32_t amount, std::int64_t) { mine += amount; });
  atomicAdd(&block_total, static_cast<Bits>(mine));

  __syncthreads();  // nobody may read before all have added
  if (threadIdx.x == 0) atomicAdd(reinterpret_cast<Bits*>(total), block_total);
}

}  // namespace

void book(const std::int32_t* amounts, std::int64_t* total, std::int64_t n, gridstride::Scratch,
          cudaStream_t stream) {
  cudaMemsetAsync(total, 0, sizeof(*total), stream);
  const int blocks = grid_blocks(book_by_block, n, round_elements);
  book_by_block<<<blocks, block_threads, 0, stream>>>(amounts, total, n);
}
