// A recorded launch tells what the source's variables hold: ptx/testdata/variables.cu, whose values are
// known, run and looked into.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/files.h"
#include "common/simulator/device/local_device.h"
#include "common/simulator/device/test_container.h"
#include "common/simulator/device/trace_file.h"

namespace gridstride::sim {
namespace {

struct Point {
  float x = 0, y = 0;
  std::int32_t id[3] = {};
  std::uint64_t next = 0;
};

constexpr std::uint32_t threads = 32, count = 20;

class RecordedVariables : public testing::Test {
 protected:
  void SetUp() override {
    TraceRequest request;
    request.file = (folder_.path() / "trace.json").string();
    request.registers = true;
    write_file(folder_.path() / "request.json", to_json(request).dump());
    TraceFile file(folder_.path() / "request.json");
    LocalDeviceOptions options;
    options.trace = &file;
    LocalDevice device(options);
    const ModuleInfo module = device.load_module(
        {container_of(read_file(std::filesystem::path(GRIDSTRIDE_PTX_TESTDATA) / "variables.ptx"))},
        {});
    const auto set = [&](const char* name, const void* bytes, std::size_t size) {
      const auto symbol = std::ranges::find(module.symbols, name, &SymbolInfo::name);
      device.write(symbol->address, std::as_bytes(std::span(static_cast<const char*>(bytes), size)),
                   0);
    };
    const float weights[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    set("weights", weights, sizeof weights);
    in_ = device.allocate(threads * sizeof(Point));
    std::vector<Point> points(threads);
    for (std::uint32_t i = 0; i < threads; ++i) points[i] = {1.0f * i, 0.5f, {1, 2, 3}, in_};
    device.write(in_, std::as_bytes(std::span(points)), 0);
    const DeviceAddress out = device.allocate(threads * sizeof(double));

    const auto kernel = std::ranges::find_if(module.kernels, [](const KernelInfo& one) {
      return one.name.find("collect") != std::string::npos;
    });
    LaunchRequest launch;
    launch.kernel = kernel->id;
    launch.block.x = threads;
    launch.dynamic_shared = threads * sizeof(double);
    launch.arguments.resize(kernel->argument_bytes);
    const auto pass = [&](std::size_t number, const auto& value) {
      std::memcpy(launch.arguments.data() + kernel->parameters[number].offset, &value,
                  sizeof value);
    };
    pass(0, in_);
    pass(1, out);
    pass(2, std::int64_t{count});
    pass(3, std::uint32_t{1});
    pass(4, Point{10, 20, {4, 5, 6}, 0});
    device.launch(launch);
    trace_ = trace_of(nlohmann::json::parse(read_file(request.file)).at("trace"));
  }

  const TraceFunction& function(const TraceStep& step) const {
    return trace_.functions.at(trace_.ops[step.op].function);
  }

  /// What the variable holds before the step, in a register or a word of memory; nothing where it is
  /// nowhere.
  std::optional<std::uint64_t> value(std::size_t at, const std::string& name, std::uint32_t lane,
                                     std::uint64_t offset = 0) const {
    const TraceStep& step = trace_.steps[at];
    const std::uint32_t next = trace_.ops[step.op].at;
    for (const TraceVariable& variable : function(step).variables) {
      if (variable.name != name || next < variable.begin || next >= variable.end) continue;
      for (const TraceLocation& location : variable.locations) {
        if (next < location.begin || next >= location.end) continue;
        return location.kind == TraceLocation::Kind::reg
                   ? in_register(at, static_cast<std::uint32_t>(location.place), lane)
                   : in_memory(at, location, offset, lane);
      }
    }
    return std::nullopt;
  }

  std::optional<std::uint64_t> in_register(std::size_t at, std::uint32_t number,
                                           std::uint32_t lane) const {
    const std::uint32_t depth = trace_.steps[at].depth;
    while (at-- > 0) {
      const TraceStep& step = trace_.steps[at];
      if (step.depth < depth) break;
      const std::vector<std::uint32_t>& writes = trace_.ops[step.op].writes;
      const auto found = std::ranges::find(writes, number);
      if (step.depth != depth || found == writes.end() || (step.lanes >> lane & 1) == 0) continue;
      const auto lanes = static_cast<std::size_t>(std::popcount(step.lanes));
      const auto before = static_cast<std::size_t>(std::popcount(step.lanes & ((1u << lane) - 1)));
      return step.written.at(static_cast<std::size_t>(found - writes.begin()) * lanes + before);
    }
    return std::nullopt;
  }

  std::optional<std::uint64_t> in_memory(std::size_t at, const TraceLocation& location,
                                         std::uint64_t offset, std::uint32_t lane) const {
    const bool local = location.kind == TraceLocation::Kind::local;
    const TraceSpace space = local ? TraceSpace::local : TraceSpace::shared;
    const std::uint64_t place = location.place + offset + (local ? trace_.steps[at].local_base : 0);
    std::optional<std::uint64_t> last;  // of lanes that write one word at once, the highest
    while (at-- > 0 && !last) {
      for (const TraceAccess& access : trace_.steps[at].accesses) {
        if (access.space != space || access.kind != TraceKind::store || access.count != 1) continue;
        std::size_t i = 0;
        for (std::uint32_t rest = access.lanes; rest != 0; rest &= rest - 1, ++i) {
          const bool mine = !local || static_cast<std::uint32_t>(std::countr_zero(rest)) == lane;
          if (mine && access.places[i] == place) last = access.values[i];
        }
      }
    }
    return last;
  }

  /// The first step of that line for which `lane` is there.
  std::size_t step_of_line(std::uint32_t line, std::uint32_t lane, std::size_t from = 0) const {
    for (std::size_t i = from; i < trace_.steps.size(); ++i) {
      const TraceStep& step = trace_.steps[i];
      if (trace_.ops[step.op].line == line && (step.lanes >> lane & 1) != 0) return i;
    }
    throw std::runtime_error("line " + std::to_string(line) + " did not run");
  }

  static float as_float(std::optional<std::uint64_t> bits) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits.value()));
  }

  TemporaryFolder folder_;
  DeviceAddress in_ = 0;
  Trace trace_;
};

constexpr std::uint32_t line_of_powers = 28, line_of_tile = 31, line_of_totals = 33,
                        line_of_sum = 17;

TEST_F(RecordedVariables, RegistersHoldScalars) {
  for (const std::uint32_t lane : {0u, 3u, 19u}) {
    const std::size_t at = step_of_line(line_of_tile, lane);
    EXPECT_EQ(value(at, "low", lane), lane);
    EXPECT_EQ(value(at, "i", lane), 7u) << "of the inner block, not of the loop before";
  }
  EXPECT_THROW(step_of_line(line_of_tile, count), std::runtime_error) << "it does not go there";
}

TEST_F(RecordedVariables, LocalMemoryHoldsArrays) {
  for (const std::uint32_t lane : {1u, 31u}) {
    const std::size_t at = step_of_line(line_of_totals, lane);
    for (std::uint32_t i = 0; i < 4; ++i)
      EXPECT_EQ(as_float(value(at, "powers", lane, sizeof(float) * i)),
                static_cast<float>(lane * i));
  }
  // While the loop runs, what it has not come to is not there.
  const std::size_t loop = step_of_line(line_of_powers, 5);
  EXPECT_FALSE(value(loop, "powers", 5, sizeof(float)).has_value());
}

TEST_F(RecordedVariables, AFunctionThatIsCalledHasItsOwn) {
  const std::uint32_t lane = 4;
  // part = 0.5 * weights[i], weights are 1, 2, …: the sum is x, x + 0.5, x + 1.5, x + 3.
  std::vector<float> sums;
  std::size_t at = 0;
  for (std::uint32_t i = 0; i < 4; ++i) {
    at = step_of_line(line_of_sum, lane, at);
    EXPECT_NE(function(trace_.steps[at]).name.find("scaled"), std::string::npos);
    EXPECT_EQ(value(at, "i", lane), i);
    EXPECT_EQ(value(at, "times", lane), 7u);
    EXPECT_EQ(value(at, "point", lane), in_ + lane * sizeof(Point));
    sums.push_back(as_float(value(at, "sum", lane)));
    const std::uint32_t op = trace_.steps[at].op;
    while (trace_.steps[at].op == op || trace_.ops[trace_.steps[at].op].line == line_of_sum) ++at;
  }
  EXPECT_EQ(sums, (std::vector<float>{4, 4.5f, 5.5f, 7}));
}

TEST_F(RecordedVariables, SharedArraysAndParametersHaveTheirPlace) {
  const std::uint32_t lane = 2;
  const std::size_t at = step_of_line(line_of_totals, lane);
  // tile[2][7] was written by the last of lanes 2, 6, … 18, all at once.
  const auto tile = value(at, "tile", lane, sizeof(float) * (2 * 9 + 7));
  EXPECT_EQ(as_float(tile), 18 + 0.5f * 28 + 20);
  const TraceFunction& kernel = trace_.functions.front();
  const auto mode = std::ranges::find(kernel.variables, "mode", &TraceVariable::name);
  ASSERT_EQ(mode->locations.size(), 1u);
  EXPECT_EQ(mode->locations[0].kind, TraceLocation::Kind::parameter);
  EXPECT_EQ(mode->locations[0].place, trace_.parameters.at(3).offset);
}

}  // namespace
}  // namespace gridstride::sim
