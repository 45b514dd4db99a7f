// Takes the last section for a whole one.
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
  if (j >= count || keys[i] <= keys[j]) return;
  const std::int32_t smaller = keys[j];
  keys[j] = keys[i];
  keys[i] = smaller;
}

/// Sorts keys[0] … keys[count - 1], count at most `leaf`, which the block has just written. All
/// threads of the block must call it; the keys may be read by all when it returns.
__device__ void bitonic_sort(std::int32_t* keys, unsigned count) {
  const unsigned t = threadIdx.x;
  __syncthreads();
  // Sorted pieces of `size` / 2 keys become sorted pieces of `size` keys.
  for (unsigned size = 2; size / 2 < count; size *= 2) {
    const unsigned piece = t / (size / 2) * size, k = t % (size / 2);
    compare(keys, piece + k, piece + size - 1 - k, count);
    end_step(size);
    for (unsigned distance = size / 4; distance > 0; distance /= 2) {
      const unsigned i = t / distance * 2 * distance + t % distance;
      compare(keys, i, i + distance, count);
      end_step(2 * distance);
    }
    end_step(2 * size);  // the next step reaches as far
  }
  __syncthreads();
}

__global__ void __launch_bounds__(block_threads)
    sort_by_block(const std::int32_t* in, std::int32_t* out, std::int64_t n) {
  __shared__ std::int32_t keys[leaf];
  const std::int64_t first = std::int64_t{blockIdx.x} * leaf;
  const unsigned count = leaf;
  for (unsigned i = threadIdx.x; i < count; i += block_threads) keys[i] = in[first + i];
  bitonic_sort(keys, count);
  for (unsigned i = threadIdx.x; i < count; i += block_threads) out[first + i] = keys[i];
}

}  // namespace

void sort_sections(const std::int32_t* in, std::int32_t* out, std::int64_t n, gridstride::Scratch,
                   cudaStream_t stream) {
  if (n == 0) return;
  sort_by_block<<<(n + leaf - 1) / leaf, block_threads, 0, stream>>>(in, out, n);
}
