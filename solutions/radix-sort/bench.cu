// Every solution beside the library a user would otherwise pick: CUB, for a block and for the
// device.
//
// Runs on a real GPU (`./lab bench radix-sort`); grader/bench/bench.h says how it is timed.
#include <thrust/execution_policy.h>
#include <thrust/sort.h>

#include <cub/block/block_radix_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <string>
#include <type_traits>
#include <vector>

#include "grader/bench/bench.h"
#include "labs/radix-sort/radix-sort.h"

namespace {

using gridstride::Bench;
using gridstride::BenchRow;
using gridstride::check_cuda;
using gridstride::Scratch;
using gridstride::Traffic;
using radix_sort::KeyType;

/// Well mixed bits, another word for each index.
__device__ std::uint32_t mixed(std::uint32_t x) {
  x = (x ^ x >> 16) * 0x7feb352d;
  x = (x ^ x >> 15) * 0x846ca68b;
  return x ^ x >> 16;
}

__global__ void fill(std::uint32_t* keys, std::uint32_t* values, std::uint32_t n) {
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * blockDim.x) {
    keys[i] = mixed(i);
    values[i] = i;
  }
}

/// What stands in for stage 2: the library's sort for a block.
constexpr int block_threads = 256;
constexpr int block_items = radix_sort::block_section / block_threads;

__global__ void __launch_bounds__(block_threads)
    library_sort_blocks(const std::uint32_t* in, std::uint32_t* out) {
  using Sort = cub::BlockRadixSort<std::uint32_t, block_threads, block_items>;
  __shared__ typename Sort::TempStorage storage;
  const std::uint32_t first = blockIdx.x * radix_sort::block_section + threadIdx.x;
  std::uint32_t keys[block_items];
  // Any order will do that takes each key once: keys alone have no other order to keep.
  for (int i = 0; i < block_items; ++i) keys[i] = in[first + i * block_threads];
  Sort(storage).SortBlockedToStriped(keys);
  for (int i = 0; i < block_items; ++i) out[first + i * block_threads] = keys[i];
}

/// What all rows work on.
struct Data {
  std::uint32_t *keys, *values;          ///< the input
  std::uint32_t *keys_out, *values_out;  ///< of a launch
  std::uint32_t *keys_right, *values_right;
  Scratch scratch, library;
};

/// The baseline would take most of the time at larger sizes.
std::vector<const char*> stages_for(int n, std::vector<const char*> stages) {
  if (n <= 1 << 24) stages.insert(stages.begin(), "0_baseline");
  return stages;
}

/// Sections of 32 and of 2048 keys; n is a multiple of them. What the baseline gives is right.
void add_sections(Bench& bench, const std::string& size, const Data& d, int n) {
  const cudaStream_t stream = bench.stream();
  using Sort = decltype(sort_block_sections);
  BenchRow row{.bytes = n * 8.0, .results = {{d.keys_out, d.keys_right, n * sizeof(*d.keys_out)}}};
  const auto add = [&](const char* stage, const char* function, const std::string& what) {
    auto* baseline = bench.stage<Sort>("0_baseline", function);
    auto* solution = bench.stage<Sort>(stage, function);
    baseline(d.keys, d.keys_right, n, d.scratch, stream);
    row.name = size + "0_baseline" + what;
    row.launch = [=] { baseline(d.keys, d.keys_out, n, d.scratch, stream); };
    bench.add(row);
    row.name = size + stage + what;
    row.launch = [=] { solution(d.keys, d.keys_out, n, d.scratch, stream); };
    bench.add(row);
  };
  add("1_warp_sort", "sort_warp_sections", " (sections of 32)");
  add("2_block_sort", "sort_block_sections", " (sections of 2048)");
  row.name = size + "cub::BlockRadixSort (sections of 2048)";
  row.library = true;
  row.launch = [=] {
    library_sort_blocks<<<n / radix_sort::block_section, block_threads, 0, stream>>>(d.keys,
                                                                                     d.keys_out);
  };
  bench.add(row);
}

/// Keys alone. What CUB gives is right.
void add_keys(Bench& bench, const std::string& size, const Data& d, int n) {
  const cudaStream_t stream = bench.stream();
  const auto library = [=](std::uint32_t* out) {
    std::size_t bytes = d.library.bytes;
    check_cuda(cub::DeviceRadixSort::SortKeys(d.library.data, bytes, d.keys, out, n, 0, 32, stream),
               "cub");
  };
  library(d.keys_right);
  BenchRow row{.bytes = n * 8.0, .results = {{d.keys_out, d.keys_right, n * sizeof(*d.keys_out)}}};
  for (const char* stage : stages_for(n, {"3_multi_block", "5_one_sweep"})) {
    auto* sort = bench.stage<decltype(sort_keys)>(stage, "sort_keys");
    row.name = size + stage;
    row.launch = [=] { sort(d.keys, d.keys_out, n, d.scratch, stream); };
    bench.add(row);
  }
  row.name = size + "cub::DeviceRadixSort::SortKeys";
  row.library = true;
  row.launch = [=] { library(d.keys_out); };
  bench.add(row);
  row.library = false;
  row.name = size + "copy and thrust::sort";  // which sorts in place
  row.launch = [=] {
    check_cuda(
        cudaMemcpyAsync(d.keys_out, d.keys, n * sizeof(*d.keys), cudaMemcpyDeviceToDevice, stream),
        "the copy");
    thrust::sort(thrust::cuda::par_nosync.on(stream), d.keys_out, d.keys_out + n);
  };
  bench.add(row);
}

/// Keys with values: the type that CUB sorts and the type that the contract calls it.
template <typename Key>
void add_pairs(Bench& bench, const std::string& size, const Data& d, int n, KeyType type) {
  const cudaStream_t stream = bench.stream();
  const std::string what = std::is_same_v<Key, float> ? " (floats)" : " (unsigned)";
  const auto library = [=](std::uint32_t* keys_out, std::uint32_t* values_out) {
    std::size_t bytes = d.library.bytes;
    check_cuda(cub::DeviceRadixSort::SortPairs(
                   d.library.data, bytes, reinterpret_cast<const Key*>(d.keys),
                   reinterpret_cast<Key*>(keys_out), d.values, values_out, n, 0, 32, stream),
               "cub");
  };
  BenchRow row{.bytes = n * 16.0};
  // CUB takes -0 and +0 for equal, so floats are not held against it bit by bit.
  if constexpr (!std::is_same_v<Key, float>) {
    library(d.keys_right, d.values_right);
    row.results = {{d.keys_out, d.keys_right, n * sizeof(*d.keys_out)},
                   {d.values_out, d.values_right, n * sizeof(*d.values_out)}};
  }
  for (const char* stage : stages_for(n, {"4_floats_pairs", "6_one_sweep_pairs"})) {
    auto* sort = bench.stage<decltype(sort_pairs)>(stage, "sort_pairs");
    row.name = size + stage + what;
    row.launch = [=] {
      sort(d.keys, d.values, d.keys_out, d.values_out, n, type, d.scratch, stream);
    };
    bench.add(row);
  }
  row.name = size + "cub::DeviceRadixSort::SortPairs" + what;
  row.library = true;
  row.launch = [=] { library(d.keys_out, d.values_out); };
  bench.add(row);
}

void add_rows(Bench& bench) {
  constexpr int largest = 1 << 28;
  Data d;
  for (std::uint32_t** array :
       {&d.keys, &d.values, &d.keys_out, &d.values_out, &d.keys_right, &d.values_right})
    *array = bench.allocate<std::uint32_t>(largest);
  fill<<<1024, 256, 0, bench.stream()>>>(d.keys, d.values, largest);
  d.scratch = bench.scratch(radix_sort::scratch_bytes(largest, 8));
  std::size_t bytes = 0;
  check_cuda(cub::DeviceRadixSort::SortPairs(nullptr, bytes, d.keys, d.keys_out, d.values,
                                             d.values_out, largest),
             "cub");
  d.library = bench.scratch(bytes);

  add_sections(bench, "2^24 keys/", d, 1 << 24);
  for (const int power : {24, 28}) {
    const int n = 1 << power;
    const std::string size = "2^" + std::to_string(power) + " ";
    add_keys(bench, size + "keys/", d, n);
    add_pairs<std::uint32_t>(bench, size + "pairs/", d, n, KeyType::unsigned_integer);
    add_pairs<float>(bench, size + "pairs/", d, n, KeyType::floating_point);
  }
}

}  // namespace

int main(int argc, char** argv) {
  return gridstride::run_bench("radix-sort", argc, argv, add_rows);
}
