// Which registers an instruction reads and which it writes, as the parser names them.
#pragma once

#include <cstddef>

#include "common/simulator/analysis/opcodes.h"
#include "common/simulator/ptx/module.h"

namespace gridstride::sim {

/// Whether the first operand is written. Of an opcode without a row nobody knows; it is refused
/// when it is decoded.
inline bool has_destination(const ptx::Instruction& instruction) {
  const Opcode* opcode = find_opcode(instruction.opcode);
  switch (opcode ? opcode->result : Result::first) {
    case Result::no_result:
      return false;
    case Result::first_of_red:
      return instruction.has("red");
    case Result::first:
      break;
  }
  return !instruction.operands.empty();
}

/// Calls each(index) for the registers that are written.
template <class Each>
void each_destination(const ptx::Instruction& instruction, Each each) {
  using Kind = ptx::Operand::Kind;
  if (!has_destination(instruction)) return;
  const ptx::Operand& first = instruction.operands.front();
  if (first.index >= 0 && first.kind == Kind::reg) each(first.index);
  if (first.second_index >= 0) each(first.second_index);
  for (const ptx::Operand& element : first.elements) {
    if (element.kind == Kind::reg) each(element.index);
  }
}

/// Calls each(index) for the registers that are read, the guard among them.
template <class Each>
void each_source(const ptx::Instruction& instruction, Each each) {
  using Kind = ptx::Operand::Kind;
  if (instruction.guard >= 0) each(instruction.guard);
  const auto read = [&](const ptx::Operand& operand) {
    const bool names = operand.kind == Kind::reg || operand.kind == Kind::address;
    if (names && operand.index >= 0) each(operand.index);
    if (names && operand.second_index >= 0) each(operand.second_index);
  };
  for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
    const bool address = instruction.operands[i].kind == Kind::address;
    if (i == 0 && has_destination(instruction) && !address) continue;
    read(instruction.operands[i]);
    for (const ptx::Operand& element : instruction.operands[i].elements) read(element);
  }
}

}  // namespace gridstride::sim
