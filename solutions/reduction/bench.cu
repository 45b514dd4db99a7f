// Every solution beside the library a user would otherwise pick: cub::DeviceReduce.
//
// Runs on a real GPU (`./lab bench reduction`). One repetition is one launch on a cold L2; what is
// printed is the median, the rate at which the input was read, and that rate's share of what a
// kernel can read at best, measured first. Repetitions of all rows are shuffled, so that clocks and
// neighbours disturb all alike. Google Benchmark's own options hold: --benchmark_filter=2^28,
// --benchmark_out=FILE, --benchmark_format=json …
#include <benchmark/benchmark.h>
#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cub/device/device_reduce.cuh>
#include <filesystem>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "grader/runner/contract_entry.h"
#include "labs/reduction/reduction.h"

namespace {

using reduction::Operation;
using reduction::Point;

constexpr int launches = 60;
constexpr std::size_t flush_bytes = std::size_t{256} << 20;  // well past any L2
constexpr std::int64_t largest = std::int64_t{1} << 28;      // floats

void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess)
    throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

struct DeviceMemory {
  explicit DeviceMemory(std::size_t bytes) { check(cudaMalloc(&data, bytes), "cudaMalloc"); }
  ~DeviceMemory() { cudaFree(data); }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  template <class T>
  T* as() const {
    return static_cast<T*>(data);
  }
  void* data = nullptr;
};

__global__ void fill(float* values, std::int64_t n) {
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride) {
    // From -8 to 8, 0 on average and well mixed, so that whatever the order no sum is ever rounded.
    const auto hash = static_cast<unsigned>(i) * 2654435761u;
    values[i] = static_cast<float>(static_cast<int>((hash >> 16) % 17) - 8);
  }
}

/// Reads everything and keeps nothing but a word that never matches.
__global__ void read_all(const uint4* values, std::int64_t n, unsigned* never) {
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  unsigned mixed = 0;
#pragma unroll 8
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride) {
    const uint4 value = values[i];
    mixed |= value.x & value.y & value.z & value.w;
  }
  if (mixed == 0x12345678u) *never = mixed;
}

/// What all rows share, on the device from the first to the last.
class Bench {
 public:
  Bench() {
    check(cudaStreamCreate(&stream), "cudaStreamCreate");
    check(cudaEventCreate(&start_), "cudaEventCreate");
    check(cudaEventCreate(&stop_), "cudaEventCreate");
    fill<<<1024, 256, 0, stream>>>(in.as<float>(), largest);
    int multiprocessors = 0;
    check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0),
          "the device");
    // The first rounds also bring the clocks up.
    for (int round = 0; round < 300; ++round) {
      const double seconds = time([&] {
        read_all<<<4 * multiprocessors, 512, 0, stream>>>(in.as<uint4>(), largest / 4,
                                                          out.as<unsigned>());
      });
      best_read_rate = std::max(best_read_rate, largest * sizeof(float) / seconds);
    }
  }

  ~Bench() {
    cudaEventDestroy(stop_);
    cudaEventDestroy(start_);
    cudaStreamDestroy(stream);
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  /// Seconds of one launch on a cold L2. Flush, start, launch and stop are queued without waiting
  /// between them, so that the flush hides the host's time.
  double time(const std::function<void()>& launch) {
    check(cudaMemsetAsync(flush_.data, 0, flush_bytes, stream), "flushing the L2");
    check(cudaEventRecord(start_, stream), "cudaEventRecord");
    launch();
    check(cudaEventRecord(stop_, stream), "cudaEventRecord");
    check(cudaEventSynchronize(stop_), "the launch");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, start_, stop_), "cudaEventElapsedTime");
    return milliseconds * 1e-3;
  }

  /// The Point that stands in the output; a sum is its first member.
  Point result() {
    Point point;
    check(cudaMemcpyAsync(&point, out.data, sizeof point, cudaMemcpyDeviceToHost, stream),
          "result");
    check(cudaStreamSynchronize(stream), "result");
    return point;
  }

  gridstride::Scratch scratch() const { return {scratch_.data, scratch_bytes_}; }

  cudaStream_t stream = nullptr;
  DeviceMemory in{largest * sizeof(float)}, out{sizeof(Point)};
  double best_read_rate = 0;  ///< bytes/s

 private:
  std::size_t scratch_bytes_ = reduction::scratch_bytes(largest, sizeof(float));
  DeviceMemory scratch_{scratch_bytes_}, flush_{flush_bytes};
  cudaEvent_t start_ = nullptr, stop_ = nullptr;
};

/// A row: `launch` queues one reduction of `bytes` of input; `expected` is what it must leave.
void add(Bench& bench, const std::string& name, double bytes, const std::function<void()>& launch,
         const Point& expected, bool sum_only) {
  const auto run = [&bench, bytes, launch](benchmark::State& state) {
    for (auto _ : state) {
      const double seconds = bench.time(launch);
      state.SetIterationTime(seconds);
      state.counters["GB/s"] = bytes / seconds * 1e-9;
      state.counters["of_best_read"] = bytes / seconds / bench.best_read_rate;
    }
  };
  launch();  // modules are loaded at the first launch
  const Point got = bench.result();
  if (got.x != expected.x ||
      (!sum_only && (got.y != expected.y || got.z != expected.z || got.mass != expected.mass)))
    throw std::runtime_error(name + ": the result is not that of the library");
  benchmark::RegisterBenchmark(name.c_str(), run)
      ->Iterations(1)
      ->Repetitions(launches)
      ->DisplayAggregatesOnly(true)
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
}

template <class Function>
Function* function_of(const std::filesystem::path& library, const std::string& function) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw std::runtime_error(dlerror());
  const auto* entry = static_cast<const gridstride::ContractEntry*>(
      dlsym(handle, ("gridstride_contract_" + function).c_str()));
  if (entry == nullptr || entry->function == nullptr)
    throw std::runtime_error(library.string() + " does not define " + function);
  return reinterpret_cast<Function*>(entry->function);
}

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

/// The rows for 2^`power` floats, or as many bytes of points.
void add_size(Bench& bench, const std::filesystem::path& stages, int power,
              std::vector<std::unique_ptr<DeviceMemory>>& kept) {
  const std::int64_t n = std::int64_t{1} << power;
  const double bytes = static_cast<double>(n) * sizeof(float);
  const std::string size = "2^" + std::to_string(power) + " floats/";
  const auto* in = bench.in.as<float>();
  auto* out = bench.out.as<float>();

  std::size_t sum_bytes = 0;
  check(cub::DeviceReduce::Sum(nullptr, sum_bytes, in, out, static_cast<int>(n), bench.stream),
        "cub");
  void* for_sum = kept.emplace_back(std::make_unique<DeviceMemory>(sum_bytes))->data;
  const auto library_sum = [&bench, for_sum, sum_bytes, in, out, n] {
    std::size_t given = sum_bytes;
    cub::DeviceReduce::Sum(for_sum, given, in, out, static_cast<int>(n), bench.stream);
  };
  library_sum();
  const Point sum = bench.result();
  for (const char* stage : {"1_interleaved", "2_strided", "3_sequential", "4_first_add",
                            "5_warp_shuffle", "6_vectorized"}) {
    auto* reduce = function_of<decltype(reduce_sum)>(
        stages / "solutions/reduction" / (std::string(stage) + ".so"), "reduce_sum");
    add(
        bench, size + stage, bytes,
        [&bench, reduce, in, out, n] { reduce(in, out, n, bench.scratch(), bench.stream); }, sum,
        true);
  }
  add(bench, size + "cub::DeviceReduce::Sum", bytes, library_sum, sum, true);

  const std::int64_t points = n / 4;
  const auto* cloud = bench.in.as<Point>();
  auto* farthest = bench.out.as<Point>();
  std::size_t point_bytes = 0;
  check(cub::DeviceReduce::Reduce(nullptr, point_bytes, cloud, farthest, static_cast<int>(points),
                                  Farther{}, Point{0, 0, 0, 0}, bench.stream),
        "cub");
  void* for_points = kept.emplace_back(std::make_unique<DeviceMemory>(point_bytes))->data;
  const auto library_points = [&bench, for_points, point_bytes, cloud, farthest, points] {
    std::size_t given = point_bytes;
    cub::DeviceReduce::Reduce(for_points, given, cloud, farthest, static_cast<int>(points),
                              Farther{}, Point{0, 0, 0, 0}, bench.stream);
  };
  library_points();
  const Point point = bench.result();
  auto* reduce = function_of<decltype(reduce_points)>(
      stages / "solutions/reduction/7_user_operation.so", "reduce_points");
  add(
      bench, size + "7_user_operation (farthest)", bytes,
      [&bench, reduce, cloud, farthest, points] {
        reduce(cloud, farthest, points, Operation::farthest, bench.scratch(), bench.stream);
      },
      point, false);
  add(bench, size + "cub::DeviceReduce::Reduce (farthest)", bytes, library_points, point, false);
}

/// Of all aggregates the median alone.
class MedianReporter : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    std::vector<Run> medians;
    std::copy_if(runs.begin(), runs.end(), std::back_inserter(medians),
                 [](const Run& run) { return run.aggregate_name == "median"; });
    if (!medians.empty()) ConsoleReporter::ReportRuns(medians);
  }
};

int run(int argc, char** argv) {
  std::vector<std::string> arguments(argv, argv + argc);
  arguments.insert(arguments.begin() + 1, "--benchmark_enable_random_interleaving=true");
  const bool own_format = std::none_of(
      arguments.begin(), arguments.end(),
      [](std::string_view each) { return each.substr(0, 18) == "--benchmark_format"; });
  std::vector<char*> pointers;
  for (std::string& each : arguments) pointers.push_back(each.data());
  int count = static_cast<int>(pointers.size());
  benchmark::Initialize(&count, pointers.data());
  if (benchmark::ReportUnrecognizedArguments(count, pointers.data())) return 2;

  const auto stages =
      std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() / "stages";
  cudaDeviceProp device;
  check(cudaGetDeviceProperties(&device, 0), "no GPU answers");
  int driver = 0, runtime = 0;
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  Bench bench;
  std::fprintf(stderr, "%s, driver for CUDA %d.%d, runtime %d.%d, best read %.0f GB/s\n",
               device.name, driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10,
               bench.best_read_rate * 1e-9);
  std::vector<std::unique_ptr<DeviceMemory>> kept;
  for (const int power : {24, 28}) add_size(bench, stages, power, kept);
  if (own_format) {
    MedianReporter reporter;
    benchmark::RunSpecifiedBenchmarks(&reporter);
  } else {
    benchmark::RunSpecifiedBenchmarks();
  }
  benchmark::Shutdown();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench-reduction: %s\n", error.what());
    return 3;
  }
}
