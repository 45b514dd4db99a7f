// See barrier_post_dominators.h.
#include "common/simulator/analysis/barrier_post_dominators.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
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
    const std::int32_t behind = immediate[b];
    if (always == static_cast<std::int32_t>(b) || behind < 0 ||
        behind == static_cast<std::int32_t>(count)) {
      continue;
    }
    if (does_something(function, blocks, static_cast<std::size_t>(behind))) found[b] = behind;
  }
  return found;
}

}  // namespace gridstride::sim
