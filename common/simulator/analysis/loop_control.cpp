// See loop_control.h.
#include "common/simulator/analysis/loop_control.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "common/simulator/analysis/basic_blocks.h"
#include "common/simulator/analysis/loops.h"
#include "common/simulator/analysis/register_uses.h"

namespace gridstride::sim {
namespace {

using ptx::Instruction;
using ptx::Operand;

bool decides(const Instruction& instruction) {
  const Opcode* const opcode = find_opcode(instruction.opcode);
  if (!opcode) return true;
  return opcode->kind == OpcodeKind::branch || opcode->kind == OpcodeKind::table_branch ||
         opcode->kind == OpcodeKind::control || opcode->kind == OpcodeKind::barrier;
}

bool reads_time(const Instruction& instruction) {
  return std::ranges::any_of(instruction.operands, [](const Operand& operand) {
    return operand.kind == Operand::Kind::special &&
           (operand.name.starts_with("%clock") || operand.name.starts_with("%globaltimer"));
  });
}

/// Of a load from `.param`. A register holds no other address there than that of a kernel's parameter.
bool reads_kernel_parameter(const ptx::Function& function, const Instruction& instruction) {
  if (!function.is_kernel) return false;
  const std::string& name = instruction.operands.back().name;
  return name.empty() || std::ranges::find(function.parameters, name, &ptx::Variable::name) !=
                             function.parameters.end();
}

/// What an instruction's result follows from: with `registers` equal sources give an equal result,
/// whenever and whatever others do.
LoopInput input_of(const ptx::Function& function, const Instruction& instruction) {
  const Opcode* const opcode = find_opcode(instruction.opcode);
  if (!opcode || reads_time(instruction)) return LoopInput::others;
  if (instruction.opcode == "ld") {
    // Nobody writes those while a kernel runs. A function's own parameters are its caller's to change,
    // and what a function returns is read in the same way.
    if (instruction.has("const")) return LoopInput::registers;
    if (instruction.has("param"))
      return reads_kernel_parameter(function, instruction) ? LoopInput::registers
                                                           : LoopInput::others;
    return LoopInput::memory;
  }
  if (opcode->memory != MemoryEffect::none) return LoopInput::others;
  // What __syncthreads_or() returns follows from what the other threads bring.
  if (instruction.opcode == "bar" || instruction.opcode == "barrier") return LoopInput::memory;
  switch (opcode->kind) {
    case OpcodeKind::arithmetic:
    case OpcodeKind::fused:
    case OpcodeKind::division:
    case OpcodeKind::special:
    case OpcodeKind::bits:
    case OpcodeKind::slow_bits:
    case OpcodeKind::convert:
    case OpcodeKind::compare:
    case OpcodeKind::move:
    case OpcodeKind::warp:
    case OpcodeKind::shuffle:
    case OpcodeKind::match:
      return LoopInput::registers;
    case OpcodeKind::memory:
    case OpcodeKind::atomic:
    case OpcodeKind::barrier:
    case OpcodeKind::control:
    case OpcodeKind::branch:
    case OpcodeKind::table_branch:
    case OpcodeKind::product:
    case OpcodeKind::fragment:
      return LoopInput::others;
  }
  return LoopInput::others;
}

bool writes_memory(const Instruction& instruction) {
  const Opcode* const opcode = find_opcode(instruction.opcode);
  return opcode && opcode->memory != MemoryEffect::none && opcode->memory != MemoryEffect::load;
}

class ControlFinder {
 public:
  ControlFinder(const ptx::Function& function, const std::vector<const Instruction*>& loop)
      : function_(function), loop_(loop) {}

  LoopControl find() {
    add_sources([](const Instruction& one) { return decides(one); });
    follow_back();
    if (input_ == LoopInput::memory) {
      const auto calls = [](const Instruction* one) { return one->opcode == "call"; };
      if (std::ranges::any_of(loop_, calls)) input_ = LoopInput::others;
      add_sources(writes_memory);
      follow_back();
    }
    return {input_, {registers_.begin(), registers_.end()}};
  }

 private:
  template <class Chosen>
  void add_sources(Chosen chosen) {
    for (const Instruction* one : loop_) {
      if (chosen(*one)) each_source(*one, [&](std::int32_t index) { registers_.insert(index); });
    }
  }

  /// Adds what sets registers that are there, until nothing more does.
  void follow_back() {
    for (std::size_t before = registers_.size() + 1; before != registers_.size();) {
      before = registers_.size();
      add_sources([&](const Instruction& one) {
        bool sets = false;
        each_destination(one,
                         [&](std::int32_t index) { sets = sets || registers_.contains(index); });
        if (sets) input_ = std::max(input_, input_of(function_, one));
        return sets;
      });
    }
  }

  const ptx::Function& function_;
  const std::vector<const Instruction*>& loop_;
  std::set<std::int32_t> registers_;
  LoopInput input_ = LoopInput::registers;
};

}  // namespace

LoopControls::LoopControls(const ptx::Function& function) : loop_of_(function.body.size(), -1) {
  const Blocks blocks = find_blocks(function);
  const Loops loops = loops_of(blocks.successors);
  std::vector<std::vector<const Instruction*>> instructions(static_cast<std::size_t>(loops.count));
  for (std::size_t block = 0; block < blocks.successors.size(); ++block) {
    const std::int32_t loop = loops.of[block];
    if (loop < 0) continue;
    for (auto i = static_cast<std::size_t>(blocks.first[block]);
         i < static_cast<std::size_t>(blocks.first[block + 1]); ++i) {
      loop_of_[i] = loop;
      instructions[static_cast<std::size_t>(loop)].push_back(&function.body[i]);
    }
  }
  for (const auto& loop : instructions) loops_.push_back(ControlFinder(function, loop).find());
}

const LoopControl* LoopControls::at(std::size_t instruction) const {
  if (instruction >= loop_of_.size() || loop_of_[instruction] < 0) return nullptr;
  return &loops_[static_cast<std::size_t>(loop_of_[instruction])];
}

}  // namespace gridstride::sim
