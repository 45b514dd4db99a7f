// The main loop of a warp, as a template. interpreter.cpp makes those that grade of it, and
// recorded_interpreter.cpp the one that records: so that a recorder costs the others nothing.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "common/simulator/base/cuda_error.h"
#include "common/simulator/base/lane_words.h"
#include "common/simulator/exec/block.h"
#include "common/simulator/exec/calls.h"
#include "common/simulator/exec/grid_run.h"
#include "common/simulator/exec/interpreter.h"
#include "common/simulator/exec/scoreboard.h"
#include "common/simulator/exec/trace_recorder.h"
#include "common/simulator/exec/warp.h"
#include "common/simulator/exec/warp_splits.h"

namespace gridstride::sim {
namespace detail {

inline std::uint64_t lanes_in(LaneMask mask) {
  return static_cast<std::uint64_t>(std::popcount(mask));
}

inline LaneMask guarded(const std::byte* registers, const Inst& inst, LaneMask mask) {
  if (inst.guard == no_register) return mask;
  const LaneMask predicate =
      *vector_register<const LaneMask>(const_cast<std::byte*>(registers), inst.guard);
  return mask & (inst.guard_negated ? ~predicate : predicate);
}

inline const char* words_for_trap(const GridRun& grid) {
  if (!grid.kernel.uses_grid_workspace || grid.request.cooperative)
    return "executes a trap instruction";
  return "executes a trap instruction, as grid.sync() does in a kernel that was not launched with "
         "cudaLaunchCooperativeKernel: only that sees to it that all blocks run at once";
}

/// A branch of all 32 lanes: the instruction behind it, or -1 where it is to be looked at more closely,
/// because lanes part, another split is met or the time slice is over.
inline std::int32_t full_branch(Warp& warp, const Inst& inst, std::int32_t pc, std::int32_t limit) {
  const LaneMask active = guarded(warp.registers, inst, full_mask);
  if (active == 0) return pc + 1 < limit ? pc + 1 : -1;
  if (active != full_mask || inst.target >= limit) return -1;
  if (inst.target <= pc) {
    WarpSplit& split = warp.splits[warp.current];
    if (warp.time_slice <= 1 || split.deferred) return -1;
    --warp.time_slice;
    split.pc = inst.target;
  }
  return inst.target;
}

/// Whether a .sync operation of all 32 lanes names all of them.
inline bool is_of_full_warp(const Warp& warp, const Inst& inst) {
  if (inst.control != Control::warp_sync || inst.guard != no_register) return false;
  const auto* const masks = vector_register<const std::uint32_t>(warp.registers, inst.d);
  return masks[0] == full_mask && warp.live == full_mask && is_line<0>(masks);
}

/// The run (Inst::run) that begins at `inst`, number `pc`, by all 32 lanes or those of `mask`, up to
/// Warp::limit. What is behind it.
template <bool full>
[[gnu::always_inline]] inline std::int32_t do_run(Warp& warp, const Inst* inst, RunCounts* runs,
                                                  std::int32_t pc, LaneMask mask) {
  const Inst* const first = inst;
  std::int32_t end = std::min(pc + inst->run, warp.limit);
  const Inst* const last = inst + (end - pc);
  warp.run_end = last;
  runs[pc].begin<full>(mask);
  try {
    do {
      if constexpr (full) {
        inst->full_handler(warp, *inst, full_mask);
      } else {
        inst->handler(warp, *inst, mask);
      }
    } while (++inst < warp.run_end);
  } catch (...) {  // it ends the grid, and has been executed
    runs[pc + (inst - first) + 1].end<full>(mask);
    throw;
  }
  if (inst != last) [[unlikely]]
    end = pc + static_cast<std::int32_t>(inst - first);
  runs[end].end<full>(mask);
  return end;
}

/// Executes what all 32 lanes do together, up to the first instruction that takes more care, or Warp::limit.
/// Where that stands.
[[gnu::always_inline]] inline std::int32_t run_full(Warp& warp, const Inst* code,
                                                    InstructionCounts* counts, RunCounts* runs,
                                                    std::int32_t pc) {
  // An instruction may lower it, see UnwrittenRegisters.
  const std::int32_t& limit = warp.limit;
  const Inst* inst = code + pc;
  for (;;) {
    if (inst->run != 0) {
      pc = do_run<true>(warp, inst, runs, pc, full_mask);
      if (pc >= limit) return pc;
      inst = code + pc;
    }
    if (inst->control == Control::branch) {
      const std::int32_t next = full_branch(warp, *inst, pc, limit);
      if (next < 0) return pc;
      ++counts[pc].executed;
      counts[pc].lanes += warp_size;
      pc = next;
      inst = code + pc;
    } else {
      if (!is_of_full_warp(warp, *inst)) return pc;
      ++counts[pc].executed;
      counts[pc].lanes += warp_size;
      warp.splits[warp.current].pc = pc;
      inst->handler(warp, *inst, full_mask);
      ++inst;
      if (++pc >= limit) return pc;
    }
  }
}

/// The same while the scoreboard runs along, up to what does more than compute.
[[gnu::always_inline]] inline std::int32_t run_full_timed(Warp& warp, const Inst* code,
                                                          InstructionCounts* counts,
                                                          std::int32_t pc) {
  const std::int32_t& limit = warp.limit;
  const IssuePlan& plan = *warp.grid->issue_plan;
  const std::uint32_t* const registers = plan.registers.data();
  double* const ready = warp.frame->ready.data();
  const Inst* inst = code + pc;
  InstructionCounts* count = counts + pc;
  const IssuePlan::Step* step = plan.steps.data() + pc;
  for (; inst->run != 0; ++inst, ++count, ++step) {
    ++count->executed;
    count->lanes += warp_size;
    if (step->computes) {
      inst->full_handler(warp, *inst, full_mask);
      issue_and_retire(warp.times, *step, registers, ready);
    } else {
      const double time = issue_time(warp, pc);
      inst->full_handler(warp, *inst, full_mask);
      retire(warp, pc, time);
    }
    if (++pc >= limit) break;
  }
  return pc;
}

/// What select() would do where a branch forward has just made two splits of one: the second runs, up to
/// where the first one stands. False, and nothing is done, where it is something else.
inline bool run_behind_branch(Warp& warp) {
  if (warp.splits.size() != 2) return false;
  const WarpSplit &taken = warp.splits[0], &rest = warp.splits[1];
  if (taken.pc <= rest.pc || taken.deferred) return false;
  warp.current = 1;
  warp.limit = taken.pc;
  return true;
}

/// What select() would do where the second of two splits has come to the first one: they are one again.
inline bool join_other(Warp& warp) {
  if (warp.splits.size() != 2 || warp.current != 1) return false;
  WarpSplit &first = warp.splits[0], &here = warp.splits[1];
  const bool join = first.pc == here.pc && first.frame == here.frame && !here.deferred &&
                    first.state == WarpSplit::State::runnable && warp.followed.empty();
  if (!join) return false;
  first.mask |= here.mask;
  first.deferred = false;
  warp.splits.pop_back();
  warp.current = 0;
  warp.limit = no_limit;
  return true;
}

/// Every other time lanes that stand elsewhere in the warp go first as well.
inline WarpStop give_way(Warp& warp) {
  const bool is_there = warp.current < warp.splits.size();
  if (is_there && warp.splits.size() > 1 && warp.turns_given % 2 == 0)
    warp.splits[warp.current].deferred = true;
  return WarpStop::gave_way;
}

}  // namespace detail

template <bool timed, bool recorded, bool follows>
WarpStop run_loop(Warp& warp) {
  using namespace detail;
  const Inst* const code = warp.grid->kernel.code.data();
  InstructionCounts* const counts = warp.grid->counters.counts.data();
  [[maybe_unused]] RunCounts* const runs = warp.grid->counters.runs.data();
  WarpStop stop = WarpStop::blocked;
  for (;;) {
    if (warp.gives_way) [[unlikely]]
      return give_way(warp);
    if (!select(warp)) return stop;
    if constexpr (!recorded) {
      if (warp.followed.empty() == follows) return WarpStop::switched;
    }
    std::byte* const registers = warp.registers;
    const std::int32_t& limit = warp.limit;
    LaneMask mask = warp.mask();
    std::int32_t pc = warp.splits[warp.current].pc;
    for (;;) {
      if constexpr (!recorded && !follows) {
        if (mask == full_mask) {
          if constexpr (timed) {
            pc = run_full_timed(warp, code, counts, pc);
          } else {
            pc = run_full(warp, code, counts, runs, pc);
          }
        } else if constexpr (!timed) {
          if (code[pc].run != 0) pc = do_run<false>(warp, code + pc, runs, pc, mask);
        }
        if (pc >= limit) {
          warp.splits[warp.current].pc = pc;
          if (!join_other(warp)) break;
          mask = warp.mask();
          continue;
        }
      }
      const Inst& inst = code[pc];
      InstructionCounts& count = counts[pc];
      const LaneMask active = guarded(registers, inst, mask);
      if constexpr (follows) follow(warp, pc, mask, active);
      double time = 0;
      if constexpr (timed) time = issue_time(warp, pc);
      if constexpr (recorded) record_step(warp, pc, mask, active, time);
      ++count.executed;
      if (inst.control == Control::branch) {
        if constexpr (timed) retire(warp, pc, time);
        count.lanes += lanes_in(mask);
        if (active == mask || active == 0) {
          const std::int32_t next = active != 0 ? inst.target : pc + 1;
          const bool back = next <= pc;
          pc = next;
          if (back || pc >= limit) {
            warp.splits[warp.current].pc = pc;
            if (back && !keep_looping(warp, stop)) return stop;
            if (pc >= limit || warp.splits[warp.current].deferred) break;
          }
          if constexpr (follows && !recorded) {
            if (warp.followed.empty()) {
              warp.splits[warp.current].pc = pc;
              break;
            }
          }
          continue;
        }
        ++count.divergent;
        split_off(warp, mask & ~active, pc + 1);
        warp.splits[warp.current].pc = inst.target;
        if (inst.target <= pc && !keep_looping(warp, stop)) return stop;
        if (follows || !run_behind_branch(warp)) break;
        mask = warp.mask();
        ++pc;
        continue;
      }
      if (inst.control == Control::none) {
        if (active == full_mask) {
          count.lanes += warp_size;
          inst.full_handler(warp, inst, active);
        } else if (active != 0) {
          count.lanes += lanes_in(active);
          inst.handler(warp, inst, active);
        }
        if constexpr (recorded) record_done(warp, pc, active);
        if constexpr (timed) retire(warp, pc, time);
        if (++pc < limit) continue;
        warp.splits[warp.current].pc = pc;
        break;
      }
      if (inst.control == Control::mbarrier) {
        warp.splits[warp.current].pc = pc;
        if (active != 0) inst.handler(warp, inst, active);
        if (warp.splits[warp.current].state != WarpSplit::State::runnable) {
          --count.executed;
          if constexpr (recorded) record_undone(warp);
          break;
        }
        count.lanes += lanes_in(active);
        if constexpr (recorded) record_done(warp, pc, active);
        if constexpr (timed) retire(warp, pc, time);
        if (++pc < limit) continue;
        warp.splits[warp.current].pc = pc;
        break;
      }
      if constexpr (timed) retire(warp, pc, time);
      // The rest concerns the lanes of the guard only; the others go on behind it.
      warp.splits[warp.current].pc = pc;
      if (active == 0) {
        if (++pc < limit) continue;
        warp.splits[warp.current].pc = pc;
        break;
      }
      if (inst.control == Control::warp_sync) {
        const std::uint32_t* const masks = vector_register<std::uint32_t>(registers, inst.d);
        const std::uint32_t members = masks[std::countr_zero(active)];
        const bool together = active == mask && (members & warp.live) == active &&
                              lanes_with_other(masks, members, active) == 0;
        if (!together) {
          --count.executed;
          warp_sync_in_parts(warp, inst, active);
          break;
        }
        count.lanes += lanes_in(active);
        inst.handler(warp, inst, active);
        if constexpr (recorded) record_done(warp, pc, active);
        if (++pc < limit) continue;
        warp.splits[warp.current].pc = pc;
        break;
      }
      count.lanes += lanes_in(active);
      if (active != mask) split_off(warp, mask & ~active, pc + 1);
      switch (inst.control) {
        case Control::barrier:
          warp.block->arrive(warp, inst, active);
          // The whole warp waits, which select() would find out as well.
          if (warp.splits.size() == 1 &&
              warp.splits.front().state == WarpSplit::State::at_barrier) {
            return stop;
          }
          break;
        case Control::call:
          if constexpr (follows) {
            follow_call(warp, inst, pc);
          } else {
            call(warp, inst, pc);
          }
          break;
        case Control::ret:
          if constexpr (follows) {
            follow_return(warp);
          } else {
            return_from(warp);
          }
          break;
        case Control::exit:
          exit_lanes(warp);
          break;
        case Control::branch_table:
          branch_table(warp, inst);
          break;
        case Control::trap:
          warp.grid->findings.bad_instruction(thread_of(warp, first_lane(active)), inst.source,
                                              words_for_trap(*warp.grid), error_launch_failure);
        case Control::none:
        case Control::branch:
        case Control::warp_sync:
        case Control::mbarrier:
          break;
      }
      break;
    }
  }
}

}  // namespace gridstride::sim
