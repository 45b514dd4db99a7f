// The main loop, and what happens to groups of lanes at branches, calls and exits.
#include "common/simulator/exec/interpreter.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "common/simulator/exec/block.h"
#include "common/simulator/exec/grid_run.h"
#include "common/simulator/exec/scoreboard.h"

namespace gridstride::sim {
namespace {

constexpr std::int32_t full_patience = 4096;
constexpr std::int32_t no_limit = std::numeric_limits<std::int32_t>::max();

using State = Group::State;

std::uint64_t lanes_in(LaneMask mask) { return static_cast<std::uint64_t>(std::popcount(mask)); }

LaneMask guarded(const std::byte* registers, const Inst& inst, LaneMask mask) {
  if (inst.guard == no_row) return mask;
  const LaneMask predicate = *row<const LaneMask>(const_cast<std::byte*>(registers), inst.guard);
  return mask & (inst.guard_negated ? ~predicate : predicate);
}

/// The member mask of the .sync operation at which `group` stands, as its first lane has it.
std::uint32_t member_mask(const Warp& warp, const Group& group) {
  const Inst& inst = warp.grid->kernel.code[static_cast<std::size_t>(group.pc)];
  return row<std::uint32_t>(group.frame->registers, inst.d)[std::countr_zero(group.mask)];
}

/// Groups that wait at a .sync operation join only those who name the same lanes.
bool may_join(const Warp& warp, const Group& a, const Group& b) {
  if (a.pc != b.pc || a.frame != b.frame) return false;
  if (a.state == State::at_barrier || b.state == State::at_barrier) return false;
  const bool waits = a.state == State::at_sync || b.state == State::at_sync;
  return !waits || member_mask(warp, a) == member_mask(warp, b);
}

/// Joins groups that stand at the same instruction.
void merge(Warp& warp) {
  auto& groups = warp.groups;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (std::size_t j = i + 1; j < groups.size();) {
      Group &a = groups[i], &b = groups[j];
      if (!may_join(warp, a, b)) {
        ++j;
        continue;
      }
      a.mask |= b.mask;
      a.state = State::runnable;
      a.deferred = a.deferred && b.deferred;
      groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(j));
    }
  }
}

/// Deeper calls first, then the furthest behind in program order.
bool before(const Group& a, const Group& b) {
  if (a.deferred != b.deferred) return b.deferred;
  if (a.frame->depth != b.frame->depth) return a.frame->depth > b.frame->depth;
  return a.pc < b.pc;
}

/// Lanes that came to one .sync operation by different paths: when all are there, it happens.
bool sync_across_groups(Warp& warp) {
  const auto& code = warp.grid->kernel.code;
  for (const Group& first : warp.groups) {
    if (first.state != State::at_sync) continue;
    const auto& operation =
        *static_cast<const SyncOperation*>(code[static_cast<std::size_t>(first.pc)].extra);
    const LaneMask wanted = member_mask(warp, first) & warp.live;
    std::vector<std::size_t> party;
    LaneMask arrived = 0;
    for (std::size_t i = 0; i < warp.groups.size(); ++i) {
      const Group& group = warp.groups[i];
      if (group.state != State::at_sync || (member_mask(warp, group) & warp.live) != wanted)
        continue;
      const auto& other =
          *static_cast<const SyncOperation*>(code[static_cast<std::size_t>(group.pc)].extra);
      if (other.apply != operation.apply) continue;
      party.push_back(i);
      arrived |= group.mask;
    }
    if ((wanted & ~arrived) != 0) continue;

    std::uint32_t values[warp_size] = {};
    std::uint64_t wide[warp_size] = {};
    SyncSource source{values, wide, 0, arrived};
    for (const std::size_t i : party) {
      const Group& group = warp.groups[i];
      const Inst& inst = code[static_cast<std::size_t>(group.pc)];
      std::byte* registers = group.frame->registers;
      const auto& op = *static_cast<const SyncOperation*>(inst.extra);
      for (LaneMask rest = group.mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        if (op.source == SyncOperation::Source::b32) {
          values[lane] = row<std::uint32_t>(registers, inst.a)[lane];
        } else if (op.source == SyncOperation::Source::b64) {
          wide[lane] = row<std::uint64_t>(registers, inst.a)[lane];
        }
      }
      if (op.source == SyncOperation::Source::predicate) {
        const LaneMask predicate = *row<LaneMask>(registers, inst.a);
        source.predicate |= group.mask & (op.negated ? ~predicate : predicate);
      }
    }
    for (const std::size_t i : party) {
      Group& group = warp.groups[i];
      const Inst& inst = code[static_cast<std::size_t>(group.pc)];
      warp.frame = group.frame;
      warp.registers = group.frame->registers;
      static_cast<const SyncOperation*>(inst.extra)->apply(warp, inst, group.mask, source);
      auto& counts = warp.grid->counts[static_cast<std::size_t>(group.pc)];
      ++counts.executed;
      counts.lanes += lanes_in(group.mask);
      ++group.pc;
      group.state = State::runnable;
    }
    return true;
  }
  return false;
}

/// Chooses the group that runs next. False when none can.
bool select(Warp& warp) {
  for (;;) {
    if (warp.groups.size() > 1) merge(warp);
    const Group* best = nullptr;
    for (const Group& group : warp.groups) {
      if (group.state == State::runnable && (!best || before(group, *best))) best = &group;
    }
    if (!best) {
      if (!sync_across_groups(warp)) return false;
      continue;
    }
    warp.current = static_cast<std::size_t>(best - warp.groups.data());
    warp.frame = best->frame;
    warp.registers = best->frame->registers;
    warp.limit = no_limit;
    for (const Group& group : warp.groups) {
      if (group.frame == best->frame && group.pc > best->pc) {
        warp.limit = std::min(warp.limit, group.pc);
      }
    }
    return true;
  }
}

/// Lanes of `active` whose value is not `value`.
LaneMask lanes_with_other(const std::uint32_t* values, std::uint32_t value, LaneMask active) {
  std::uint32_t differs = 0;
  for (unsigned lane = 0; lane < warp_size; ++lane) differs |= values[lane] ^ value;
  if (differs == 0) return 0;  // that is, nearly always
  LaneMask others = 0;
  for (LaneMask rest = active; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    if (values[lane] != value) others |= 1u << lane;
  }
  return others;
}

/// Takes `lanes` out of the running group and lets them go on at `pc`.
void split_off(Warp& warp, LaneMask lanes, std::int32_t pc) {
  Group rest = warp.groups[warp.current];
  warp.groups[warp.current].mask &= ~lanes;
  rest.mask = lanes;
  rest.pc = pc;
  warp.groups.push_back(rest);
}

/// A .sync operation that not all of the running group take part in, or not all who should have
/// come: the lanes of `active` that name the same members as the first of them do it or wait.
void warp_sync_in_parts(Warp& warp, const Inst& inst, LaneMask active) {
  const std::int32_t pc = warp.groups[warp.current].pc;
  const LaneMask mask = warp.mask();
  if (active != mask) split_off(warp, mask & ~active, pc + 1);
  const std::uint32_t* masks = row<std::uint32_t>(warp.registers, inst.d);
  const std::uint32_t members = masks[std::countr_zero(active)];
  const LaneMask others = lanes_with_other(masks, members, active);
  if (others != 0) split_off(warp, others, pc);
  Group& group = warp.groups[warp.current];
  if ((members & warp.live & ~group.mask) != 0) {
    group.state = State::at_sync;
    return;
  }
  InstructionCounts& count = warp.grid->counts[inst.source];
  ++count.executed;
  count.lanes += lanes_in(group.mask);
  inst.handler(warp, inst, group.mask);
  ++group.pc;
}

void remove_current(Warp& warp) {
  warp.groups.erase(warp.groups.begin() + static_cast<std::ptrdiff_t>(warp.current));
}

void exit_lanes(Warp& warp) {
  const LaneMask lanes = warp.mask();
  warp.live &= ~lanes;
  for (Frame* frame = warp.frame; frame; frame = frame->caller) {
    frame->lanes &= ~lanes;
  }
  remove_current(warp);
}

void enter(Warp& warp, const FunctionCode& callee, const CallSite& site, std::int32_t return_to) {
  Group& group = warp.groups[warp.current];
  Frame* caller = group.frame;
  Frame* frame = warp.block->push_frame(warp, callee, return_to);
  const std::size_t from_stride = caller->function->frame.param_bytes;
  const std::size_t to_stride = callee.frame.param_bytes;
  for (std::size_t i = 0; i < site.arguments.size(); ++i) {
    const ParamCopy& copy = site.arguments[i];
    // A call by pointer knows the callee's layout only now.
    const ParamSlot to = site.callee ? ParamSlot{copy.to, copy.bytes} : callee.parameters.at(i);
    for (LaneMask rest = group.mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
      std::copy_n(caller->params + lane * from_stride + copy.from, std::min(copy.bytes, to.bytes),
                  frame->params + lane * to_stride + to.offset);
    }
  }
  group.frame = frame;
  group.pc = callee.entry;
}

void call(Warp& warp, const Inst& inst, std::int32_t pc) {
  const auto& site = *static_cast<const CallSite*>(inst.extra);
  if (site.native) {
    site.native(warp, inst, site, warp.mask());
    warp.groups[warp.current].pc = pc + 1;
    return;
  }
  if (site.callee) {
    enter(warp, *site.callee, site, pc + 1);
    return;
  }
  // By pointer: lanes part by where they go; this turn takes those of the first lane.
  const std::uint64_t* pointers = row<std::uint64_t>(warp.registers, inst.a);
  const LaneMask mask = warp.mask();
  const std::uint64_t pointer = pointers[std::countr_zero(mask)];
  LaneMask others = 0;
  for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    if (pointers[lane] != pointer) others |= 1u << lane;
  }
  const auto& functions = warp.grid->kernel.by_index;
  const auto callee = functions.find(static_cast<std::uint32_t>(pointer - function_address_base));
  if (pointer - function_address_base > 0xffffffffu || callee == functions.end() ||
      callee->second->parameters.size() != site.arguments.size()) {
    warp.grid->bad_instruction(
        warp, inst, mask & ~others,
        "calls through a pointer that is not the address of a device function of this signature; "
        "was the pointer set on the host?",
        718);
  }
  if (others != 0) split_off(warp, others, pc);
  enter(warp, *callee->second, site, pc + 1);
}

void return_from(Warp& warp) {
  Group& group = warp.groups[warp.current];
  Frame* frame = group.frame;
  if (!frame->caller) {  // `ret` in a kernel ends the thread
    exit_lanes(warp);
    return;
  }
  const Inst& at = warp.grid->kernel.code[static_cast<std::size_t>(frame->return_to - 1)];
  const auto& site = *static_cast<const CallSite*>(at.extra);
  const FunctionCode& callee = *frame->function;
  const std::size_t from_stride = callee.frame.param_bytes;
  const std::size_t to_stride = frame->caller->function->frame.param_bytes;
  for (std::size_t i = 0; i < site.results.size() && i < callee.results.size(); ++i) {
    const ParamSlot& from = callee.results[i];
    for (LaneMask rest = group.mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
      std::copy_n(frame->params + lane * from_stride + from.offset,
                  std::min(site.results[i].bytes, from.bytes),
                  frame->caller->params + lane * to_stride + site.results[i].from);
    }
  }
  group.frame = frame->caller;
  group.pc = frame->return_to;
  frame->lanes &= ~group.mask;
}

void branch_table(Warp& warp, const Inst& inst) {
  const auto& table = *static_cast<const BranchTable*>(inst.extra);
  const std::uint32_t* indices = row<std::uint32_t>(warp.registers, inst.a);
  const LaneMask mask = warp.mask();
  const std::uint32_t index = indices[std::countr_zero(mask)];
  LaneMask others = 0;
  for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    if (indices[lane] != index) others |= 1u << lane;
  }
  if (index >= table.count) {
    warp.grid->bad_instruction(
        warp, inst, mask & ~others,
        "jumps to entry " + std::to_string(index) + " of a table of " + std::to_string(table.count),
        718);
  }
  if (others != 0) split_off(warp, others, warp.groups[warp.current].pc);
  warp.groups[warp.current].pc = table.targets[index];
}

/// A jump back. False when the warp should stop running for now; `stop` says why.
bool keep_looping(Warp& warp, WarpStop& stop) {
  if (--warp.patience > 0) return true;
  Group& group = warp.groups[warp.current];
  group.deferred = true;
  const bool somebody_else = std::ranges::any_of(warp.groups, [](const Group& other) {
    return other.state == State::runnable && !other.deferred;
  });
  if (somebody_else) {
    warp.patience = full_patience;
    return true;
  }
  for (Group& other : warp.groups) other.deferred = false;
  stop = warp.polled ? WarpStop::polled : WarpStop::gave_way;
  return false;
}

}  // namespace

template <bool timed>
WarpStop run_warp(Warp& warp) {
  const Inst* const code = warp.grid->kernel.code.data();
  InstructionCounts* const counts = warp.grid->counts.data();
  warp.patience = full_patience;
  warp.polled = false;
  WarpStop stop = WarpStop::blocked;
  while (select(warp)) {
    std::byte* const registers = warp.registers;
    const std::int32_t limit = warp.limit;
    const LaneMask mask = warp.mask();
    std::int32_t pc = warp.groups[warp.current].pc;
    for (;;) {
      const Inst& inst = code[pc];
      InstructionCounts& count = counts[pc];
      const LaneMask active = guarded(registers, inst, mask);
      double time = 0;
      if constexpr (timed) time = issue_time(warp, pc);
      ++count.executed;
      if (inst.control == Control::none) {
        if (active == full_mask) {
          count.lanes += warp_size;
          inst.full_handler(warp, inst, active);
        } else if (active != 0) {
          count.lanes += lanes_in(active);
          inst.handler(warp, inst, active);
        }
        if constexpr (timed) retire(warp, pc, time);
        if (++pc < limit) continue;
        warp.groups[warp.current].pc = pc;
        break;
      }
      if constexpr (timed) retire(warp, pc, time);
      if (inst.control == Control::branch) {
        count.lanes += lanes_in(mask);
        if (active == mask || active == 0) {
          const std::int32_t next = active != 0 ? inst.target : pc + 1;
          const bool back = next <= pc;
          pc = next;
          if (back || pc >= limit) {
            warp.groups[warp.current].pc = pc;
            if (back && !keep_looping(warp, stop)) return stop;
            if (pc >= limit || warp.groups[warp.current].deferred) break;
          }
          continue;
        }
        ++count.divergent;
        split_off(warp, mask & ~active, pc + 1);
        warp.groups[warp.current].pc = inst.target;
        if (inst.target <= pc && !keep_looping(warp, stop)) return stop;
        break;
      }
      // The rest concerns the lanes of the guard only; the others go on behind it.
      warp.groups[warp.current].pc = pc;
      if (active == 0) {
        if (++pc < limit) continue;
        warp.groups[warp.current].pc = pc;
        break;
      }
      if (inst.control == Control::warp_sync) {
        const std::uint32_t* const masks = row<std::uint32_t>(registers, inst.d);
        const std::uint32_t members = masks[std::countr_zero(active)];
        const bool together = active == mask && (members & warp.live & ~active) == 0 &&
                              lanes_with_other(masks, members, active) == 0;
        if (!together) {
          --count.executed;
          warp_sync_in_parts(warp, inst, active);
          break;
        }
        count.lanes += lanes_in(active);
        inst.handler(warp, inst, active);
        if (++pc < limit) continue;
        warp.groups[warp.current].pc = pc;
        break;
      }
      count.lanes += lanes_in(active);
      if (active != mask) split_off(warp, mask & ~active, pc + 1);
      switch (inst.control) {
        case Control::barrier:
          warp.block->arrive(warp, inst, active);
          break;
        case Control::call:
          call(warp, inst, pc);
          break;
        case Control::ret:
          return_from(warp);
          break;
        case Control::exit:
          exit_lanes(warp);
          break;
        case Control::branch_table:
          branch_table(warp, inst);
          break;
        case Control::trap:
          warp.grid->bad_instruction(warp, inst, active, "executes a trap instruction", 719);
        case Control::none:
        case Control::branch:
        case Control::warp_sync:
          break;
      }
      break;
    }
  }
  return stop;
}

template WarpStop run_warp<false>(Warp& warp);
template WarpStop run_warp<true>(Warp& warp);

}  // namespace gridstride::sim
