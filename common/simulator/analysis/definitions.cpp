// See definitions.h.
#include "common/simulator/analysis/definitions.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/simulator/analysis/register_uses.h"

namespace gridstride::sim {

using ptx::Instruction;
using ptx::Operand;

Definitions::Definitions(const ptx::Function& function) : by_register_(function.registers.size()) {
  std::vector<bool> unknown(function.registers.size());
  for (const Instruction& instruction : function.body) {
    each_destination(instruction, [&](std::int32_t index) {
      const auto i = static_cast<std::size_t>(index);
      unknown[i] = unknown[i] || by_register_[i] != nullptr || instruction.guard >= 0;
      by_register_[i] = &instruction;
    });
  }
  for (std::size_t i = 0; i < unknown.size(); ++i)
    if (unknown[i]) by_register_[i] = nullptr;
}

const Instruction* Definitions::of(std::int32_t index) const {
  const auto i = static_cast<std::size_t>(index);
  return index >= 0 && i < by_register_.size() ? by_register_[i] : nullptr;
}

const Operand& Definitions::copied_from(const Operand& operand) const {
  const Operand* source = &operand;
  for (std::size_t steps = 0; steps < by_register_.size(); ++steps) {
    if (source->kind != Operand::Kind::reg || source->negate) break;
    const Instruction* const made = of(source->index);
    if (made == nullptr || made->opcode != "mov" || made->operands.size() != 2) break;
    if (made->operands[0].kind != Operand::Kind::reg) break;
    source = &made->operands[1];
  }
  return *source;
}

bool Definitions::is_zero(const Operand& operand) const {
  const Operand& value = copied_from(operand);
  return value.kind == Operand::Kind::immediate && !value.is_float && value.bits == 0;
}

}  // namespace gridstride::sim
