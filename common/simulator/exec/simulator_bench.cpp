// How many warp instructions a second the simulated GPU executes on one core.
//
//   simulator_bench --benchmark_counters_tabular=true
//
// "checks" are those of memory, races and uninitialised reads; counters and the L2 are always on.
#include <benchmark/benchmark.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "common/simulator/check/race_pages.h"
#include "common/simulator/count/l2_cache.h"
#include "common/simulator/exec/engine.h"
#include "common/simulator/memory/global_memory.h"
#include "common/simulator/ptx/parser.h"

namespace gridstride::sim {
namespace {

std::string kernels() {
  const std::filesystem::path path = GRIDSTRIDE_BENCH_KERNELS;
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// A device of the size of the default profile.
struct Device {
  GlobalMemory memory{256 << 20};
  L2Cache l2{1 << 21};
  ModuleInfo info;
  /// Filled with zeros.
  DeviceAddress allocate(std::uint64_t bytes) {
    const DeviceAddress address = memory.allocate(bytes);
    memory.written().set(address - GlobalMemory::base, bytes);
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
  request.checks = {.memory = state.range(0) != 0,
                    .races = state.range(0) != 0,
                    .uninitialized = state.range(0) != 0};
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

void reduce(benchmark::State& state) {
  constexpr std::int32_t n = 1 << 20;
  Device device;
  std::vector<std::byte> arguments;
  append(arguments, device.allocate(n * sizeof(float)));
  append(arguments, device.allocate(n / 512 * sizeof(float)));
  append(arguments, n);
  measure(state, device, "reduce", {n / 512}, {256}, arguments);
}

void multiply(benchmark::State& state) {
  constexpr std::int32_t n = 256;
  Device device;
  std::vector<std::byte> arguments;
  for (int i = 0; i < 3; ++i) {
    append(arguments, device.allocate(n * n * sizeof(float)));
  }
  append(arguments, n);
  measure(state, device, "multiply", {n / 32, n / 32}, {32, 32}, arguments);
}

void polynomial(benchmark::State& state) {
  constexpr std::int32_t n = 1 << 16;
  Device device;
  std::vector<std::byte> arguments;
  append(arguments, device.allocate(n * sizeof(float)));
  append(arguments, std::int32_t{100});
  measure(state, device, "polynomial", {n / 256}, {256}, arguments);
}

BENCHMARK(reduce)->ArgName("checks")->Arg(1)->Arg(0)->Unit(benchmark::kMillisecond);
BENCHMARK(multiply)->ArgName("checks")->Arg(1)->Arg(0)->Unit(benchmark::kMillisecond);
BENCHMARK(polynomial)->ArgName("checks")->Arg(1)->Arg(0)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gridstride::sim

BENCHMARK_MAIN();
