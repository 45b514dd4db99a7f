// See basic_blocks.h.
#include "common/simulator/analysis/basic_blocks.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/simulator/base/unsupported.h"

namespace gridstride::sim {
namespace {

using ptx::Instruction;

/// Control never goes on behind it.
bool ends_path(const Instruction& instruction) {
  if (instruction.guard >= 0) return false;
  return is_branch(instruction) || instruction.opcode == "ret" || instruction.opcode == "exit" ||
         instruction.opcode == "trap";
}

}  // namespace

bool is_branch(const Instruction& instruction) {
  return instruction.opcode == "bra" || instruction.opcode == "brx";
}
std::vector<std::int32_t> targets_of(const ptx::Function& function, const Instruction& branch) {
  if (branch.opcode == "bra") return {branch.operands.at(0).index};
  for (const auto& list : function.targets) {
    if (list.label == branch.operands.at(1).name) return list.instructions;
  }
  throw Unsupported("the branch targets '" + branch.operands.at(1).name + "'");
}

Blocks find_blocks(const ptx::Function& function) {
  const auto count = static_cast<std::int32_t>(function.body.size());
  std::vector<bool> leads(static_cast<std::size_t>(count) + 1, false);
  leads[0] = true;
  for (std::int32_t i = 0; i < count; ++i) {
    const Instruction& instruction = function.body[static_cast<std::size_t>(i)];
    if (!is_branch(instruction) && !ends_path(instruction)) continue;
    leads[static_cast<std::size_t>(i) + 1] = true;
    if (!is_branch(instruction)) continue;
    for (const std::int32_t target : targets_of(function, instruction)) {
      leads.at(static_cast<std::size_t>(target)) = true;
    }
  }
  // A label behind the last instruction is a block of its own: the implicit return.
  Blocks blocks;
  std::vector<std::int32_t> block_of(static_cast<std::size_t>(count) + 1);
  for (std::int32_t i = 0; i <= count; ++i) {
    if (leads[static_cast<std::size_t>(i)] || i == count) blocks.first.push_back(i);
    block_of[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(blocks.first.size()) - 1;
  }
  const std::size_t end_block = blocks.first.size() - 1;
  blocks.first.push_back(count);
  blocks.successors.resize(end_block + 1);
  blocks.falls_through.assign(end_block + 1, false);
  for (std::size_t b = 0; b < end_block; ++b) {
    const Instruction& last = function.body[static_cast<std::size_t>(blocks.first[b + 1]) - 1];
    if (is_branch(last)) {
      for (const std::int32_t target : targets_of(function, last)) {
        blocks.successors[b].push_back(block_of[static_cast<std::size_t>(target)]);
      }
    }
    if (!ends_path(last)) {
      blocks.falls_through[b] = true;
      blocks.successors[b].push_back(static_cast<std::int32_t>(b) + 1);
    }
  }
  return blocks;
}

}  // namespace gridstride::sim
