// Every solution beside the library a user would otherwise pick: cub::DeviceScan.
//
// Runs on a real GPU (`./lab bench scan`); grader/bench/bench.h says how it is timed.
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>

#include <cub/device/device_scan.cuh>
#include <string>

#include "grader/bench/bench.h"
#include "labs/scan/scan.h"

namespace {

using gridstride::Bench;
using gridstride::BenchRow;
using gridstride::check_cuda;
using gridstride::Scratch;
using gridstride::Traffic;
using scan::Recurrence;

/// The exclusive sums of n floats, by every stage and by CUB. What CUB gives is what all must give:
/// the input's sums are exact in any order.
void add_sums(Bench& bench, const std::string& size, const float* in, float* out, float* expected,
              int n, bool with_baseline) {
  const cudaStream_t stream = bench.stream();
  const Scratch scratch = bench.scratch(scan::scratch_bytes(n));
  std::size_t bytes = 0;
  check_cuda(cub::DeviceScan::ExclusiveSum(nullptr, bytes, in, out, n, stream), "cub");
  void* temporary = bench.scratch(bytes).data;
  const auto library = [=](float* result) {
    std::size_t given = bytes;
    check_cuda(cub::DeviceScan::ExclusiveSum(temporary, given, in, result, n, stream), "cub");
  };
  library(expected);

  BenchRow row{.bytes = n * 8.0,
               .traffic = Traffic::copies,
               .results = {{out, expected, n * sizeof(float)}}};
  for (const char* stage : {"0_baseline", "1_hillis_steele", "2_work_efficient", "3_padded",
                            "4_three_phases", "5_warp_shuffle", "6_single_pass"}) {
    if (!with_baseline && stage[0] == '0') continue;
    auto* scan = bench.stage<decltype(exclusive_scan)>(stage, "exclusive_scan");
    row.name = size + stage;
    row.launch = [=] { scan(in, out, n, scratch, stream); };
    bench.add(row);
  }
  row.name = size + "cub::DeviceScan::ExclusiveSum";
  row.library = true;
  row.launch = [=] { library(out); };
  bench.add(row);
}

/// What stage 7 calls a map, with the operation of Recurrence::highest.
struct Map {
  float factor, value;
};
struct Highest {
  __host__ __device__ Map operator()(Map first, Map second) const {
    const float through = first.value + second.factor;
    return {first.factor + second.factor, through > second.value ? through : second.value};
  }
};
struct MapAt {
  const float *step, *value;
  __host__ __device__ Map operator()(int i) const { return {step[i], value[i]}; }
};
struct ValueOf {
  __host__ __device__ float operator()(Map map) const { return map.value; }
};

/// The recurrence x[i] = max(x[i - 1] - 1, value[i]) by stage 7, in place, and by CUB, which writes
/// elsewhere. Done again it changes nothing, so every launch has the same work.
void add_recurrence(Bench& bench, const std::string& size, float* value, float* step, float* out,
                    int n, bool with_baseline) {
  const cudaStream_t stream = bench.stream();
  const Scratch scratch = bench.scratch(scan::scratch_bytes(n));
  const auto maps =
      thrust::make_transform_iterator(thrust::make_counting_iterator(0), MapAt{step, value});
  const auto values = thrust::make_transform_output_iterator(out, ValueOf{});
  std::size_t bytes = 0;
  check_cuda(cub::DeviceScan::InclusiveScan(nullptr, bytes, maps, values, Highest{}, n, stream),
             "cub");
  void* temporary = bench.scratch(bytes).data;
  const auto library = [=] {
    std::size_t given = bytes;
    check_cuda(cub::DeviceScan::InclusiveScan(temporary, given, maps, values, Highest{}, n, stream),
               "cub");
  };
  library();

  BenchRow row{.bytes = n * 12.0, .traffic = Traffic::copies};
  for (const char* stage : {"7_recurrence", "0_baseline"}) {
    if (!with_baseline && stage[0] == '0') continue;
    auto* scan = bench.stage<decltype(scan_recurrence)>(stage, "scan_recurrence");
    row.name = size + stage + " (highest)";
    row.launch = [=] { scan(step, value, n, Recurrence::highest, scratch, stream); };
    row.launch();
    bench.check(row.name, {value, out, n * sizeof(float)});
    bench.add(row);
  }
  row.name = size + "cub::DeviceScan::InclusiveScan (highest)";
  row.library = true;
  row.launch = library;
  bench.add(row);
}

__global__ void fill_with(float* values, float value, std::int64_t n) {
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
    values[i] = value;
}

void add_rows(Bench& bench) {
  constexpr int largest = 1 << 28;  // floats
  float *in = bench.allocate<float>(largest), *out = bench.allocate<float>(largest);
  float *expected = bench.allocate<float>(largest), *step = bench.allocate<float>(largest);
  float *value = bench.allocate<float>(largest), *highest = bench.allocate<float>(largest);
  gridstride::fill_with_whole_numbers(in, largest, bench.stream());
  gridstride::fill_with_whole_numbers(value, largest, bench.stream());
  fill_with<<<1024, 512, 0, bench.stream()>>>(step, -1.0f, largest);
  for (const int power : {24, 28}) {
    const int n = 1 << power;
    const std::string size = "2^" + std::to_string(power) + " floats/";
    const bool with_baseline = power == 24;
    add_sums(bench, size, in, out, expected, n, with_baseline);
    add_recurrence(bench, size, value, step, highest, n, with_baseline);
  }
}

}  // namespace

int main(int argc, char** argv) { return gridstride::run_bench("scan", argc, argv, add_rows); }
