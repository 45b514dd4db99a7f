// What is said of an instruction in a trace: its text, what it does, which registers it uses.
#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/simulator/analysis/opcodes.h"
#include "common/simulator/exec/grid_run.h"
#include "common/simulator/exec/trace_recorder.h"
#include "common/simulator/program/memory_use.h"
#include "common/simulator/program/program.h"

namespace gridstride::sim {
namespace {

using ptx::Operand;

std::string immediate_text(const Operand& operand) {
  if (!operand.is_float) return std::to_string(static_cast<std::int64_t>(operand.bits));
  if (operand.float_bytes == 4)
    return fmt::format("{}f", std::bit_cast<float>(static_cast<std::uint32_t>(operand.bits)));
  return fmt::format("{}", std::bit_cast<double>(operand.bits));
}

std::string operand_text(const ptx::Function& function, const Operand& operand) {
  const auto name_of_register = [&](std::int32_t index) {
    const auto at = static_cast<std::size_t>(index);
    return at < function.registers.size() ? function.registers[at].name : std::string("%?");
  };
  const auto shifted = [](std::string text, std::int64_t offset) {
    if (offset > 0) text += '+' + std::to_string(offset);
    if (offset < 0) text += std::to_string(offset);
    return text;
  };
  switch (operand.kind) {
    case Operand::Kind::reg: {
      std::string text = (operand.negate ? "!" : "") + name_of_register(operand.index);
      if (operand.second_index >= 0) text += '|' + name_of_register(operand.second_index);
      return text;
    }
    case Operand::Kind::immediate:
      return immediate_text(operand);
    case Operand::Kind::special:
      return operand.name;
    case Operand::Kind::symbol:
      return shifted(variable_title(operand.name), operand.offset);
    case Operand::Kind::address: {
      const std::string base =
          operand.index >= 0 ? name_of_register(operand.index) : variable_title(operand.name);
      std::string text = '[' + shifted(base, operand.offset);
      for (const Operand& coordinates : operand.elements)
        text += ", " + operand_text(function, coordinates);
      return text + ']';
    }
    case Operand::Kind::vector: {
      std::string text;
      for (const Operand& element : operand.elements)
        text += (text.empty() ? "" : ", ") + operand_text(function, element);
      return '{' + text + '}';
    }
    case Operand::Kind::label:
      return "there";
    case Operand::Kind::sink:
      return "_";
  }
  return {};
}

std::string text_of(const Origin& origin) {
  const ptx::Instruction& instruction = *origin.instruction;
  const ptx::Function& function = *origin.function->function;
  std::string text;
  if (instruction.guard >= 0) {
    const auto at = static_cast<std::size_t>(instruction.guard);
    text = std::string("@") + (instruction.guard_negated ? "!" : "") +
           function.registers.at(at).name + ' ';
  }
  text += instruction.full_name();
  const char* between = " ";
  for (const Operand& operand : instruction.operands) {
    text += between + operand_text(function, operand);
    between = ", ";
  }
  return text;
}

/// What analysis/opcodes.def says that it does to memory; `compute` when it does nothing.
TraceKind memory_kind_of(const ptx::Instruction& instruction) {
  const Opcode* const opcode = find_opcode(instruction.opcode);
  if (!opcode || instruction.has("param")) return TraceKind::compute;
  switch (opcode->memory) {
    case MemoryEffect::load:
      return TraceKind::load;
    case MemoryEffect::store:
      return TraceKind::store;
    case MemoryEffect::atomic:
      return TraceKind::atomic;
    case MemoryEffect::copy:  // from where to where, and how much; others wait for those
      return instruction.operands.size() >= 3 ? TraceKind::copy : TraceKind::compute;
    case MemoryEffect::by_modifier:
      return instruction.has("load")    ? TraceKind::load
             : instruction.has("store") ? TraceKind::store
                                        : TraceKind::product;
    case MemoryEffect::none:
      break;
  }
  return opcode->kind == OpcodeKind::product ? TraceKind::product : TraceKind::compute;
}

TraceKind kind_of(const ptx::Instruction& instruction, const Inst& inst) {
  if (const TraceKind kind = memory_kind_of(instruction); kind != TraceKind::compute) return kind;
  const std::string_view opcode = instruction.opcode;
  if (opcode == "shfl") return TraceKind::shuffle;
  if (opcode == "vote" || opcode == "match" || opcode == "redux" || opcode == "elect" ||
      opcode == "activemask")
    return TraceKind::vote;
  switch (inst.control) {
    case Control::barrier:
      return instruction.has("arrive") ? TraceKind::arrive : TraceKind::barrier;
    case Control::warp_sync:
      return TraceKind::warp_barrier;
    case Control::branch:
    case Control::branch_table:
      return TraceKind::branch;
    case Control::exit:
      return TraceKind::exit;
    case Control::ret:
    case Control::none:
    case Control::call:
    case Control::mbarrier:
    case Control::trap:
      return TraceKind::compute;
  }
  return TraceKind::compute;
}

/// Calls each with the number of every register of an operand, as in TraceOp::reads.
template <class Each>
void for_registers(const FunctionCode& function, const Operand& operand, Each each) {
  const auto at = static_cast<std::size_t>(operand.index);
  const bool names_one =
      operand.kind == Operand::Kind::reg || operand.kind == Operand::Kind::address;
  if (names_one && operand.index >= 0 && at < function.registers.size())
    each(function.registers[at] / register_alignment);
  for (const Operand& one : operand.elements) for_registers(function, one, each);
}

/// Of a memory instruction: those that say where, a texture's coordinates and a matrix's stride too.
std::vector<std::uint32_t> address_registers(const Origin& origin) {
  std::vector<std::uint32_t> all;
  const auto& operands = origin.instruction->operands;
  const auto add = [&](std::uint32_t number) { all.push_back(number); };
  for (const Operand& operand : operands) {
    if (operand.kind == Operand::Kind::address) for_registers(*origin.function, operand, add);
  }
  const Opcode* const opcode = find_opcode(origin.instruction->opcode);
  if (opcode->memory == MemoryEffect::by_modifier && operands.size() == 3)
    for_registers(*origin.function, operands[2], add);
  return all;
}

/// Of a product D = A * B + C, for each register that it writes that of C.
std::vector<std::uint32_t> added_registers(const Origin& origin,
                                           const std::vector<std::uint32_t>& writes) {
  const auto& operands = origin.instruction->operands;
  std::vector<std::uint32_t> to, from, all;
  if (operands.size() < 4) return all;
  for_registers(*origin.function, operands[0], [&](std::uint32_t one) { to.push_back(one); });
  for_registers(*origin.function, operands[3], [&](std::uint32_t one) { from.push_back(one); });
  for (const std::uint32_t one : writes) {
    const auto at = static_cast<std::size_t>(std::ranges::find(to, one) - to.begin());
    if (at >= from.size()) return {};
    all.push_back(from[at]);
  }
  return all;
}

}  // namespace

TraceOp trace_op(const GridRun& grid, std::uint32_t pc) {
  const KernelCode& kernel = grid.kernel;
  const Origin& origin = kernel.origins[pc];
  const Inst& inst = kernel.code[pc];
  TraceOp op;
  op.text = text_of(origin);
  op.kind = kind_of(*origin.instruction, inst);
  op.seen = (inst.control != Control::mbarrier || origin.instruction->has("bulk")) &&
            origin.instruction->opcode != "mbarrier";
  // The kernel ends where it returns.
  if (inst.control == Control::ret && origin.function == kernel.functions.front().get())
    op.kind = TraceKind::exit;
  const SourcePosition at = grid.names.line_of(pc);
  op.file = at.file;
  op.line = at.line;
  if (op.kind == TraceKind::load || op.kind == TraceKind::store || op.kind == TraceKind::atomic ||
      op.kind == TraceKind::copy) {
    op.bytes = inst.width;
    for (const std::string& modifier : origin.instruction->modifiers) {
      const ptx::Type type = ptx::type_named(modifier);
      if (type != ptx::Type::none && op.type.empty()) op.type = ptx::name_of(type);
    }
    op.address = address_registers(origin);
  }
  for (const VectorRegister at_register : kernel.dependences[pc].reads)
    op.reads.push_back(at_register / register_alignment);
  for (const VectorRegister at_register : kernel.dependences[pc].writes)
    op.writes.push_back(at_register / register_alignment);
  if (op.kind == TraceKind::product) op.added = added_registers(origin, op.writes);
  op.at = static_cast<std::uint32_t>(origin.instruction - origin.function->function->body.data());
  return op;
}

}  // namespace gridstride::sim
