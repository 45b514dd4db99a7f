// Every solution beside the library a user would otherwise pick: cub::DeviceReduce.
//
// Runs on a real GPU (`./lab bench reduction`); grader/bench/bench.h says how it is timed.
#include <cub/device/device_reduce.cuh>
#include <string>

#include "grader/bench/bench.h"
#include "labs/reduction/reduction.h"

namespace {

using gridstride::Bench;
using gridstride::BenchRow;
using gridstride::check_cuda;
using gridstride::Scratch;
using gridstride::Traffic;
using reduction::Operation;
using reduction::Point;

struct Farther {
  __host__ __device__ Point operator()(const Point& a, const Point& b) const {
    const double far_a = squared(a), far_b = squared(b);
    if (far_a != far_b) return far_a > far_b ? a : b;
    if (a.x != b.x) return a.x < b.x ? a : b;
    if (a.y != b.y) return a.y < b.y ? a : b;
    if (a.z != b.z) return a.z < b.z ? a : b;
    return a.mass <= b.mass ? a : b;
  }
  static __host__ __device__ double squared(const Point& p) {
    const double x = p.x, y = p.y, z = p.z;
    return x * x + y * y + z * z;
  }
};

/// The sum of n floats, by every stage and by CUB. What CUB gives is what all must give.
void add_sums(Bench& bench, const std::string& size, const float* in, int n) {
  const cudaStream_t stream = bench.stream();
  const Scratch scratch = bench.scratch(reduction::scratch_bytes(n, sizeof(float)));
  float *out = bench.allocate<float>(1), *expected = bench.allocate<float>(1);
  std::size_t bytes = 0;
  check_cuda(cub::DeviceReduce::Sum(nullptr, bytes, in, expected, n, stream), "cub");
  void* temporary = bench.scratch(bytes).data;
  const auto library = [=](float* result) {
    std::size_t given = bytes;
    check_cuda(cub::DeviceReduce::Sum(temporary, given, in, result, n, stream), "cub");
  };
  library(expected);

  BenchRow row{
      .bytes = n * 4.0, .traffic = Traffic::reads, .results = {{out, expected, sizeof(float)}}};
  for (const char* stage : {"1_interleaved", "2_strided", "3_sequential", "4_first_add",
                            "5_warp_shuffle", "6_vectorized"}) {
    auto* reduce = bench.stage<decltype(reduce_sum)>(stage, "reduce_sum");
    row.name = size + stage;
    row.launch = [=] { reduce(in, out, n, scratch, stream); };
    bench.add(row);
  }
  row.name = size + "cub::DeviceReduce::Sum";
  row.library = true;
  row.launch = [=] { library(out); };
  bench.add(row);
}

/// The farthest of n points, by stage 7 and by CUB.
void add_farthest(Bench& bench, const std::string& size, const Point* in, int n) {
  const cudaStream_t stream = bench.stream();
  const Scratch scratch = bench.scratch(reduction::scratch_bytes(n, sizeof(Point)));
  Point *out = bench.allocate<Point>(1), *expected = bench.allocate<Point>(1);
  const Point origin{0, 0, 0, 0};
  std::size_t bytes = 0;
  check_cuda(cub::DeviceReduce::Reduce(nullptr, bytes, in, expected, n, Farther{}, origin, stream),
             "cub");
  void* temporary = bench.scratch(bytes).data;
  const auto library = [=](Point* result) {
    std::size_t given = bytes;
    check_cuda(
        cub::DeviceReduce::Reduce(temporary, given, in, result, n, Farther{}, origin, stream),
        "cub");
  };
  library(expected);

  BenchRow row{
      .bytes = n * 16.0, .traffic = Traffic::reads, .results = {{out, expected, sizeof(Point)}}};
  auto* reduce = bench.stage<decltype(reduce_points)>("7_user_operation", "reduce_points");
  row.name = size + "7_user_operation (farthest)";
  row.launch = [=] { reduce(in, out, n, Operation::farthest, scratch, stream); };
  bench.add(row);
  row.name = size + "cub::DeviceReduce::Reduce (farthest)";
  row.library = true;
  row.launch = [=] { library(out); };
  bench.add(row);
}

void add_rows(Bench& bench) {
  constexpr int largest = 1 << 28;  // floats, or as many bytes of points
  float* in = bench.allocate<float>(largest);
  gridstride::fill_with_whole_numbers(in, largest, bench.stream());
  for (const int power : {24, 28}) {
    const int n = 1 << power;
    const std::string size = "2^" + std::to_string(power) + " floats/";
    add_sums(bench, size, in, n);
    add_farthest(bench, size, reinterpret_cast<const Point*>(in), n / 4);
  }
}

}  // namespace

int main(int argc, char** argv) { return gridstride::run_bench("reduction", argc, argv, add_rows); }
