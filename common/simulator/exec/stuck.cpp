// Blocks that wait for each other and cannot get on, told from those that only wait long.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/simulator/exec/block.h"
#include "common/simulator/exec/grid_run.h"

namespace gridstride::sim {
namespace {

/// About a second's work. A kernel that polls counts on something that happens meanwhile.
constexpr std::uint64_t quiet_instructions = 20'000'000;
constexpr std::size_t most_lines = 6, most_blocks = 3;

}  // namespace

std::string Block::standing() const {
  std::map<std::uint32_t, std::vector<std::uint32_t>> threads;  // by line
  for (const Warp& warp : warps) {
    for (const Group& group : warp.groups) {
      auto& here = threads[grid.line_of(static_cast<std::uint32_t>(group.pc)).line];
      for (LaneMask rest = group.mask; rest != 0; rest &= rest - 1) {
        here.push_back(warp.index * warp_size + static_cast<std::uint32_t>(std::countr_zero(rest)));
      }
    }
  }
  std::string text;
  std::size_t shown = 0;
  for (auto& [line, here] : threads) {
    if (++shown > most_lines) break;
    std::ranges::sort(here);
    if (shown > 1) text += shown == threads.size() ? " and " : ", ";
    text += GridRun::threads_title(here) + " in line " + std::to_string(line);
  }
  return text;
}

void GridRun::check_stuck(const std::vector<Block*>& blocks) {
  std::uint64_t events = atomic_changes + finished_blocks_ + turns_used_ + blocks.size();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const ptx::Instruction* instruction = kernel.origins[i].instruction;
    const bool changes =
        instruction && (instruction->opcode == "st" || kernel.code[i].control == Control::barrier ||
                        kernel.code[i].control == Control::exit);
    if (changes) events += counts[i].executed;
  }
  const std::uint64_t now = issued();
  if (events != events_) {
    events_ = events;
    quiet_since_ = now;
    return;
  }
  if (now - quiet_since_ < quiet_instructions) return;
  Finding result;
  result.kind = FindingKind::timeout;
  result.kernel = kernel.name;
  result.message = "The kernel hangs: every thread that is left waits for another one.";
  for (std::size_t i = 0; i < std::min(blocks.size(), most_blocks); ++i) {
    result.message += (i == 0 ? " In block " : "; in block ") + text_of(blocks[i]->index) +
                      " stand " + blocks[i]->standing();
  }
  if (blocks.size() > most_blocks) {
    result.message += "; and " + std::to_string(blocks.size() - most_blocks) + " further blocks";
  }
  result.message +=
      ". They have only looked, for " + std::to_string(now - quiet_since_) +
      " warp instructions, and nothing in memory has changed: a lock that nobody gives back, or a "
      "flag that nobody sets?";
  for (const Warp& warp : blocks.front()->warps) {
    if (warp.groups.empty()) continue;
    result.where = position(static_cast<std::uint32_t>(warp.groups.front().pc));
    break;
  }
  stop(std::move(result), 702);
}

}  // namespace gridstride::sim
