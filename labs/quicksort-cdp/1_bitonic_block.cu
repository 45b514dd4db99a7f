// Stage 1, bitonic sort: a block sorts its section in shared memory, by comparisons whose places do
// not depend on the keys.
//
// A sequence that first rises and then falls is bitonic. Compare its first half with its second,
// key by key, smaller to the front, and every key of the front half is no larger than any of the
// back half, and both are bitonic again: a half-cleaner. Half-cleaners of half the size, and so on,
// sort it. Two sorted sequences make a bitonic one if the second is read backwards. That is the
// first half-cleaner of a merge, with the second half mirrored:
//
//     sorted, sorted     1 4 6 9   2 3 7 8
//     mirrored           1 - 8, 4 - 7, 6 - 3, 9 - 2      ->   1 4 3 2   9 6 7 8
//     half-cleaners      1 - 3, 4 - 2   9 - 7, 6 - 8     ->   1 2 3 4   7 6 9 8
//                        1 - 2, 3 - 4   7 - 6, 9 - 8     ->   1 2 3 4   6 7 8 9
//
// In every comparison the smaller key goes to the front. So a section that is no power of two needs
// no filling: what is missing at the back would be larger than all keys, and would stay there.
#include "labs/quicksort-cdp/quicksort-cdp.h"

namespace {

constexpr int leaf = quicksort_cdp::section;  // keys
constexpr int block_threads = leaf / 2;       // one comparison each

/// A warp's 32 comparisons stay within so many elements, if each stays within a piece of that size.
constexpr unsigned warp_span = 64;

/// Ends a step of comparisons within pieces of `span` elements: those of a warp alone, or the
/// block's.
__device__ void end_step(unsigned span) {
  if (span > warp_span) {
    __syncthreads();
  } else {
    __syncwarp();
  }
}

/// The smaller key to place i, the larger to place j, if there is a place j.
__device__ void compare(std::int32_t* keys, unsigned i, unsigned j, unsigned count) {
  // TODO(1): a comparison.
  //   Nothing to do where there is no place j, or where the two are in order; else they change
  //   places.
  (void)keys, (void)i, (void)j, (void)count;
  // TODO(1) end
}

/// Sorts keys[0] … keys[count - 1], count at most `leaf`, which the block has just written. All
/// threads of the block must call it; the keys may be read by all when it returns.
__device__ void bitonic_sort(std::int32_t* keys, unsigned count) {
  const unsigned t = threadIdx.x;
  __syncthreads();
  // Sorted pieces of `size` / 2 keys become sorted pieces of `size` keys.
  for (unsigned size = 2; size / 2 < count; size *= 2) {
    // TODO(2): one merge.
    //   Thread t makes one comparison in each step, within one of the pieces of `size` keys. First
    //   the mirrored one: key k of the piece with key size - 1 - k. Then half-cleaners with
    //   distances size / 4, size / 8, … 1: i with i + distance, where i is among the first
    //   `distance` keys of a piece of 2 * distance. Each step ends with end_step(), which must
    //   know how large the pieces are that this step compares within, and the next one.
    compare(keys, t, t, count);
    end_step(size);
    // TODO(2) end
  }
  __syncthreads();
}

__global__ void __launch_bounds__(block_threads)
    sort_by_block(const std::int32_t* in, std::int32_t* out, std::int64_t n) {
  // TODO(3): a section.
  //   Load the block's section into shared memory, sort it, write it. How many keys has the last
  //   one?
  (void)bitonic_sort, (void)in, (void)out, (void)n;
  // TODO(3) end
}

}  // namespace

void sort_sections(const std::int32_t* in, std::int32_t* out, std::int64_t n, gridstride::Scratch,
                   cudaStream_t stream) {
  if (n == 0) return;
  sort_by_block<<<(n + leaf - 1) / leaf, block_threads, 0, stream>>>(in, out, n);
}
