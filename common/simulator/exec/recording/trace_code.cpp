// What is said of an instruction in a trace: its text, what it does, which registers it uses.
#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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
      return '[' + shifted(base, operand.offset) + ']';
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

TraceKind kind_of(const ptx::Instruction& instruction, const Inst& inst) {
  const std::string_view opcode = instruction.opcode;
  if (opcode == "ld" || opcode == "ldu")
    return instruction.has("param") ? TraceKind::compute : TraceKind::load;
  if (opcode == "st") return instruction.has("param") ? TraceKind::compute : TraceKind::store;
  if (opcode == "atom" || opcode == "red") return TraceKind::atomic;
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

/// Opcodes that access memory in ways of their own.
bool is_not_seen(std::string_view opcode) {
  return opcode == "ldmatrix" || opcode == "stmatrix" || opcode == "wmma" || opcode == "cp" ||
         opcode == "tex" || opcode == "tld4" || opcode == "suld" || opcode == "sust" ||
         opcode == "mbarrier" || opcode == "sured";
}

}  // namespace

TraceOp trace_op(const GridRun& grid, std::uint32_t pc) {
  const KernelCode& kernel = grid.kernel;
  const Origin& origin = kernel.origins[pc];
  const Inst& inst = kernel.code[pc];
  TraceOp op;
  op.text = text_of(origin);
  op.kind = kind_of(*origin.instruction, inst);
  op.seen = !is_not_seen(origin.instruction->opcode);
  // The kernel ends where it returns.
  if (inst.control == Control::ret && origin.function == kernel.functions.front().get())
    op.kind = TraceKind::exit;
  const SourcePosition at = grid.names.line_of(pc);
  op.file = at.file;
  op.line = at.line;
  if (op.kind == TraceKind::load || op.kind == TraceKind::store || op.kind == TraceKind::atomic) {
    op.bytes = inst.width;
    for (const std::string& modifier : origin.instruction->modifiers) {
      if (const ptx::Type type = ptx::type_named(modifier); type != ptx::Type::none)
        op.type = ptx::name_of(type);
    }
    if (inst.a != no_register) op.address = {inst.a / register_alignment};
  }
  for (const VectorRegister at_register : kernel.dependences[pc].reads)
    op.reads.push_back(at_register / register_alignment);
  for (const VectorRegister at_register : kernel.dependences[pc].writes)
    op.writes.push_back(at_register / register_alignment);
  op.at = static_cast<std::uint32_t>(origin.instruction - origin.function->function->body.data());
  return op;
}

}  // namespace gridstride::sim
