// When a grid has run for too long: its budget is used up, or its blocks wait for each other and
// cannot get on.
#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/simulator/analysis/classify.h"
#include "common/simulator/base/cuda_error.h"
#include "common/simulator/exec/block.h"
#include "common/simulator/exec/grid_run.h"
#include "common/simulator/exec/warp.h"
#include "common/simulator/findings/diagnostic_text.h"

namespace gridstride::sim {
namespace {

/// About a second's work. A kernel that polls counts on something that happens meanwhile.
constexpr std::uint64_t quiet_instructions = 20'000'000;
/// Where blocks have not started and find room only when one of these ends, less is enough.
constexpr std::uint64_t quiet_before_others = quiet_instructions / 10;
/// Where all that is left waits for mbarriers: nothing but those threads can open them.
constexpr std::uint64_t quiet_at_mbarriers = quiet_instructions / 4;
constexpr std::size_t most_lines = 6, most_blocks = 3;

/// What the budget is in modelled time.
std::string issue_time_text(const GridRequest& request) {
  if (request.issue_rate <= 0) return "";
  return fmt::format(", at least {:.2g} s of modelled time",
                     static_cast<double>(request.instruction_budget) / request.issue_rate);
}

}  // namespace

std::string Block::standing() const {
  std::map<std::uint32_t, std::vector<std::uint32_t>> threads;  // by line
  for (const Warp& warp : warps) {
    for (const WarpSplit& split : warp.splits) {
      auto& here = threads[grid.names.line_of(static_cast<std::uint32_t>(split.pc)).line];
      for (LaneMask rest = split.mask; rest != 0; rest &= rest - 1) {
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
    text += fmt::format("{} in line {}", PlaceNames::threads(here), line);
  }
  return text;
}

std::string Block::missing_arrivals() const {
  std::string text;
  std::vector<std::uint32_t> told;
  for (const Warp& warp : warps) {
    if (warp.live == 0 || warp.waiting_since < 0) continue;
    const auto known = mbarriers.all().find(warp.waiting_at);
    if (known == mbarriers.all().end() || std::ranges::count(told, warp.waiting_at) != 0) continue;
    told.push_back(warp.waiting_at);
    text += fmt::format(" Of the mbarrier in {}, of block {}: {}.",
                        grid.names.shared_memory(warp.waiting_at, 8), PlaceNames::index(index),
                        Mbarriers::missing_in(known->second));
  }
  return text;
}

bool Block::waits_for_mbarriers() const {
  return std::ranges::all_of(warps, [](const Warp& warp) {
    const auto waits = [](const WarpSplit& split) {
      return split.state == WarpSplit::State::at_barrier;
    };
    return warp.live == 0 || warp.waiting_since >= 0 || std::ranges::all_of(warp.splits, waits);
  });
}

std::string GridRun::missing_blocks(std::uint64_t running) const {
  const std::uint64_t total = request.grid.count();
  const std::uint64_t not_begun = total - std::min(total, finished_blocks_ + running);
  std::string text;
  if (finished_blocks_ != 0) {
    text += fmt::format(" {} of the {} blocks of the grid {} ended and can do nothing for them: ",
                        finished_blocks_, total, finished_blocks_ == 1 ? "has" : "have");
    for (std::size_t i = 0; i < first_finished_.size(); ++i) {
      text += (i > 0 ? ", " : "") + names.block(first_finished_[i]);
    }
    text += finished_blocks_ > first_finished_.size() ? " and more." : ".";
  }
  if (not_begun != 0) {
    text += fmt::format(
        " {} of the {} blocks {} not started: {} fit on the device at once, and a block starts "
        "when "
        "another one ends. Nothing says in which order they start, so none may wait for what a "
        "later "
        "one does: a barrier of the grid needs room for all its blocks, and a block that needs "
        "those "
        "before it draws its number from an atomic counter (atomicAdd) when it starts, and does "
        "not "
        "take it from blockIdx.",
        not_begun, total, not_begun == 1 ? "has" : "have", request.resident_blocks);
  }
  return text;
}

void GridRun::check_budget(const Warp* where) {
  if (request.instruction_budget == 0) return;
  const std::uint64_t sum = std::max(counters.issued(), finished_blocks_);
  if (sum <= request.instruction_budget) return;
  Finding result;
  result.kind = FindingKind::timeout;
  result.kernel = kernel.name;
  result.message =
      fmt::format("The kernel was stopped at the limit of one launch: {} warp instructions{}.",
                  request.instruction_budget, issue_time_text(request));
  if (where && !where->splits.empty()) {
    const WarpSplit& split = where->splits[std::min(where->current, where->splits.size() - 1)];
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(split.mask));
    result.where = names.position(static_cast<std::uint32_t>(split.pc));
    result.message +=
        " " + capital(names.thread(thread_of(*where, lane))) + " was in a loop; does it ever end?";
  }
  if (!request.limit_advice.empty()) result.message += " " + std::string(request.limit_advice);
  findings.stop(std::move(result), error_launch_timeout);
}

void GridRun::check_endless(const Warp& warp) {
  counters.add_runs();
  if (endless_loops.is_endless(warp)) report_endless(warp);
}

void GridRun::check_endless(const Block& block) {
  counters.add_runs();
  if (!endless_loops.is_endless(block)) return;
  report_endless(
      *std::ranges::find_if(block.warps, [](const Warp& warp) { return warp.live != 0; }));
}

void GridRun::report_endless(const Warp& warp) {
  const WarpSplit& split = warp.splits[std::min(warp.current, warp.splits.size() - 1)];
  const auto lane = static_cast<std::uint32_t>(std::countr_zero(split.mask));
  Finding result;
  result.kind = FindingKind::timeout;
  result.kernel = kernel.name;
  // What the layout adds at a loop's head has no line.
  for (auto pc = static_cast<std::uint32_t>(split.pc);
       pc < kernel.code.size() && result.where.line == 0; ++pc)
    result.where = names.position(pc);
  result.message = fmt::format(
      "The loop never ends: {} came back to it with all that decides how it goes on as it was "
      "before, so it does the same for ever. What its condition tests never changes, or changes in "
      "a circle.",
      names.thread(thread_of(warp, lane)));
  findings.stop(std::move(result), error_launch_timeout);
}

void GridRun::check_stuck(const std::vector<Block*>& blocks, std::uint64_t unstarted) {
  const std::uint64_t now = counters.issued();
  std::uint64_t events = counters.atomic_changes + finished_blocks_ + turns_used_ + blocks.size();
  for (std::size_t i = 0; i < counters.counts.size(); ++i) {
    const ptx::Instruction* instruction = kernel.origins[i].instruction;
    if (!instruction) continue;
    const InstructionCounts& count = counters.counts[i];
    // What a thread keeps in its own local memory, as with -G all it has, lets nobody else go on.
    if (kernel.classes[i].counters == CounterGroup::stores)
      events += count.global_requests + count.shared_requests + count.texture_requests;
    if (kernel.code[i].control == Control::barrier || kernel.code[i].control == Control::exit)
      events += count.executed;
  }
  if (events != events_) {
    events_ = events;
    quiet_since_ = now;
    return;
  }
  const auto enough = [&] {
    if (unstarted > 0) return quiet_before_others;
    const bool waits = std::ranges::all_of(blocks, &Block::waits_for_mbarriers);
    return waits ? quiet_at_mbarriers : quiet_instructions;
  };
  if (now - quiet_since_ < std::min(quiet_before_others, quiet_at_mbarriers) ||
      now - quiet_since_ < enough())
    return;
  Finding result;
  result.kind = FindingKind::timeout;
  result.kernel = kernel.name;
  result.message = "The kernel hangs: every thread that is left waits for another one.";
  for (std::size_t i = 0; i < std::min(blocks.size(), most_blocks); ++i) {
    result.message += (i == 0 ? " In block " : "; in block ") +
                      PlaceNames::index(blocks[i]->index) + " stand " + blocks[i]->standing();
  }
  if (blocks.size() > most_blocks) {
    result.message += fmt::format("; and {} further blocks", blocks.size() - most_blocks);
  }
  result.message += fmt::format(
      ". They have only looked, for {} warp instructions, and nothing in memory has changed: a "
      "lock "
      "that nobody gives back, or a flag that nobody sets?",
      now - quiet_since_);
  std::string missing;
  for (std::size_t i = 0; i < std::min(blocks.size(), most_blocks); ++i) {
    missing += blocks[i]->missing_arrivals();
  }
  missing += missing_blocks(blocks.size());
  result.message +=
      missing.empty()
          ? " A kernel runs alone here, when it is launched: what the host or another kernel would "
            "set meanwhile is not set."
          : missing;
  for (const Warp& warp : blocks.front()->warps) {
    if (warp.splits.empty()) continue;
    result.where = names.position(static_cast<std::uint32_t>(warp.splits.front().pc));
    break;
  }
  findings.stop(std::move(result), error_launch_timeout);
}

}  // namespace gridstride::sim
