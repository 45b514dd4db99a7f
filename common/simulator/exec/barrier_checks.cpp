// What the user is told about barriers that not all threads reach, and about blocks that hang.
#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/simulator/base/cuda_error.h"
#include "common/simulator/exec/block.h"
#include "common/simulator/exec/grid_run.h"
#include "common/simulator/exec/warp.h"
#include "common/simulator/findings/diagnostic_text.h"
#include "common/simulator/program/barrier_use.h"
#include "common/simulator/program/pseudo_instructions.h"

namespace gridstride::sim {
namespace {

using Threads = std::vector<std::uint32_t>;

void append_threads(const Warp& warp, LaneMask lanes, Threads& threads) {
  for (; lanes != 0; lanes &= lanes - 1) {
    threads.push_back(warp.index * warp_size + static_cast<std::uint32_t>(std::countr_zero(lanes)));
  }
}

const Inst& inst_at(const GridRun& grid, const WarpSplit& split) {
  return grid.kernel.code[static_cast<std::size_t>(split.pc)];
}

/// A condition under which a barrier is waited for: the number of its post-dominator + 1, and the
/// instruction that stands in it, the barrier or a call.
struct Condition {
  std::int64_t number = 0;
  std::uint32_t barrier = 0;
};

/// Those of the barrier at which `split` waits: in the function that it stands in, and in those that
/// have called it.
std::vector<Condition> conditions_of(const GridRun& grid, const WarpSplit& split) {
  std::vector<Condition> conditions;
  const auto add = [&](const Inst& inst) {
    if (inst.imm != 0) conditions.push_back({inst.imm, inst.source});
  };
  add(inst_at(grid, split));
  for (const Frame* frame = split.frame; frame->caller; frame = frame->caller) {
    add(grid.kernel.code[static_cast<std::size_t>(frame->return_to) - 1]);
  }
  return conditions;
}

/// Where threads of a hanging block stand, and for whom they wait.
struct Place {
  std::int32_t pc = 0;
  std::uint8_t barrier =
      0;  ///< of a block barrier: its number, which may differ from thread to thread
  Threads threads, waits_for;
  std::string mask;  ///< of a warp operation
};

/// "at the barrier in line 7" or "at __syncwarp() in line 7 (mask 0xffffffff) for threads 3 to 5".
std::string text_of(const GridRun& grid, const WarpSplit& split, const Place& place) {
  const auto at = static_cast<std::uint32_t>(place.pc);
  const std::string line = " in line " + std::to_string(grid.names.line_of(at).line);
  const Inst& inst = inst_at(grid, split);
  if (split.state == WarpSplit::State::at_sync) {
    return "at " + grid.names.operation(at) + line + " (mask " + place.mask + ") for " +
           PlaceNames::threads(place.waits_for);
  }
  const auto& use = *static_cast<const BarrierUse*>(inst.extra);
  std::string text = "at the barrier" + line;
  if (use.threads != no_register) {
    text +=
        fmt::format(" (number {}, for {} threads)", split.barrier, split.first_value(use.threads));
  }
  return text;
}

}  // namespace

void Block::check_same_place(const Warp& warp) const {
  const WarpSplit& first = warp.splits.front();
  for (const WarpSplit& other : warp.splits) {
    if (other.pc == first.pc) continue;
    Threads here, there;
    append_threads(warp, first.mask, here);
    append_threads(warp, other.mask, there);
    const SourcePosition a = grid.names.position(static_cast<std::uint32_t>(first.pc));
    const SourcePosition b = grid.names.position(static_cast<std::uint32_t>(other.pc));
    Finding finding{.kind = FindingKind::barrier_divergence,
                    .kernel = grid.kernel.name,
                    .where = b,
                    .other = a,
                    .message = {}};
    for (const WarpSplit* here_or_there : {&first, &other}) {
      Threads others;
      for (const Warp& each : warps) {
        for (const WarpSplit& split : each.splits) {
          if (split.pc != here_or_there->pc) append_threads(each, split.mask, others);
        }
      }
      grid.findings.missed_barrier(static_cast<std::uint32_t>(here_or_there->pc),
                                   std::move(others));
    }
    finding.message = fmt::format(
        "In block {}, {} at the barrier in line {} while {} at another one in line {}. All threads "
        "of a block must reach the same __syncthreads(): move it out "
        "of the condition.",
        PlaceNames::index(index), PlaceNames::threads(here, "waits", "wait"), a.line,
        PlaceNames::threads(there, "of the same warp waits", "of the same warp wait"), b.line);
    grid.findings.stop(std::move(finding), error_launch_failure);
  }
}

void Block::check_same_number(std::uint32_t id, std::uint32_t threads, std::int32_t pc) const {
  if (!grid.request.checks.looks_for(FindingKind::barrier_divergence)) return;
  const Barrier& barrier = barriers_[id];
  const auto all = static_cast<std::uint32_t>(warps.size()) * warp_size;
  if ((threads == 0 ? all : threads) == (barrier.threads == 0 ? all : barrier.threads)) return;
  const auto number = [](std::uint32_t named) {
    return named == 0 ? std::string("all threads of the block") : fmt::format("{} threads", named);
  };
  const SourcePosition here = grid.names.position(static_cast<std::uint32_t>(pc));
  const SourcePosition first = grid.names.position(static_cast<std::uint32_t>(barrier.first));
  grid.findings.stop(
      {.kind = FindingKind::barrier_divergence,
       .kernel = grid.kernel.name,
       .where = here,
       .other = first,
       .message = fmt::format(
           "In block {} threads come to barrier {} for {} in line {}, and others have come to it "
           "for {} in line {}. All who meet at a barrier must name the same number: that of the "
           "threads that wait there and of those that only arrive.",
           PlaceNames::index(index), id, number(threads), here.line, number(barrier.threads),
           first.line)},
      error_launch_failure);
}

void Block::pass_barrier_post_dominator(const Warp& warp, std::uint32_t number, LaneMask mask) {
  if (post_dominators_passed_.empty()) return;
  std::uint32_t* passed =
      &post_dominators_passed_[(std::size_t{number} * warps.size() + warp.index) * warp_size];
  for (unsigned lane = 0; lane < warp_size; ++lane) passed[lane] += mask >> lane & 1;
}

void pass_barrier_post_dominator(Warp& warp, const Inst& inst, LaneMask mask) {
  warp.block->pass_barrier_post_dominator(warp, static_cast<std::uint32_t>(inst.imm), mask);
}

void Block::check_skipped(std::uint32_t waiting) const {
  for (const Warp& warp : warps) {
    if (!(waiting >> warp.index & 1)) continue;
    for (const WarpSplit& split : warp.splits) {
      for (const Condition& condition : conditions_of(grid, split)) {
        if (says_skipped(warp, split, condition.barrier, condition.number, waiting)) return;
      }
    }
  }
}

bool Block::says_skipped(const Warp& warp, const WarpSplit& split, std::uint32_t at,
                         std::int64_t condition, std::uint32_t waiting) const {
  const auto first = static_cast<std::size_t>(condition - 1) * warps.size();
  const auto lane = static_cast<std::size_t>(std::countr_zero(split.mask));
  const std::uint32_t passed = post_dominators_passed_[(first + warp.index) * warp_size + lane];
  Threads ended, elsewhere;
  std::uint32_t other_barrier = 0;
  for (const Warp& other : warps) {
    const std::uint32_t* theirs = &post_dominators_passed_[(first + other.index) * warp_size];
    const auto ahead = [&](LaneMask lanes) {
      LaneMask found = 0;
      for (; lanes != 0; lanes &= lanes - 1) {
        if (theirs[std::countr_zero(lanes)] > passed) found |= lanes & (0u - lanes);
      }
      return found;
    };
    append_threads(other, ahead(other.present & ~other.live), ended);
    if (!(waiting >> other.index & 1)) continue;
    for (const WarpSplit& there : other.splits) {
      if (there.pc == split.pc) continue;
      const LaneMask lanes = ahead(there.mask);
      append_threads(other, lanes, elsewhere);
      if (lanes != 0) other_barrier = inst_at(grid, there).source;
    }
  }
  if (ended.empty() && elsewhere.empty()) return false;
  Threads here;
  append_threads(warp, split.mask, here);
  const FindingLog::SkippedBarrier skipped{at, inst_at(grid, split).source, other_barrier};
  grid.findings.skipped_barrier(linear, skipped, here, ended.empty() ? elsewhere : ended,
                                !ended.empty());
  return true;
}

/// Nothing in the block can run: says who waits where, and for whom.
void Block::report_deadlock() const {
  report_no_mbarrier();
  std::vector<Place> places;
  std::vector<const WarpSplit*> examples;
  Threads ended;
  for (const Warp& warp : warps) {
    append_threads(warp, warp.present & ~warp.live, ended);
    for (const WarpSplit& split : warp.splits) {
      const bool at_sync = split.state == WarpSplit::State::at_sync;
      const std::uint8_t barrier = at_sync ? 0 : split.barrier;
      auto it = std::ranges::find_if(places, [&](const Place& place) {
        return place.pc == split.pc && place.barrier == barrier;
      });
      if (it == places.end()) {
        places.push_back(
            {.pc = split.pc, .barrier = barrier, .threads = {}, .waits_for = {}, .mask = {}});
        examples.push_back(&split);
        it = places.end() - 1;
      }
      append_threads(warp, split.mask, it->threads);
      if (!at_sync) continue;
      const LaneMask members = split.first_value(inst_at(grid, split).d);
      append_threads(warp, members & warp.live & ~split.mask, it->waits_for);
      if (it->mask.empty()) it->mask = mask_text(members);
    }
  }
  Finding finding{.kind = FindingKind::barrier_divergence,
                  .kernel = grid.kernel.name,
                  .where = grid.names.position(static_cast<std::uint32_t>(places.front().pc)),
                  .other = grid.names.position(static_cast<std::uint32_t>(places.back().pc)),
                  .message = "Block " + PlaceNames::index(index) + " hangs: "};
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (i > 0) finding.message += i + 1 == places.size() ? " and " : ", ";
    finding.message += PlaceNames::threads(places[i].threads, "waits ", "wait ") +
                       text_of(grid, *examples[i], places[i]);
  }
  if (!ended.empty())
    finding.message += "; " + PlaceNames::threads(ended, "has ended", "have ended");
  finding.message +=
      ". They wait for each other and none can go on: all threads must reach the same barrier, and "
      "all lanes that a mask names must reach the same warp operation.";
  grid.findings.stop(std::move(finding), error_launch_failure);
}

}  // namespace gridstride::sim
