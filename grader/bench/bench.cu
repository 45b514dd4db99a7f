// The harness of all labs' benches: cold launches in random order, beside the memory's best rates.
#include <benchmark/benchmark.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "grader/bench/bench.h"
#include "grader/runner/contract_entry.h"

namespace gridstride {
namespace {

constexpr int launches = 60;                                 // of each row
constexpr int rounds = 300;                                  // the first also bring the clocks up
constexpr std::size_t flush_bytes = std::size_t{256} << 20;  // well past any L2
constexpr std::size_t probe_bytes = std::size_t{1} << 30;
constexpr int threads = 512;

__device__ std::int64_t grid_thread() {
  return std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
}
__device__ std::int64_t grid_threads() { return std::int64_t{gridDim.x} * blockDim.x; }

/// Reads everything and keeps nothing but a word that never matches.
__global__ void read_all(const uint4* values, std::int64_t n, unsigned* never) {
  unsigned mixed = 0;
#pragma unroll 8
  for (std::int64_t i = grid_thread(); i < n; i += grid_threads()) {
    const uint4 value = values[i];
    mixed |= value.x & value.y & value.z & value.w;
  }
  if (mixed == 0x12345678u) *never = mixed;
}

__global__ void copy_all(const uint4* from, uint4* to) {
  constexpr int at_once = 4;
  const std::int64_t first = std::int64_t{blockIdx.x} * at_once * threads + threadIdx.x;
  uint4 values[at_once];
#pragma unroll
  for (int k = 0; k < at_once; ++k) values[k] = from[first + k * threads];
#pragma unroll
  for (int k = 0; k < at_once; ++k) to[first + k * threads] = values[k];
}

__global__ void count_differences(const unsigned* a, const unsigned* b, std::int64_t n,
                                  unsigned* differences) {
  for (std::int64_t i = grid_thread(); i < n; i += grid_threads())
    if (a[i] != b[i]) atomicAdd(differences, 1u);
}

__global__ void fill_whole(float* values, std::int64_t n) {
  for (std::int64_t i = grid_thread(); i < n; i += grid_threads()) {
    constexpr unsigned golden_multiplier = 2654435761;  // the prime next to 2^32 / golden ratio
    const auto hash = static_cast<unsigned>(i) * golden_multiplier;
    values[i] = static_cast<float>(static_cast<int>((hash >> 16) % 17) - 8);
  }
}

/// Of all aggregates the median alone.
class MedianReporter : public benchmark::ConsoleReporter {
 public:
  /// The device has been named, and how the distribution has built the library tells nothing: the
  /// clocks are CUDA's.
  bool ReportContext(const Context& context) override {
    name_field_width_ = context.name_field_width;
    return true;
  }
  void ReportRuns(const std::vector<Run>& runs) override {
    std::vector<Run> medians;
    std::copy_if(runs.begin(), runs.end(), std::back_inserter(medians),
                 [](const Run& run) { return run.aggregate_name == "median"; });
    if (!medians.empty()) ConsoleReporter::ReportRuns(medians);
  }
};

std::string words_about_device(const Bench& bench) {
  cudaDeviceProp device;
  check_cuda(cudaGetDeviceProperties(&device, 0), "the device's properties");
  int driver = 0, runtime = 0;
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  char words[600];
  std::snprintf(words, sizeof words,
                "%s, driver for CUDA %d.%d, runtime %d.%d, best read %.0f GB/s, best copy %.0f "
                "GB/s (read + write)",
                device.name, driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10,
                bench.best_rate(Traffic::reads) * 1e-9, bench.best_rate(Traffic::copies) * 1e-9);
  return words;
}

/// Lanes of fp32 in a multiprocessor: the CUDA Programming Guide's table of arithmetic throughput.
int fp32_lanes(int major, int minor) { return major == 7 || (major == 8 && minor == 0) ? 64 : 128; }

int attribute(cudaDeviceAttr which) {
  int value = 0;
  check_cuda(cudaDeviceGetAttribute(&value, which, 0), "an attribute of the device");
  return value;
}

int run(const std::string& lab, int argc, char** argv, void (*add_rows)(Bench&)) {
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

  Bench bench(lab);
  const std::string device = words_about_device(bench);
  std::fprintf(stderr, "%s\n", device.c_str());
  benchmark::AddCustomContext("device", device);
  add_rows(bench);
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

void check_cuda(cudaError_t status, const std::string& what) {
  if (status != cudaSuccess) throw std::runtime_error(what + ": " + cudaGetErrorString(status));
}

Bench::Bench(std::string lab) : lab_(std::move(lab)) {
  int devices = 0;
  check_cuda(cudaGetDeviceCount(&devices), "no GPU answers");
  flush_ = device_memory(flush_bytes);
  differences_ = device_memory(sizeof(unsigned));
  check_cuda(cudaStreamCreate(&stream_), "cudaStreamCreate");
  check_cuda(cudaEventCreate(&start_), "cudaEventCreate");
  check_cuda(cudaEventCreate(&stop_), "cudaEventCreate");
  measure_memory();
  const int lanes = fp32_lanes(attribute(cudaDevAttrComputeCapabilityMajor),
                               attribute(cudaDevAttrComputeCapabilityMinor));
  peak_flops_ = 2.0 * lanes * attribute(cudaDevAttrMultiProcessorCount) *
                attribute(cudaDevAttrClockRate) * 1e3;  // the attribute is in kHz
}

Bench::~Bench() {
  cudaEventDestroy(stop_);
  cudaEventDestroy(start_);
  cudaStreamDestroy(stream_);
}

Bench::Memory Bench::device_memory(std::size_t bytes) {
  void* memory = nullptr;
  check_cuda(cudaMalloc(&memory, bytes), "device memory");
  return Memory(memory);
}

void* Bench::allocate_bytes(std::size_t bytes) {
  return allocated_.emplace_back(device_memory(bytes)).get();
}

void Bench::measure_memory() {
  const Memory from = device_memory(probe_bytes), to = device_memory(probe_bytes);
  constexpr std::int64_t vectors = probe_bytes / sizeof(uint4);
  const auto* source = static_cast<const uint4*>(from.get());
  auto* target = static_cast<uint4*>(to.get());
  auto* never = static_cast<unsigned*>(differences_.get());
  int multiprocessors = 0;
  check_cuda(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0),
             "the device's multiprocessors");
  check_cuda(cudaMemsetAsync(from.get(), 0x55, probe_bytes, stream_), "filling memory");
  const auto read = [=, this] {
    read_all<<<4 * multiprocessors, threads, 0, stream_>>>(source, vectors, never);
  };
  const auto copy = [=, this] {
    copy_all<<<vectors / (4 * threads), threads, 0, stream_>>>(source, target);
  };
  for (int round = 0; round < rounds; ++round) {
    best_read_ = std::max(best_read_, probe_bytes / time(read));
    best_copy_ = std::max(best_copy_, 2.0 * probe_bytes / time(copy));
  }
}

double Bench::time(const std::function<void()>& launch) {
  check_cuda(cudaMemsetAsync(flush_.get(), 0, flush_bytes, stream_), "flushing the L2");
  check_cuda(cudaEventRecord(start_, stream_), "cudaEventRecord");
  launch();
  check_cuda(cudaEventRecord(stop_, stream_), "cudaEventRecord");
  check_cuda(cudaEventSynchronize(stop_), "the launch");
  float milliseconds = 0;
  check_cuda(cudaEventElapsedTime(&milliseconds, start_, stop_), "cudaEventElapsedTime");
  return milliseconds * 1e-3;
}

void Bench::check(const std::string& name, const BenchResult& result) {
  auto* differences = static_cast<unsigned*>(differences_.get());
  check_cuda(cudaMemsetAsync(differences, 0, sizeof(unsigned), stream_), "comparing");
  count_differences<<<1024, threads, 0, stream_>>>(
      static_cast<const unsigned*>(result.out), static_cast<const unsigned*>(result.expected),
      static_cast<std::int64_t>(result.bytes / sizeof(unsigned)), differences);
  unsigned count = 0;
  check_cuda(cudaMemcpyAsync(&count, differences, sizeof count, cudaMemcpyDeviceToHost, stream_),
             "comparing");
  check_cuda(cudaStreamSynchronize(stream_), "the launch");
  if (count != 0) throw std::runtime_error(name + ": the result is not the expected one");
}

void Bench::add(BenchRow row) {
  for (const BenchResult& result : row.results)
    check_cuda(cudaMemsetAsync(result.out, 0xff, result.bytes, stream_), "poisoning the output");
  row.launch();  // modules are loaded at the first launch
  check_cuda(cudaGetLastError(), row.name);
  for (const BenchResult& result : row.results) check(row.name, result);

  const std::string name = row.name;
  const auto run = [this, row = std::move(row)](benchmark::State& state) {
    if (row.library) state.SetLabel("library");
    for (auto _ : state) {
      const double seconds = time(row.launch);
      state.SetIterationTime(seconds);
      if (row.operations != 0)
        state.counters["G" + row.operation + "/s"] = row.operations / seconds * 1e-9;
      if (row.operation == "flop")
        state.counters["of_fp32"] = row.operations / seconds / peak_flops();
      if (row.bytes == 0) continue;
      state.counters["GB/s"] = row.bytes / seconds * 1e-9;
      state.counters[row.traffic == Traffic::reads ? "of_best_read" : "of_best_copy"] =
          row.bytes / seconds / best_rate(row.traffic);
    }
  };
  benchmark::RegisterBenchmark(name.c_str(), run)
      ->Iterations(1)
      ->Repetitions(launches)
      ->DisplayAggregatesOnly(true)
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
}

void* Bench::stage_function(const std::string& stage, const std::string& function) const {
  const bool given = stage.substr(0, 2) == "0_";
  const auto library = std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() /
                       "stages" / (given ? "labs" : "solutions") / lab_ / (stage + ".so");
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw std::runtime_error(dlerror());
  const auto* entry =
      static_cast<const ContractEntry*>(dlsym(handle, ("gridstride_contract_" + function).c_str()));
  if (entry == nullptr || entry->function == nullptr)
    throw std::runtime_error(library.string() + " does not define " + function);
  return reinterpret_cast<void*>(entry->function);
}

void fill_with_whole_numbers(float* values, std::int64_t n, cudaStream_t stream) {
  fill_whole<<<1024, threads, 0, stream>>>(values, n);
}

int run_bench(const std::string& lab, int argc, char** argv, void (*add_rows)(Bench&)) {
  try {
    return run(lab, argc, argv, add_rows);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench-%s: %s\n", lab.c_str(), error.what());
    return 3;
  }
}

}  // namespace gridstride
