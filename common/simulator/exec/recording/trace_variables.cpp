// Where the variables of the source are, for a debugger: debug information's names as places of the
// running machine, and what its registers hold.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/simulator/exec/block.h"
#include "common/simulator/exec/grid_run.h"
#include "common/simulator/exec/trace_recorder.h"
#include "common/simulator/program/program.h"

namespace gridstride::sim {
namespace {

class Places {
 public:
  Places(const GridRun& grid, const FunctionCode& function) : grid_(grid), function_(function) {
    const auto& registers = function.function->registers;
    for (std::size_t i = 0; i < registers.size() && i < function.registers.size(); ++i)
      registers_.emplace(registers[i].name, function.registers[i]);
  }

  /// Nothing for what the compiled code does not have.
  std::optional<TraceLocation> find(const DebugLocation& from) const {
    TraceLocation to;
    to.begin = from.begin;
    to.end = from.end;
    to.place = from.offset;
    if (from.is_register) {
      const auto found = registers_.find(from.name);
      if (found == registers_.end() || found->second == no_register) return std::nullopt;
      to.kind = TraceLocation::Kind::reg;
      to.place = found->second / register_alignment;
      return to;
    }
    const KernelCode& kernel = grid_.kernel;
    if (const auto local = function_.locals.find(from.name); local != function_.locals.end()) {
      to.kind = TraceLocation::Kind::local;
      to.place += local->second;
      return to;
    }
    if (const auto shared = kernel.shared_index.find(from.name);
        shared != kernel.shared_index.end()) {
      to.kind = TraceLocation::Kind::shared;
      to.place += kernel.shared[static_cast<std::size_t>(shared->second)].offset;
      return to;
    }
    const auto& parameters = kernel.kernel->parameters;
    const auto parameter = std::ranges::find(parameters, from.name, &ptx::Variable::name);
    if (parameter != parameters.end()) {
      to.kind = TraceLocation::Kind::parameter;
      to.place +=
          kernel.parameters[static_cast<std::size_t>(parameter - parameters.begin())].offset;
      return to;
    }
    const auto global = grid_.program.variables.find(from.name);
    if (global == grid_.program.variables.end()) return std::nullopt;
    to.kind = TraceLocation::Kind::global;
    to.place += global->second;
    return to;
  }

 private:
  const GridRun& grid_;
  const FunctionCode& function_;
  std::unordered_map<std::string, VectorRegister> registers_;
};

}  // namespace

TraceFunction trace_function(const GridRun& grid, const FunctionCode& function,
                             std::int32_t first_type) {
  TraceFunction traced;
  traced.name = demangled(function.function->name);
  const Places places(grid, function);
  for (const DebugVariable& from : function.function->source_variables) {
    TraceVariable variable;
    variable.name = from.name;
    variable.type = from.type < 0 ? -1 : from.type + first_type;
    variable.is_parameter = from.is_parameter;
    variable.line = from.line;
    variable.begin = from.begin;
    variable.end = from.end;
    for (const DebugLocation& location : from.locations) {
      if (const auto place = places.find(location)) variable.locations.push_back(*place);
    }
    traced.variables.push_back(std::move(variable));
  }
  return traced;
}

std::vector<std::uint8_t> widths_of(const FunctionCode& function,
                                    const std::vector<VectorRegister>& registers) {
  std::vector<std::uint8_t> widths;
  for (const VectorRegister at : registers) {
    const auto found = std::ranges::find(function.registers, at);
    // What the decoder has made for itself is of 4 bytes.
    const auto type =
        found == function.registers.end()
            ? ptx::Type::b32
            : function.function
                  ->registers[static_cast<std::size_t>(found - function.registers.begin())]
                  .type;
    widths.push_back(static_cast<std::uint8_t>(ptx::size_of(type)));
  }
  return widths;
}

std::vector<std::uint64_t> values_of(const Warp& warp, const std::vector<VectorRegister>& registers,
                                     const std::vector<std::uint8_t>& widths, LaneMask lanes) {
  std::vector<std::uint64_t> values;
  for (std::size_t i = 0; i < registers.size(); ++i) {
    for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
      const VectorRegister at = registers[i];
      values.push_back(widths[i] == 0   ? *vector_register<LaneMask>(warp.registers, at) >> lane & 1
                       : widths[i] == 8 ? vector_register<std::uint64_t>(warp.registers, at)[lane]
                                        : vector_register<std::uint32_t>(warp.registers, at)[lane]);
    }
  }
  return values;
}

}  // namespace gridstride::sim
