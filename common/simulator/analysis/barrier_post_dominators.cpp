// See barrier_post_dominators.h.
#include "common/simulator/analysis/barrier_post_dominators.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/simulator/analysis/post_dominators.h"

namespace gridstride::sim {
namespace {

using ptx::Instruction;

bool is_block_barrier(const Instruction& instruction) {
  const bool barrier = instruction.opcode == "bar" || instruction.opcode == "barrier";
  return barrier && !instruction.has("warp") && !instruction.has("arrive");
}

/// Whether a thread does anything there but end.
bool does_something(const ptx::Function& function, const Blocks& blocks, std::size_t block) {
  const auto begin = function.body.begin() + blocks.first[block];
  const auto end = function.body.begin() + blocks.first[block + 1];
  return std::any_of(begin, end, [](const Instruction& instruction) {
    return instruction.opcode != "ret" && instruction.opcode != "exit";
  });
}

/// Registers that threads of a block may have different values in, as far as they come of the
/// thread's index: also by loads from different addresses. What a branch decides is left out.
std::vector<bool> differing_registers(const ptx::Function& function) {
  std::vector<bool> differ(function.registers.size());
  const auto of_thread = [](const std::string& name) {
    return name.starts_with("%tid") || name == "%laneid" || name == "%warpid";
  };
  const auto reads = [&](const ptx::Operand& operand, const auto& self) -> bool {
    if (operand.index >= 0 && differ[static_cast<std::size_t>(operand.index)]) return true;
    if (operand.kind == ptx::Operand::Kind::special && of_thread(operand.name)) return true;
    return std::any_of(operand.elements.begin(), operand.elements.end(),
                       [&](const ptx::Operand& element) { return self(element, self); });
  };
  bool changed = true;
  const auto write = [&](const ptx::Operand& operand, const auto& self) -> void {
    for (const std::int32_t index : {operand.index, operand.second_index}) {
      if (operand.kind != ptx::Operand::Kind::reg || index < 0) continue;
      changed |= !differ[static_cast<std::size_t>(index)];
      differ[static_cast<std::size_t>(index)] = true;
    }
    for (const ptx::Operand& element : operand.elements) self(element, self);
  };
  while (changed) {
    changed = false;
    for (const Instruction& instruction : function.body) {
      const auto& operands = instruction.operands;
      if (operands.size() < 2 || instruction.opcode == "st" || instruction.opcode == "call")
        continue;
      if (std::any_of(operands.begin() + 1, operands.end(),
                      [&](const ptx::Operand& operand) { return reads(operand, reads); })) {
        write(operands.front(), write);
      }
    }
  }
  return differ;
}

/// Conditions that decide whether a thread comes to a block.
class Conditions {
 public:
  Conditions(const ptx::Function& function, const Blocks& blocks,
             const std::vector<std::int32_t>& immediate)
      : function_(function),
        blocks_(blocks),
        immediate_(immediate),
        differ_(differing_registers(function)) {}

  /// The block that ends in one which threads of a block may decide differently, or -1.
  std::int32_t divergent(std::size_t block) const {
    std::vector<bool> seen(blocks_.successors.size());
    std::vector<std::size_t> open = {block};
    while (!open.empty()) {
      const std::size_t here = open.back();
      open.pop_back();
      for (std::size_t c = 0; c < seen.size(); ++c) {
        if (seen[c] || !decides(c, here)) continue;
        if (differs(c)) return static_cast<std::int32_t>(c);
        seen[c] = true;
        open.push_back(c);
      }
    }
    return -1;
  }

 private:
  /// Whether all ways from `from` lead through `block`.
  bool always_comes_to(std::size_t from, std::size_t block) const {
    auto at = static_cast<std::int32_t>(from);
    while (at >= 0 && at < static_cast<std::int32_t>(immediate_.size())) {
      if (static_cast<std::size_t>(at) == block) return true;
      at = immediate_[static_cast<std::size_t>(at)];
    }
    return false;
  }
  bool decides(std::size_t c, std::size_t block) const {
    const auto& next = blocks_.successors[c];
    if (next.size() < 2 || (c != block && always_comes_to(c, block))) return false;
    return std::any_of(next.begin(), next.end(), [&](std::int32_t one) {
      return one >= 0 && always_comes_to(static_cast<std::size_t>(one), block);
    });
  }
  bool differs(std::size_t c) const {
    const Instruction& last = function_.body[static_cast<std::size_t>(blocks_.first[c + 1]) - 1];
    return last.guard >= 0 && differ_[static_cast<std::size_t>(last.guard)];
  }

  const ptx::Function& function_;
  const Blocks& blocks_;
  const std::vector<std::int32_t>& immediate_;
  std::vector<bool> differ_;
};

/// Functions with more blocks than any lesson needs are looked at less closely.
constexpr std::size_t most_blocks = 2000;

}  // namespace

bool waits_at_block_barrier(const Instruction& instruction, const BarrierFunctions& waiting) {
  if (instruction.opcode == "call" && instruction.operands.size() > 1) {
    return waiting.contains(instruction.operands[1].name);
  }
  return is_block_barrier(instruction);
}

BarrierFunctions barrier_functions(const std::vector<const ptx::Function*>& functions) {
  BarrierFunctions waiting;
  for (std::size_t before = ~std::size_t{0}; before != waiting.size();) {
    before = waiting.size();
    for (const ptx::Function* function : functions) {
      const bool waits = std::ranges::any_of(function->body, [&](const Instruction& instruction) {
        return waits_at_block_barrier(instruction, waiting);
      });
      if (waits) waiting.insert(function->name);
    }
  }
  return waiting;
}

std::vector<std::int32_t> barrier_post_dominators(const ptx::Function& function,
                                                  const Blocks& blocks,
                                                  const BarrierFunctions& waiting) {
  const auto waits = [&](const Instruction& instruction) {
    return waits_at_block_barrier(instruction, waiting);
  };
  const std::size_t count = blocks.successors.size();
  std::vector<std::int32_t> found(count, -1), immediate;
  std::optional<Conditions> conditions;
  for (std::size_t b = 0; b < count; ++b) {
    const auto begin = function.body.begin() + blocks.first[b];
    const auto end = function.body.begin() + blocks.first[b + 1];
    if (std::none_of(begin, end, waits)) continue;
    if (immediate.empty()) immediate = post_dominators(blocks.successors);
    std::int32_t always = 0;  // what every thread executes: 0 and what follows it on every path
    while (always >= 0 && always != static_cast<std::int32_t>(b) &&
           always < static_cast<std::int32_t>(count)) {
      always = immediate[static_cast<std::size_t>(always)];
    }
    if (always == static_cast<std::int32_t>(b)) continue;
    const auto take = [&](std::int32_t behind) {
      if (behind < 0 || behind >= static_cast<std::int32_t>(count)) return;
      if (does_something(function, blocks, static_cast<std::size_t>(behind))) found[b] = behind;
    };
    take(immediate[b]);
    // What follows the barrier may stand in the same condition still.
    if (count > most_blocks) continue;
    if (!conditions) conditions.emplace(function, blocks, immediate);
    const std::int32_t condition = conditions->divergent(b);
    if (condition >= 0) take(immediate[static_cast<std::size_t>(condition)]);
  }
  return found;
}

}  // namespace gridstride::sim
