// Every solution beside what a user would otherwise pick: CUB's radix sort and merge sort, and the
// quicksort that most texts on dynamic parallelism have.
//
// Runs on a real GPU (`./lab bench quicksort-cdp`); grader/bench/bench.h says how it is timed.
#include <cub/block/block_radix_sort.cuh>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <string>

#include "grader/bench/bench.h"
#include "labs/quicksort-cdp/quicksort-cdp.h"
#include "solutions/quicksort-cdp/simple_quicksort.cuh"

namespace {

using gridstride::Bench;
using gridstride::BenchRow;
using gridstride::check_cuda;
using gridstride::Scratch;

/// Well mixed bits, another word for each index.
__device__ std::uint32_t mixed(std::uint32_t x) {
  x = (x ^ x >> 16) * 0x7feb352d;
  x = (x ^ x >> 15) * 0x846ca68b;
  return x ^ x >> 16;
}

__global__ void fill(std::int32_t* keys, std::uint32_t n) {
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * blockDim.x) {
    keys[i] = static_cast<std::int32_t>(mixed(i));
  }
}

/// What stands in for stage 1: the library's sort for a block.
constexpr int block_threads = 256;
constexpr int block_items = static_cast<int>(quicksort_cdp::section) / block_threads;

__global__ void __launch_bounds__(block_threads)
    library_sort_blocks(const std::int32_t* in, std::int32_t* out) {
  using Sort = cub::BlockRadixSort<std::int32_t, block_threads, block_items>;
  __shared__ typename Sort::TempStorage storage;
  const std::int64_t first = blockIdx.x * quicksort_cdp::section + threadIdx.x;
  std::int32_t keys[block_items];
  // Any order will do that takes each key once: keys alone have no other order to keep.
  for (int i = 0; i < block_items; ++i) keys[i] = in[first + i * block_threads];
  Sort(storage).SortBlockedToStriped(keys);
  for (int i = 0; i < block_items; ++i) out[first + i * block_threads] = keys[i];
}

/// What all rows work on.
struct Data {
  std::int32_t *in, *out, *right;
  Scratch scratch, library;
};

/// Sections of 2048 keys; n is a multiple of them. What the baseline gives is right.
void add_sections(Bench& bench, const std::string& size, const Data& d, int n) {
  const cudaStream_t stream = bench.stream();
  BenchRow row{.bytes = n * 8.0, .results = {{d.out, d.right, n * sizeof *d.out}}};
  for (const char* stage : {"0_baseline", "1_bitonic_block"}) {
    auto* sort = bench.stage<decltype(sort_sections)>(stage, "sort_sections");
    if (stage[0] == '0') sort(d.in, d.right, n, d.scratch, stream);
    row.name = size + stage + " (sections of 2048)";
    row.launch = [=] { sort(d.in, d.out, n, d.scratch, stream); };
    bench.add(row);
  }
  row.name = size + "cub::BlockRadixSort (sections of 2048)";
  row.library = true;
  row.launch = [=] {
    library_sort_blocks<<<n / quicksort_cdp::section, block_threads, 0, stream>>>(d.in, d.out);
  };
  bench.add(row);
}

/// All keys. What CUB gives is right.
void add_keys(Bench& bench, const std::string& size, const Data& d, int n, bool with_slow) {
  const cudaStream_t stream = bench.stream();
  const auto radix_sort = [=](std::int32_t* out) {
    std::size_t bytes = d.library.bytes;
    check_cuda(cub::DeviceRadixSort::SortKeys(d.library.data, bytes, d.in, out, n, 0, 32, stream),
               "cub");
  };
  radix_sort(d.right);
  BenchRow row{.bytes = n * 8.0, .results = {{d.out, d.right, n * sizeof *d.out}}};
  for (const char* stage :
       {"0_baseline", "2_warp_partition", "3_block_partition", "4_grid_partition"}) {
    if (!with_slow && stage[0] == '0') continue;
    auto* sort = bench.stage<decltype(quicksort)>(stage, "quicksort");
    row.name = size + stage;
    row.launch = [=] { sort(d.in, d.out, n, d.scratch, stream); };
    bench.add(row);
  }
  if (with_slow) {
    row.name = size + "simple quicksort";
    row.launch = [=] { simple_quicksort::sort(d.in, d.out, n, stream); };
    bench.add(row);
  }
  row.name = size + "cub::DeviceMergeSort::SortKeysCopy";
  row.library = true;
  row.launch = [=] {
    std::size_t bytes = d.library.bytes;
    check_cuda(cub::DeviceMergeSort::SortKeysCopy(d.library.data, bytes, d.in, d.out, n,
                                                  cuda::std::less<std::int32_t>(), stream),
               "cub");
  };
  bench.add(row);
  row.library = false;  // it looks at digits, and the stages compare
  row.name = size + "cub::DeviceRadixSort::SortKeys";
  row.launch = [=] { radix_sort(d.out); };
  bench.add(row);
}

void add_rows(Bench& bench) {
  constexpr int largest = 1 << 22;
  Data d;
  for (std::int32_t** array : {&d.in, &d.out, &d.right})
    *array = bench.allocate<std::int32_t>(largest);
  fill<<<1024, 256, 0, bench.stream()>>>(d.in, largest);
  d.scratch = bench.scratch(quicksort_cdp::scratch_bytes(largest));
  std::size_t radix = 0, merge = 0;
  check_cuda(cub::DeviceRadixSort::SortKeys(nullptr, radix, d.in, d.out, largest), "cub");
  check_cuda(cub::DeviceMergeSort::SortKeysCopy(nullptr, merge, d.in, d.out, largest,
                                                cuda::std::less<std::int32_t>()),
             "cub");
  d.library = bench.scratch(radix > merge ? radix : merge);

  add_sections(bench, "2^20 keys/", d, 1 << 20);
  add_keys(bench, "2^20 keys/", d, 1 << 20, true);
  add_keys(bench, "2^22 keys/", d, 1 << 22, false);
}

}  // namespace

int main(int argc, char** argv) {
  return gridstride::run_bench("quicksort-cdp", argc, argv, add_rows);
}
