// See atomic_results.h.
#include "common/simulator/analysis/atomic_results.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

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

using Edges = std::vector<std::vector<std::int32_t>>;

/// By block: whether `begin` leads to it in one step or more.
std::vector<bool> reached_from(std::size_t begin, const Edges& edges) {
  std::vector<bool> reached(edges.size());
  std::vector<std::size_t> next = {begin};
  while (!next.empty()) {
    const std::size_t block = next.back();
    next.pop_back();
    for (const std::int32_t to : edges[block]) {
      const auto at = static_cast<std::size_t>(to);
      if (at >= edges.size() || reached[at]) continue;
      reached[at] = true;
      next.push_back(at);
    }
  }
  return reached;
}

Edges turned(const Edges& edges) {
  Edges result(edges.size());
  for (std::size_t from = 0; from < edges.size(); ++from) {
    for (const std::int32_t to : edges[from]) {
      const auto at = static_cast<std::size_t>(to);
      if (at < edges.size()) result[at].push_back(static_cast<std::int32_t>(from));
    }
  }
  return result;
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

/// The blocks that lead to one of them and back.
struct Loop {
  std::vector<bool> behind, before;
  bool has(std::int32_t block) const {
    const auto b = static_cast<std::size_t>(block);
    return b < behind.size() && behind[b] && before[b];
  }
};

/// Whether `loop` is left under a condition that is in one of `registers`.
bool may_end_by(const std::vector<bool>& registers, const Loop& loop, const ptx::Function& function,
                const Blocks& blocks) {
  for (std::size_t b = 0; b < blocks.successors.size(); ++b) {
    if (!loop.has(static_cast<std::int32_t>(b))) continue;
    const bool leads_out = !std::ranges::all_of(blocks.successors[b],
                                                [&](std::int32_t next) { return loop.has(next); });
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
  Edges backwards;
  for (std::size_t own = 0; own < blocks.successors.size(); ++own) {
    for (std::int32_t at = blocks.first[own]; at < blocks.first[own + 1]; ++at) {
      const ptx::Instruction& draw = function.body[static_cast<std::size_t>(at)];
      if (!is_draw(draw)) continue;
      if (backwards.empty()) backwards = turned(blocks.successors);
      const Loop loop{reached_from(own, blocks.successors), reached_from(own, backwards)};
      if (loop.has(static_cast<std::int32_t>(own)) &&
          may_end_by(follow(function, draw), loop, function, blocks))
        return true;
    }
  }
  return false;
}

}  // namespace gridstride::sim
