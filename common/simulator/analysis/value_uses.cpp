// Follows a value through the straight code behind it, and on to where all paths reconverge.
#include "common/simulator/analysis/value_uses.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "common/simulator/analysis/basic_blocks.h"
#include "common/simulator/analysis/opcodes.h"
#include "common/simulator/analysis/post_dominators.h"

namespace gridstride::sim {
namespace {

using ptx::Instruction;
using ptx::Operand;
using Registers = std::set<std::int32_t>;

bool holds(const Operand& operand, const Registers& registers) {
  if (operand.index >= 0 && operand.kind != Operand::Kind::label &&
      registers.contains(operand.index)) {
    return true;
  }
  return std::ranges::any_of(operand.elements,
                             [&](const Operand& element) { return holds(element, registers); });
}

void for_each_destination(const Operand& operand, auto&& use) {
  if (operand.kind == Operand::Kind::reg) use(operand.index);
  if (operand.second_index >= 0) use(operand.second_index);
  for (const Operand& element : operand.elements) for_each_destination(element, use);
}

/// Goes through instructions `begin` … `end` - 1 with the value in `registers`; true when it is
/// used. Afterwards `registers` has those that hold it, or what was computed from it.
bool follow(const ptx::Function& function, std::int32_t begin, std::int32_t end,
            Registers& registers) {
  for (std::int32_t i = begin; i < end && !registers.empty(); ++i) {
    const Instruction& instruction = function.body[static_cast<std::size_t>(i)];
    if (registers.contains(instruction.guard)) return true;
    const Opcode* const opcode = find_opcode(instruction.opcode);
    const bool final = opcode != nullptr && (opcode->traits & trait::consumes) != 0;
    const bool makes_result =
        !final || (opcode->result == Result::first && !instruction.operands.empty() &&
                   instruction.operands.front().kind == Operand::Kind::reg);
    const auto sources = instruction.operands.begin() + (makes_result ? 1 : 0);
    const bool reads =
        !instruction.operands.empty() &&
        std::any_of(sources, instruction.operands.end(),
                    [&](const Operand& operand) { return holds(operand, registers); });
    const bool may_be_thrown_away = instruction.guard >= 0 || instruction.opcode == "selp";
    if (reads && final && !may_be_thrown_away) return true;
    if (!makes_result || instruction.operands.empty()) continue;
    for_each_destination(instruction.operands.front(), [&](std::int32_t written) {
      if (reads && !final && !may_be_thrown_away) {
        registers.insert(written);
      } else if (instruction.guard < 0) {
        registers.erase(written);
      }
    });
  }
  return false;
}

}  // namespace

bool is_surely_used(const ptx::Function& function, std::size_t at) {
  const Instruction& instruction = function.body.at(at);
  if (instruction.operands.empty()) return false;
  Registers registers;
  for_each_destination(instruction.operands.front(),
                       [&](std::int32_t written) { registers.insert(written); });
  const Blocks blocks = find_blocks(function);
  const std::vector<std::int32_t> reconvergence = post_dominators(blocks.successors);
  const auto count = static_cast<std::int32_t>(reconvergence.size());
  const auto behind = std::ranges::upper_bound(blocks.first, static_cast<std::int32_t>(at));
  const auto own = static_cast<std::int32_t>(behind - blocks.first.begin()) - 1;
  const auto leads_to_own = [&](std::int32_t block) {
    while (block >= 0 && block < count && block != own)
      block = reconvergence[static_cast<std::size_t>(block)];
    return block == own;
  };
  std::set<std::int32_t> visited;
  std::int32_t head = -1;  // from where the value goes round in a loop
  /// From instruction `begin` of `block` on through all that every path comes to.
  const auto walk = [&](std::int32_t block, std::int32_t begin) {
    while (block >= 0 && block < count) {
      const auto b = static_cast<std::size_t>(block);
      if (follow(function, begin, blocks.first[b + 1], registers)) return true;
      visited.insert(block);
      for (const std::int32_t next : blocks.successors[b]) {
        if (head < 0 && (visited.contains(next) || leads_to_own(next))) head = next;
      }
      block = reconvergence[b];
      if (block >= 0 && block < count) begin = blocks.first[static_cast<std::size_t>(block)];
    }
    return false;
  };
  if (walk(own, static_cast<std::int32_t>(at) + 1)) return true;
  return head >= 0 && walk(head, blocks.first[static_cast<std::size_t>(head)]);
}

}  // namespace gridstride::sim
