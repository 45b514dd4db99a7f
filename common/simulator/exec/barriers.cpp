// Block barriers: who has come, when they open, and what it means when they never can.
#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

#include "common/simulator/base/cuda_error.h"
#include "common/simulator/exec/block.h"
#include "common/simulator/exec/grid_run.h"
#include "common/simulator/exec/observers.h"
#include "common/simulator/exec/warp.h"
#include "common/simulator/program/barrier_use.h"

namespace gridstride::sim {
namespace {

const BarrierUse& use_at(const GridRun& grid, const WarpSplit& split) {
  return *static_cast<const BarrierUse*>(
      grid.kernel.code[static_cast<std::size_t>(split.pc)].extra);
}

}  // namespace

void Block::arrive(Warp& warp, const Inst& inst, LaneMask mask) {
  const auto& use = *static_cast<const BarrierUse*>(inst.extra);
  WarpSplit& split = warp.splits[warp.current];
  const std::uint32_t id = split.first_value(use.id);
  if (id >= barriers_.size()) {
    grid.findings.bad_instruction(thread_of(warp, first_lane(mask)), inst.source,
                                  "names barrier " + std::to_string(id) + "; a block has 16",
                                  error_launch_failure);
  }
  const std::uint32_t threads = use.threads == no_register ? 0 : split.first_value(use.threads);
  if (threads % warp_size != 0) {
    grid.findings.bad_instruction(
        thread_of(warp, first_lane(mask)), inst.source,
        fmt::format("names {} threads for barrier {}. Whole warps wait at a barrier: it takes a "
                    "multiple of 32",
                    threads, id),
        error_illegal_instruction);
  }
  if (use.kind == BarrierUse::Kind::arrive) {
    expect_at_barrier(id, threads, split.pc);
    barriers_[id].arrived_only += warp_size;  // a warp counts as a whole
    barriers_[id].arrivals.push_back(order.arrive(warp.index));
    ++split.pc;
    check_barrier(id);
    return;
  }
  split.state = WarpSplit::State::at_barrier;
  split.barrier = static_cast<std::uint8_t>(id);
  split.barrier_threads = threads;
  any_reduces_ = any_reduces_ || use.predicate != no_register;
  if (warp.splits.size() == 1) return;
  // Lanes that came earlier to this very instruction are joined: it counts once for the warp.
  for (std::size_t i = 0; i < warp.splits.size(); ++i) {
    WarpSplit& other = warp.splits[i];
    if (i == warp.current || other.state != WarpSplit::State::at_barrier || other.pc != split.pc ||
        other.frame != split.frame) {
      continue;
    }
    other.mask |= split.mask;
    --grid.counters.counts[inst.source].executed;
    warp.splits.erase(warp.splits.begin() + static_cast<std::ptrdiff_t>(warp.current));
    return;
  }
}

void Block::expect_at_barrier(std::uint32_t id, std::uint32_t threads, std::int32_t pc) {
  Barrier& barrier = barriers_[id];
  if (barrier.waiting == 0 && barrier.arrived_only == 0) {
    barrier.first = pc;
  } else if (barrier.threads != threads) {
    check_same_number(id, threads, pc);
  }
  barrier.threads = threads;
}

void Block::check_barrier(std::uint32_t id) {
  Barrier& barrier = barriers_[id];
  if (barrier.threads != 0) {
    const auto come = static_cast<std::uint32_t>(std::popcount(barrier.waiting)) * warp_size +
                      barrier.arrived_only;
    if (come >= barrier.threads) release(id);
    return;
  }
  if ((live_warps_ & ~barrier.waiting) == 0) release(id);
}

/// After a warp has run: is all of it at one barrier, or gone?
void Block::settle(Warp& warp) {
  if (warp.live == 0) {
    live_warps_ &= ~(1u << warp.index);
    end_time = std::max(end_time, warp.times.next);
    for (std::uint32_t id = 0; id < barriers_.size(); ++id) {
      if (barriers_[id].waiting != 0) check_barrier(id);
    }
    return;
  }
  const WarpSplit& first = warp.splits.front();
  LaneMask waiting = 0;
  for (const WarpSplit& split : warp.splits) {
    if (split.state != WarpSplit::State::at_barrier || split.barrier != first.barrier) return;
    waiting |= split.mask;
  }
  if (waiting != warp.live) return;
  expect_at_barrier(first.barrier, first.barrier_threads, first.pc);
  barriers_[first.barrier].waiting |= 1u << warp.index;
  check_barrier(first.barrier);
}

void Block::reduce(std::uint32_t id) {
  if (!any_reduces_) return;
  std::uint32_t count = 0, threads_here = 0;
  bool reduces = false;
  for (const Warp& warp : warps) {
    if (!(barriers_[id].waiting >> warp.index & 1)) continue;
    for (const WarpSplit& split : warp.splits) {
      const BarrierUse& use = use_at(grid, split);
      if (use.predicate == no_register) continue;
      reduces = true;
      const LaneMask predicate = *vector_register<LaneMask>(split.frame->registers, use.predicate);
      count += static_cast<std::uint32_t>(
          std::popcount((use.predicate_negated ? ~predicate : predicate) & split.mask));
      threads_here += static_cast<std::uint32_t>(std::popcount(split.mask));
    }
  }
  if (!reduces) return;
  for (Warp& warp : warps) {
    if (!(barriers_[id].waiting >> warp.index & 1)) continue;
    for (const WarpSplit& split : warp.splits) {
      const BarrierUse& use = use_at(grid, split);
      if (use.predicate == no_register) continue;
      const Inst& inst = grid.kernel.code[static_cast<std::size_t>(split.pc)];
      std::byte* registers = split.frame->registers;
      if (use.kind == BarrierUse::Kind::popc) {
        std::uint32_t* to = vector_register<std::uint32_t>(registers, inst.dst);
        for (LaneMask rest = split.mask; rest != 0; rest &= rest - 1) {
          to[std::countr_zero(rest)] = count;
        }
        continue;
      }
      const bool result = use.kind == BarrierUse::Kind::all ? count == threads_here : count != 0;
      LaneMask& to = *vector_register<LaneMask>(registers, inst.dst);
      to = (to & ~split.mask) | (result ? split.mask : 0);
    }
  }
}

void Block::release(std::uint32_t id) {
  const std::uint32_t waiting = barriers_[id].waiting;
  double latest = 0;
  bool everybody = true, some_ended = false, several_places = false;
  const WarpSplit* first = nullptr;
  for (const Warp& warp : warps) {
    some_ended |= warp.live != warp.present;
    if (!(waiting >> warp.index & 1)) {
      // One for a number of threads opens whether others have ended or not, and so orders nothing of theirs.
      everybody = everybody && warp.live == 0 && barriers_[id].threads == 0;
      continue;
    }
    const WarpSplit& here = warp.splits.front();
    if (!first) first = &here;
    several_places |= here.pc != first->pc;
    const bool several = warp.splits.size() > 1;
    if (several && grid.request.checks.looks_for(FindingKind::barrier_divergence)) {
      check_same_place(warp);
    }
    latest = std::max(latest, warp.times.next);
  }
  // One for a number of threads does not open because others have ended.
  const bool may_skip = (some_ended || several_places) && barriers_[id].threads == 0;
  if (may_skip && !post_dominators_passed_.empty()) check_skipped(waiting);
  const LatencyTable& latencies = grid.request.latencies;
  const double passed =
      latest + latencies.barrier + latencies.barrier_warp * std::popcount(waiting);
  reduce(id);
  for (Warp& warp : warps) {
    if (!(waiting >> warp.index & 1)) continue;
    for (WarpSplit& split : warp.splits) {
      split.state = WarpSplit::State::runnable;
      split.deferred = false;
      ++split.pc;
    }
    if (timed) warp.times.fence(passed);
    if (timed && grid.kernel.draws_work) draws.push_back({passed, 0, warp.index});
  }
  tell(BarrierOpening{*this, waiting, everybody, barriers_[id].arrivals});
  barriers_[id] = {};
}

}  // namespace gridstride::sim
