// See atomic_results.h.
#include "common/simulator/analysis/atomic_results.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/simulator/analysis/loops.h"
#include "common/simulator/analysis/register_uses.h"

namespace gridstride::sim {
namespace {

bool is_of_shared_memory(const ptx::Instruction& instruction) {
  return instruction.has("shared") || instruction.has("shared::cta");
}

/// An addition to what other blocks add to, whose sum somebody may want.
bool is_draw(const ptx::Instruction& instruction) {
  if (instruction.opcode != "atom" || is_of_shared_memory(instruction)) return false;
  if (!instruction.has("add") && !instruction.has("inc") && !instruction.has("dec")) return false;
  const ptx::Operand& by = instruction.operands.back();
  return by.kind != ptx::Operand::Kind::immediate || by.bits != 0;
}

/// By register: whether its value may come from what `draw` returned.
std::vector<bool> follow(const ptx::Function& function, const ptx::Instruction& draw) {
  std::vector<bool> follows(function.registers.size());
  const auto add = [&follows](const ptx::Instruction& instruction) {
    bool is_new = false;
    each_destination(instruction, [&](std::int32_t at) {
      is_new = is_new || !follows[static_cast<std::size_t>(at)];
      follows[static_cast<std::size_t>(at)] = true;
    });
    return is_new;
  };
  bool stored = false;
  for (bool more = add(draw); more;) {
    more = false;
    for (const ptx::Instruction& instruction : function.body) {
      const bool loads = instruction.opcode == "ld",
                 in_memory = loads || instruction.opcode == "st";
      if (in_memory && (instruction.has("global") || instruction.has("const"))) continue;
      bool reads = loads && stored;
      each_source(instruction,
                  [&](std::int32_t at) { reads = reads || follows[static_cast<std::size_t>(at)]; });
      if (!reads) continue;
      if (instruction.opcode == "st") {
        more = more || !stored;
        stored = true;
      } else if (add(instruction)) {
        more = true;
      }
    }
  }
  return follows;
}

/// Whether loop number `loop` is left under a condition that is in one of `registers`.
bool may_end_by(const std::vector<bool>& registers, std::int32_t loop, const Loops& loops,
                const ptx::Function& function, const Blocks& blocks) {
  for (std::size_t b = 0; b < blocks.successors.size(); ++b) {
    if (loops.of[b] != loop) continue;
    const bool leads_out = std::ranges::any_of(blocks.successors[b], [&](std::int32_t next) {
      return loops.of[static_cast<std::size_t>(next)] != loop;
    });
    for (std::int32_t i = blocks.first[b]; i < blocks.first[b + 1]; ++i) {
      const ptx::Instruction& exit = function.body[static_cast<std::size_t>(i)];
      const bool leaves =
          exit.opcode == "ret" || exit.opcode == "exit" || (leads_out && is_branch(exit));
      if (leaves && exit.guard >= 0 && registers[static_cast<std::size_t>(exit.guard)]) return true;
    }
  }
  return false;
}

}  // namespace

bool uses_atomic_results(const ptx::Function& function) {
  std::vector<bool> read(function.registers.size());
  for (const ptx::Instruction& instruction : function.body) {
    each_source(instruction, [&](std::int32_t at) { read[static_cast<std::size_t>(at)] = true; });
  }
  bool used = false;
  for (const ptx::Instruction& instruction : function.body) {
    if (instruction.opcode != "atom") continue;
    if (is_of_shared_memory(instruction)) continue;
    each_destination(instruction,
                     [&](std::int32_t at) { used = used || read[static_cast<std::size_t>(at)]; });
  }
  return used;
}

bool draws_work(const ptx::Function& function, const Blocks& blocks) {
  if (std::ranges::none_of(function.body, is_draw)) return false;
  const Loops loops = loops_of(blocks.successors);
  for (std::size_t b = 0; b < blocks.successors.size(); ++b) {
    if (loops.of[b] < 0) continue;
    for (std::int32_t i = blocks.first[b]; i < blocks.first[b + 1]; ++i) {
      const ptx::Instruction& draw = function.body[static_cast<std::size_t>(i)];
      if (is_draw(draw) && may_end_by(follow(function, draw), loops.of[b], loops, function, blocks))
        return true;
    }
  }
  return false;
}

}  // namespace gridstride::sim
