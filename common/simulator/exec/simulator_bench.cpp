// How many warp instructions a second the simulated GPU executes, and how long a program takes to
// load.
//
//   simulator_bench [PTX …] --benchmark_counters_tabular=true
//
// "checks" are all of them or none; counters and the L2 are always on. Each thread has a device of
// its own, as each of several graded stages has: where two cores are free, the time with two
// threads is half of that with one. How long each PTX takes to load is measured too.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <memory>
#include <numeric>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/simulator/check/race_pages.h"
#include "common/simulator/count/l2_cache.h"
#include "common/simulator/decode/make_program.h"
#include "common/simulator/exec/engine.h"
#include "common/simulator/memory/global_memory.h"
#include "common/simulator/ptx/parser.h"

namespace gridstride::sim {
namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string kernels() { return text_of(GRIDSTRIDE_BENCH_KERNELS); }

/// A device of the size of the default profile.
struct Device {
  GlobalMemory memory{256 << 20};
  L2Cache l2{1 << 21};
  ModuleInfo info;
  /// Filled with zeros.
  DeviceAddress allocate(std::uint64_t bytes) {
    const DeviceAddress address = memory.allocate(bytes);
    memory.initialised().set(address - GlobalMemory::base, bytes);
    return address;
  }
  DeviceAddress upload(const std::vector<std::uint32_t>& words) {
    const DeviceAddress address = allocate(words.size() * sizeof(std::uint32_t));
    std::memcpy(memory.host(address), words.data(), words.size() * sizeof(std::uint32_t));
    return address;
  }
  std::shared_ptr<const Program> program = make_program(ptx::parse(kernels()), memory, info);

  std::size_t kernel(const std::string& name) const {
    for (std::size_t i = 0; i < info.kernels.size(); ++i) {
      if (info.kernels[i].name == name) return i;
    }
    throw std::runtime_error("no kernel " + name);
  }
};

template <class T>
void append(std::vector<std::byte>& arguments, T value) {
  const std::size_t at = (arguments.size() + sizeof value - 1) / sizeof value * sizeof value;
  arguments.resize(at + sizeof value);
  std::memcpy(arguments.data() + at, &value, sizeof value);
}

/// Launches kernel `name` again and again. Rates are of processor time, over all threads.
void measure(benchmark::State& state, Device& device, const std::string& name, Dim3 grid,
             Dim3 block, const std::vector<std::byte>& arguments) {
  GridRequest request;
  request.program = device.program.get();
  request.kernel = device.kernel(name);
  request.grid = grid;
  request.block = block;
  request.arguments = arguments;
  request.resident_blocks = 32;
  request.instruction_budget = std::uint64_t{1} << 40;
  RacePages pages(GlobalMemory::base);
  request.race_pages = &pages;
  request.checks = checks_named(state.range(0) != 0 ? "all" : "none");
  std::uint64_t instructions = 0;
  for (auto _ : state) {
    const GridResult result = run_grid(request, device.memory, device.l2);
    if (result.error != 0 || !result.findings.empty()) {
      state.SkipWithError(result.findings.front().message.c_str());
      return;
    }
    instructions += result.counters.warp_instructions;
  }
  state.counters["warp_instructions"] =
      benchmark::Counter(static_cast<double>(instructions), benchmark::Counter::kIsRate);
}

void reduction(benchmark::State& state) {
  constexpr std::int32_t n = 1 << 20;
  Device device;
  std::vector<std::byte> arguments;
  append(arguments, device.allocate(n * sizeof(float)));
  append(arguments, device.allocate(n / 512 * sizeof(float)));
  append(arguments, n);
  measure(state, device, "reduce", {n / 512}, {256}, arguments);
}

void scan(benchmark::State& state) {
  constexpr std::int32_t n = 1 << 20;
  Device device;
  std::vector<std::byte> arguments;
  for (int i = 0; i < 2; ++i) append(arguments, device.allocate(n * sizeof(std::int32_t)));
  measure(state, device, "scan", {n / 256}, {256}, arguments);
}

/// Words of all bytes there are, in no order.
std::vector<std::uint32_t> random_words(std::size_t count) {
  std::vector<std::uint32_t> words(count);
  std::mt19937 random(1);
  for (std::uint32_t& word : words) word = static_cast<std::uint32_t>(random());
  return words;
}

void histogram(benchmark::State& state) {
  constexpr std::int32_t n = 1 << 20;
  Device device;
  std::vector<std::byte> arguments;
  append(arguments, device.upload(random_words(n)));
  append(arguments, device.allocate(256 * sizeof(std::uint32_t)));
  append(arguments, n);
  measure(state, device, "histogram", {64}, {256}, arguments);
}

void matrix_multiply(benchmark::State& state) {
  constexpr std::int32_t n = 256;
  Device device;
  std::vector<std::byte> arguments;
  for (int i = 0; i < 3; ++i) append(arguments, device.allocate(n * n * sizeof(float)));
  append(arguments, n);
  measure(state, device, "multiply", {n / 32, n / 32}, {32, 32}, arguments);
}

void bodies(benchmark::State& state) {
  constexpr std::int32_t n = 1 << 11;
  Device device;
  std::vector<std::byte> arguments;
  for (int i = 0; i < 2; ++i) append(arguments, device.allocate(n * 4 * sizeof(float)));
  append(arguments, n);
  measure(state, device, "attract", {n / 256}, {256}, arguments);
}

void radix_sort(benchmark::State& state) {
  constexpr std::uint32_t n = 1 << 20, blocks = n / 256;
  Device device;
  const std::vector<std::uint32_t> keys = random_words(n);
  // Where each block's keys of a digit begin.
  std::vector<std::uint32_t> starts(16 * blocks + 1);
  for (std::uint32_t i = 0; i < n; ++i) ++starts[(keys[i] & 15) * blocks + i / 256 + 1];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  std::vector<std::byte> arguments;
  append(arguments, device.upload(keys));
  append(arguments, device.allocate(n * sizeof(std::uint32_t)));
  append(arguments, device.upload(starts));
  append(arguments, std::int32_t{0});
  measure(state, device, "radix_pass", {blocks}, {256}, arguments);
}

void polynomial(benchmark::State& state) {
  constexpr std::int32_t n = 1 << 16;
  Device device;
  std::vector<std::byte> arguments;
  append(arguments, device.allocate(n * sizeof(float)));
  append(arguments, std::int32_t{100});
  measure(state, device, "polynomial", {n / 256}, {256}, arguments);
}

/// From the text of a module to a program that can run.
void load(benchmark::State& state, const std::string& text) {
  for (auto _ : state) {
    GlobalMemory memory(256 << 20);
    ModuleInfo info;
    benchmark::DoNotOptimize(make_program(ptx::parse(text), memory, info));
  }
  state.counters["bytes"] = static_cast<double>(text.size());
}

void checked_and_not(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgName("checks")->Arg(1)->Arg(0)->Threads(1)->Threads(2);
  benchmark->Unit(benchmark::kMillisecond);
}

BENCHMARK(reduction)->Apply(checked_and_not);
BENCHMARK(scan)->Apply(checked_and_not);
BENCHMARK(histogram)->Apply(checked_and_not);
BENCHMARK(matrix_multiply)->Apply(checked_and_not);
BENCHMARK(bodies)->Apply(checked_and_not);
BENCHMARK(radix_sort)->Apply(checked_and_not);
BENCHMARK(polynomial)->Apply(checked_and_not);

}  // namespace
}  // namespace gridstride::sim

int main(int argc, char** argv) try {
  benchmark::Initialize(&argc, argv);
  using gridstride::sim::load, gridstride::sim::kernels, gridstride::sim::text_of;
  benchmark::RegisterBenchmark("load", load, kernels())->Unit(benchmark::kMillisecond);
  for (int i = 1; i < argc; ++i) {
    const std::string name = "load/" + std::filesystem::path(argv[i]).stem().string();
    benchmark::RegisterBenchmark(name.c_str(), load, text_of(argv[i]))
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::RunSpecifiedBenchmarks();
} catch (const std::exception& error) {
  std::fprintf(stderr, "simulator_bench: %s\n", error.what());
  return 1;
}
