// Fuzz target: bytes as PTX, parsed and linked with themselves. Nothing but ParseError and
// LinkError may come of them, and what is parsed must hold what module.h promises.
//
//   ptx_fuzz -max_total_time=600 FOLDER common/simulator/ptx/testdata
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

#include "common/simulator/ptx/linker.h"
#include "common/simulator/ptx/parser.h"

namespace {

using namespace gridstride::sim::ptx;

void require(bool holds) {
  if (!holds) std::abort();
}

void check(const Operand& operand, const Function& function) {
  const auto below = [](std::int32_t index, std::size_t count) {
    require(index >= 0 && static_cast<std::size_t>(index) < count);
  };
  if (operand.kind == Operand::Kind::reg) below(operand.index, function.registers.size());
  if (operand.kind == Operand::Kind::label) below(operand.index, function.body.size());
  if (operand.second_index >= 0) below(operand.second_index, function.registers.size());
  for (const Operand& element : operand.elements) check(element, function);
}

void check(const Module& module) {
  for (const Function& function : module.functions) {
    require(function.body.empty() || function.body.back().opcode == "ret");
    require(function.location.call <= function.calls.size());
    for (const Instruction& instruction : function.body) {
      require(instruction.guard < static_cast<std::int32_t>(function.registers.size()));
      require(instruction.location.file < module.files.size());
      require(instruction.location.call <= function.calls.size());
      for (const Operand& operand : instruction.operands) check(operand, function);
    }
    for (std::size_t i = 0; i < function.calls.size(); ++i) {
      require(function.calls[i].file < module.files.size() && function.calls[i].call <= i);
    }
    for (const Function::Targets& targets : function.targets) {
      for (const std::int32_t index : targets.instructions) {
        require(index >= 0 && static_cast<std::size_t>(index) < function.body.size());
      }
    }
  }
  for (const Variable& variable : module.variables) {
    require(variable.initial.empty() || variable.initial.size() == variable.size);
    for (const Variable::Relocation& place : variable.relocations) {
      require(place.at <= variable.size && variable.size - place.at >= 8);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    std::vector<Module> modules;
    modules.push_back(parse(text));
    check(modules.front());
    modules.push_back(modules.front());
    check(link(std::move(modules)));
  } catch (const ParseError&) {
    // Said in words what is wrong: that is all that is asked.
  } catch (const LinkError&) {
  }
  return 0;
}
