// See warp_splits.h.
#include "common/simulator/exec/warp_splits.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/simulator/base/lane_words.h"
#include "common/simulator/exec/block.h"
#include "common/simulator/exec/grid_run.h"
#include "common/simulator/exec/warp.h"
#include "common/simulator/program/sync_operation.h"

namespace gridstride::sim {
namespace {

using State = WarpSplit::State;

std::uint64_t lanes_in(LaneMask mask) { return static_cast<std::uint64_t>(std::popcount(mask)); }

/// The member mask of the .sync operation at which `split` stands, as its first lane has it.
std::uint32_t member_mask(const Warp& warp, const WarpSplit& split) {
  const Inst& inst = warp.grid->kernel.code[static_cast<std::size_t>(split.pc)];
  return vector_register<std::uint32_t>(split.frame->registers,
                                        inst.d)[std::countr_zero(split.mask)];
}

/// Splits that wait at a .sync operation join only those who name the same lanes.
bool may_join(const Warp& warp, const WarpSplit& a, const WarpSplit& b) {
  if (a.pc != b.pc || a.frame != b.frame) return false;
  if (a.state == State::at_barrier || b.state == State::at_barrier) return false;
  const bool waits = a.state == State::at_sync || b.state == State::at_sync;
  return !waits || member_mask(warp, a) == member_mask(warp, b);
}

/// Joins splits that stand at the same instruction.
void merge(Warp& warp) {
  auto& splits = warp.splits;
  for (std::size_t i = 0; i < splits.size(); ++i) {
    for (std::size_t j = i + 1; j < splits.size();) {
      WarpSplit &a = splits[i], &b = splits[j];
      if (!may_join(warp, a, b)) {
        ++j;
        continue;
      }
      a.mask |= b.mask;
      a.state = State::runnable;
      a.deferred = a.deferred && b.deferred;
      splits.erase(splits.begin() + static_cast<std::ptrdiff_t>(j));
    }
  }
}

/// Deeper calls first, then the furthest behind in program order.
bool before(const WarpSplit& a, const WarpSplit& b) {
  if (a.deferred != b.deferred) return b.deferred;
  if (a.frame->depth != b.frame->depth) return a.frame->depth > b.frame->depth;
  return a.pc < b.pc;
}

/// Lanes that came to one .sync operation by different paths: when all are there, it happens.
bool sync_across_splits(Warp& warp) {
  const auto& code = warp.grid->kernel.code;
  for (const WarpSplit& first : warp.splits) {
    if (first.state != State::at_sync) continue;
    const auto& operation =
        *static_cast<const SyncOperation*>(code[static_cast<std::size_t>(first.pc)].extra);
    const LaneMask wanted = member_mask(warp, first) & warp.live;
    std::vector<std::size_t> party;
    LaneMask arrived = 0;
    for (std::size_t i = 0; i < warp.splits.size(); ++i) {
      const WarpSplit& split = warp.splits[i];
      if (split.state != State::at_sync || (member_mask(warp, split) & warp.live) != wanted)
        continue;
      const auto& other =
          *static_cast<const SyncOperation*>(code[static_cast<std::size_t>(split.pc)].extra);
      if (other.apply != operation.apply) continue;
      party.push_back(i);
      arrived |= split.mask;
    }
    if ((wanted & ~arrived) != 0) continue;

    std::uint32_t values[warp_size] = {};
    std::uint64_t wide[warp_size] = {};
    SyncSource source{values, wide, 0, arrived};
    if (operation.source != SyncOperation::Source::none) {
      warp.block->order.exchange(warp.index, arrived);
    }
    for (const std::size_t i : party) {
      const WarpSplit& split = warp.splits[i];
      const Inst& inst = code[static_cast<std::size_t>(split.pc)];
      std::byte* registers = split.frame->registers;
      const auto& op = *static_cast<const SyncOperation*>(inst.extra);
      for (LaneMask rest = split.mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        if (op.source == SyncOperation::Source::b32) {
          values[lane] = vector_register<std::uint32_t>(registers, inst.a)[lane];
        } else if (op.source == SyncOperation::Source::b64) {
          wide[lane] = vector_register<std::uint64_t>(registers, inst.a)[lane];
        }
      }
      if (op.source == SyncOperation::Source::predicate) {
        const LaneMask predicate = *vector_register<LaneMask>(registers, inst.a);
        source.predicate |= split.mask & (op.negated ? ~predicate : predicate);
      }
    }
    for (const std::size_t i : party) {
      WarpSplit& split = warp.splits[i];
      const Inst& inst = code[static_cast<std::size_t>(split.pc)];
      warp.frame = split.frame;
      warp.registers = split.frame->registers;
      static_cast<const SyncOperation*>(inst.extra)->apply(warp, inst, split.mask, source);
      auto& counts = warp.grid->counters.counts[static_cast<std::size_t>(split.pc)];
      ++counts.executed;
      counts.lanes += lanes_in(split.mask);
      ++split.pc;
      split.state = State::runnable;
    }
    return true;
  }
  return false;
}

void remove_current(Warp& warp) {
  warp.splits.erase(warp.splits.begin() + static_cast<std::ptrdiff_t>(warp.current));
}

}  // namespace

bool select_of_many(Warp& warp) {
  if (warp.splits.size() == 1 && warp.splits[0].state == State::at_barrier) return false;
  for (;;) {
    if (warp.splits.size() > 1) merge(warp);
    const WarpSplit* best = nullptr;
    for (const WarpSplit& split : warp.splits) {
      if (split.state == State::runnable && (!best || before(split, *best))) best = &split;
    }
    if (!best) {
      if (!sync_across_splits(warp)) return false;
      continue;
    }
    warp.current = static_cast<std::size_t>(best - warp.splits.data());
    warp.frame = best->frame;
    warp.registers = best->frame->registers;
    warp.limit = no_limit;
    for (const WarpSplit& split : warp.splits) {
      if (split.frame == best->frame && split.pc > best->pc) {
        warp.limit = std::min(warp.limit, split.pc);
      }
    }
    return true;
  }
}

LaneMask lanes_with_other(const std::uint32_t* values, std::uint32_t value, LaneMask active) {
  if (values[0] == value && is_line<0>(values)) return 0;  // that is, nearly always
  LaneMask others = 0;
  for (LaneMask rest = active; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    if (values[lane] != value) others |= 1u << lane;
  }
  return others;
}

void exit_lanes(Warp& warp) {
  const LaneMask lanes = warp.mask();
  warp.live &= ~lanes;
  for (Frame* frame = warp.frame; frame; frame = frame->caller) {
    frame->lanes &= ~lanes;
  }
  remove_current(warp);
}

void warp_sync_in_parts(Warp& warp, const Inst& inst, LaneMask active) {
  const std::int32_t pc = warp.splits[warp.current].pc;
  const LaneMask mask = warp.mask();
  if (active != mask) split_off(warp, mask & ~active, pc + 1);
  const std::uint32_t* masks = vector_register<std::uint32_t>(warp.registers, inst.d);
  const std::uint32_t members = masks[std::countr_zero(active)];
  const LaneMask others = lanes_with_other(masks, members, active);
  if (others != 0) split_off(warp, others, pc);
  WarpSplit& split = warp.splits[warp.current];
  const LaneMask outside = split.mask & ~members;
  if (outside != 0 && warp.grid->request.checks.looks_for(FindingKind::wrong_mask)) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(outside));
    warp.grid->findings.wrong_mask(thread_of(warp, lane), inst.source, members);
  }
  if ((members & warp.live & ~split.mask) != 0) {
    split.state = State::at_sync;
    return;
  }
  InstructionCounts& count = warp.grid->counters.counts[inst.source];
  ++count.executed;
  count.lanes += lanes_in(split.mask);
  inst.handler(warp, inst, split.mask);
  ++split.pc;
}

bool keep_looping(Warp& warp, WarpStop& stop) {
  if (--warp.time_slice > 0) return true;
  WarpSplit& split = warp.splits[warp.current];
  split.deferred = true;
  const bool somebody_else = std::ranges::any_of(warp.splits, [](const WarpSplit& other) {
    return other.state == State::runnable && !other.deferred;
  });
  if (somebody_else) {
    warp.time_slice = warp.block->time_slice();
    return true;
  }
  for (WarpSplit& other : warp.splits) other.deferred = false;
  stop = warp.polled ? WarpStop::polled : WarpStop::yielded;
  return false;
}

}  // namespace gridstride::sim
