// Block barriers: who has come, when they open, and what it means when they never can.
#include <algorithm>
#include <bit>

#include "common/simulator/exec/block.h"

namespace gridstride::sim {
namespace {

std::uint32_t value_at(const Group& group, Row at) {
  return row<std::uint32_t>(group.frame->registers, at)[std::countr_zero(group.mask)];
}

const BarrierUse& use_at(const GridRun& grid, const Group& group) {
  return *static_cast<const BarrierUse*>(
      grid.kernel.code[static_cast<std::size_t>(group.pc)].extra);
}

void append_threads(const Warp& warp, LaneMask lanes, std::vector<std::uint32_t>& threads) {
  for (; lanes != 0; lanes &= lanes - 1) {
    threads.push_back(warp.index * warp_size + static_cast<std::uint32_t>(std::countr_zero(lanes)));
  }
}

}  // namespace

void Block::arrive(Warp& warp, const Inst& inst, LaneMask mask) {
  const auto& use = *static_cast<const BarrierUse*>(inst.extra);
  Group& group = warp.groups[warp.current];
  const std::uint32_t id = value_at(group, use.id);
  if (id >= barriers_.size()) {
    grid.bad_instruction(warp, inst, mask,
                         "names barrier " + std::to_string(id) + "; a block has 16", 719);
  }
  if (use.kind == BarrierUse::Kind::arrive) {
    barriers_[id].arrived_only += warp_size;  // a warp counts as a whole
    barriers_[id].threads = value_at(group, use.threads);
    barriers_[id].arrivals.push_back(order.arrive(warp.index));
    ++group.pc;
    check_barrier(id);
    return;
  }
  group.state = Group::State::at_barrier;
  group.barrier = static_cast<std::uint8_t>(id);
  // Lanes that came earlier to this very instruction are joined: it counts once for the warp.
  for (std::size_t i = 0; i < warp.groups.size(); ++i) {
    Group& other = warp.groups[i];
    if (i == warp.current || other.state != Group::State::at_barrier || other.pc != group.pc ||
        other.frame != group.frame) {
      continue;
    }
    other.mask |= group.mask;
    --grid.counts[inst.source].executed;
    warp.groups.erase(warp.groups.begin() + static_cast<std::ptrdiff_t>(warp.current));
    return;
  }
}

/// After a warp has run: is all of it at one barrier, or gone?
void Block::settle(Warp& warp) {
  if (warp.live == 0) {
    end_time = std::max(end_time, warp.time);
    for (std::uint32_t id = 0; id < barriers_.size(); ++id) {
      if (barriers_[id].waiting != 0) check_barrier(id);
    }
    return;
  }
  LaneMask waiting = 0;
  bool one_barrier = true;
  for (const Group& group : warp.groups) {
    if (group.state != Group::State::at_barrier) return;
    one_barrier = one_barrier && group.barrier == warp.groups.front().barrier;
    waiting |= group.mask;
  }
  if (waiting != warp.live || !one_barrier) return;
  const std::uint32_t id = warp.groups.front().barrier;
  const BarrierUse& use = use_at(grid, warp.groups.front());
  barriers_[id].waiting |= 1u << warp.index;
  barriers_[id].threads = use.threads == no_row ? 0 : value_at(warp.groups.front(), use.threads);
  check_barrier(id);
}

void Block::check_barrier(std::uint32_t id) {
  Barrier& barrier = barriers_[id];
  if (barrier.threads != 0) {
    const auto come = static_cast<std::uint32_t>(std::popcount(barrier.waiting)) * warp_size +
                      barrier.arrived_only;
    if (come >= barrier.threads) release(id);
    return;
  }
  for (const Warp& warp : warps) {
    if (warp.live != 0 && !(barrier.waiting >> warp.index & 1)) return;
  }
  release(id);
}

void Block::check_same_place(const Warp& warp) const {
  const Group& first = warp.groups.front();
  for (const Group& other : warp.groups) {
    if (other.pc == first.pc) continue;
    std::vector<std::uint32_t> here, there;
    append_threads(warp, first.mask, here);
    append_threads(warp, other.mask, there);
    const SourcePosition a = grid.position(static_cast<std::uint32_t>(first.pc));
    const SourcePosition b = grid.position(static_cast<std::uint32_t>(other.pc));
    Finding finding{.kind = FindingKind::barrier_divergence,
                    .kernel = grid.kernel.name,
                    .where = b,
                    .other = a,
                    .message = {}};
    finding.message =
        "In block " + GridRun::text_of(index) + ", " + GridRun::threads_title(here) +
        " wait at the barrier in line " + std::to_string(a.line) + " while " +
        GridRun::threads_title(there) + " of the same warp wait at another one in line " +
        std::to_string(b.line) +
        ". All threads of a block must reach the same __syncthreads(): move it out of "
        "the condition.";
    grid.stop(std::move(finding), 719);
  }
}

void Block::reduce(std::uint32_t id) {
  std::uint32_t count = 0, threads_here = 0;
  bool reduces = false;
  for (const Warp& warp : warps) {
    if (!(barriers_[id].waiting >> warp.index & 1)) continue;
    for (const Group& group : warp.groups) {
      const BarrierUse& use = use_at(grid, group);
      if (use.predicate == no_row) continue;
      reduces = true;
      const LaneMask predicate = *row<LaneMask>(group.frame->registers, use.predicate);
      count += static_cast<std::uint32_t>(
          std::popcount((use.predicate_negated ? ~predicate : predicate) & group.mask));
      threads_here += static_cast<std::uint32_t>(std::popcount(group.mask));
    }
  }
  if (!reduces) return;
  for (Warp& warp : warps) {
    if (!(barriers_[id].waiting >> warp.index & 1)) continue;
    for (const Group& group : warp.groups) {
      const BarrierUse& use = use_at(grid, group);
      if (use.predicate == no_row) continue;
      const Inst& inst = grid.kernel.code[static_cast<std::size_t>(group.pc)];
      std::byte* registers = group.frame->registers;
      if (use.kind == BarrierUse::Kind::popc) {
        std::uint32_t* to = row<std::uint32_t>(registers, inst.dst);
        for (LaneMask rest = group.mask; rest != 0; rest &= rest - 1) {
          to[std::countr_zero(rest)] = count;
        }
        continue;
      }
      const bool result = use.kind == BarrierUse::Kind::all ? count == threads_here : count != 0;
      LaneMask& to = *row<LaneMask>(registers, inst.dst);
      to = (to & ~group.mask) | (result ? group.mask : 0);
    }
  }
}

void Block::release(std::uint32_t id) {
  const std::uint32_t waiting = barriers_[id].waiting;
  double latest = 0;
  bool everybody = true;
  for (const Warp& warp : warps) {
    if (!(waiting >> warp.index & 1)) {
      everybody = everybody && warp.live == 0;
      continue;
    }
    if (warp.groups.size() > 1) check_same_place(warp);
    latest = std::max(latest, warp.time);
  }
  reduce(id);
  for (Warp& warp : warps) {
    if (!(waiting >> warp.index & 1)) continue;
    for (Group& group : warp.groups) {
      group.state = Group::State::runnable;
      group.deferred = false;
      ++group.pc;
    }
    if (timed) warp.time = latest + grid.request.latencies.barrier;
  }
  if (everybody) {
    order.block_barrier();
  } else {
    order.partial_barrier(waiting, barriers_[id].arrivals);
  }
  barriers_[id] = {};
  // Mostly everything is written before the first barrier, and nothing is left to look for.
  if (shared_written && shared_written->all(0, shared.size())) shared_written = nullptr;
}

/// Nothing in the block can run: says who waits where.
void Block::report_deadlock() const {
  struct Place {
    std::int32_t pc;
    bool sync;
    std::vector<std::uint32_t> threads;
  };
  std::vector<Place> places;
  for (const Warp& warp : warps) {
    for (const Group& group : warp.groups) {
      auto it = std::ranges::find(places, group.pc, &Place::pc);
      if (it == places.end()) {
        places.push_back({group.pc, group.state == Group::State::at_sync, {}});
        it = places.end() - 1;
      }
      append_threads(warp, group.mask, it->threads);
    }
  }
  std::uint32_t exited = 0;
  for (const Warp& warp : warps) {
    exited += static_cast<std::uint32_t>(std::popcount(warp.present & ~warp.live));
  }
  Finding finding{.kind = FindingKind::barrier_divergence,
                  .kernel = grid.kernel.name,
                  .where = grid.position(static_cast<std::uint32_t>(places.front().pc)),
                  .other = grid.position(static_cast<std::uint32_t>(places.back().pc)),
                  .message = "Block " + GridRun::text_of(index) + " hangs: "};
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto at = static_cast<std::uint32_t>(places[i].pc);
    if (i > 0) finding.message += i + 1 == places.size() ? " and " : ", ";
    finding.message += GridRun::threads_title(places[i].threads) + " wait at the " +
                       (places[i].sync ? grid.operation_title(at) : std::string("barrier")) +
                       " in line " + std::to_string(grid.position(at).line);
  }
  if (exited > 0) finding.message += "; " + std::to_string(exited) + " threads have ended";
  finding.message +=
      ". They wait for each other and none can go on: all threads must reach the same barrier, and "
      "all "
      "lanes that a mask names must reach the same warp operation.";
  grid.stop(std::move(finding), 719);
}

}  // namespace gridstride::sim
