// When one block's instructions could issue if it had the multiprocessor to itself.
//
// A warp issues one instruction a cycle, each once the registers it reads are ready; one is ready a
// latency after the instruction that writes it. Between two branches the order is the best that
// ptxas could choose: an instruction waits for its operands only, a load also for the stores before
// it to the same memory (SchedulingConstraint in classify.h). Branches that ptxas makes something else
// of are none (branch_forms.h). Barriers align the warps of the block.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "common/simulator/analysis/classify.h"
#include "common/simulator/exec/block.h"
#include "common/simulator/exec/engine.h"
#include "common/simulator/exec/grid_run.h"
#include "common/simulator/exec/warp.h"
#include "common/simulator/program/program.h"

namespace gridstride::sim {

/// What the scoreboard wants to know of each instruction of a kernel, side by side.
struct IssuePlan {
  struct Step {
    double latency = 0;          ///< without what the access costs
    double issued = 1;           ///< instructions that it becomes
    double chain = 0;            ///< cycles by which those wait for one another
    double constant_cycles = 0;  ///< of a load of constants, until the warp's next one begins
    Latency kind{};
    SchedulingConstraint scheduling{};
    bool by_outcome = false;  ///< its latency depends on Warp::outcome
    bool computes = false;    ///< and does nothing else: it only waits for what it reads
    std::uint8_t floor = 0;   ///< of IssueTimes::load_floors, of a load or a store
    std::uint8_t loaded = 0;  ///< words that it loads from global memory
    std::uint8_t rounds = 1;  ///< of a loop, before this branch back is one: branch_forms.h
    /// Of `registers`: those that it reads, and behind them those that it writes.
    std::uint32_t reads = 0, writes = 0, end = 0;
  };
  std::vector<Step> steps;
  std::vector<std::uint32_t> registers;  ///< VectorRegister / register_alignment
  std::vector<LoopCounter> loops;        ///< of branches whose Step::rounds is not 1

  IssuePlan(const KernelCode& kernel, const LatencyTable& latencies);
  /// The latency of a step that is `by_outcome`.
  static double latency_of_access(const Warp& warp, const Step& step);
  /// How much later than the load before it the next load of the warp is looked for.
  static double cycles_of_lines(const Warp& warp);
  static double cycles_of_constant_miss(const Warp& warp);
  /// Whether the rounds that the warp has done since the last fence are all that stand one behind the other:
  /// as many as Step::rounds, or two, or one, where fewer are left in its first lane. To be asked at the
  /// branch back, number `pc`.
  bool is_last_of_rounds(const Warp& warp, std::int32_t pc) const;
};

// Inline, for the loop that runs a warp.

/// Cycle at which instruction `pc` of the running split issues.
inline double issue_time(Warp& warp, std::int32_t pc) {
  const IssuePlan::Step& step = warp.grid->issue_plan->steps[static_cast<std::size_t>(pc)];
  double time = 0;
  switch (step.scheduling) {
    case SchedulingConstraint::free:
    case SchedulingConstraint::store:
      time = warp.times.floor;
      break;
    case SchedulingConstraint::load:
      time = warp.times.load_floors[step.floor];
      for (std::uint32_t i = 0; i < step.loaded; ++i) {
        double& before = warp.times.loads[warp.times.words++ % words_in_flight];
        time = std::max(time, std::exchange(before, warp.times.next));
      }
      break;
    case SchedulingConstraint::fixed:
    case SchedulingConstraint::subroutine:
      time = warp.times.next;
      break;
  }
  const double* const ready = warp.frame->ready.data();
  const std::uint32_t* const registers = warp.grid->issue_plan->registers.data();
  for (std::uint32_t i = step.reads; i < step.writes; ++i) {
    time = std::max(time, ready[registers[i]]);
  }
  warp.outcome = {};
  warp.outcome.time = time;
  return time;
}

/// Notes that it issued at `time` and when its results are ready.
inline void retire(Warp& warp, std::int32_t pc, double time) {
  const IssuePlan::Step& step = warp.grid->issue_plan->steps[static_cast<std::size_t>(pc)];
  double done = time + (step.by_outcome ? IssuePlan::latency_of_access(warp, step) : step.latency) +
                step.chain;
  if (warp.outcome.passes > 1) {
    // The L1 looks for the lines of one load after those of another.
    const double begin = std::max(time, warp.times.l1_end);
    warp.times.l1_end += IssuePlan::cycles_of_lines(warp);
    done += begin - time;
  }
  if (step.constant_cycles > 0) {
    // One load of constants after the other.
    const double begin = std::max(time, warp.times.constants_end);
    warp.times.constants_end =
        begin + step.constant_cycles + IssuePlan::cycles_of_constant_miss(warp);
    done += begin - time;
  }
  if (warp.outcome.cas_iterations != 0) warp.times.fence(done);  // a loop, whose end is waited for
  double* const ready = warp.frame->ready.data();
  const std::uint32_t* const registers = warp.grid->issue_plan->registers.data();
  for (std::uint32_t i = step.writes; i < step.end; ++i) {
    double& valid_from = ready[registers[i]];
    valid_from = std::max(valid_from, done);  // splits write it at different times
  }
  IssueTimes& times = warp.times;
  times.slots += step.issued;
  times.next = std::max({times.next, times.slots, time + step.issued});
  if (step.scheduling == SchedulingConstraint::free) return;
  if (step.rounds > 1) {
    ++times.rounds;
    if (!warp.grid->issue_plan->is_last_of_rounds(warp, pc)) return;
  }
  // A branch holds up its own warp: nothing behind it is fetched before it is decided.
  if (step.scheduling == SchedulingConstraint::fixed) {
    // One that sleeps has set the time itself.
    times.fence(step.kind == Latency::branch ? std::max(done, times.next) : times.next);
  }
  if (step.scheduling == SchedulingConstraint::subroutine) {
    times.fence(std::max(done + warp.outcome.rare_cycles, times.next));
  }
  if (step.scheduling == SchedulingConstraint::store) {
    double& floor = times.load_floors[step.floor];
    floor = std::max(floor, time);
  }
}

/// Both, of a step that only computes, in one go. `ready`: of the frame that runs.
inline void issue_and_retire(IssueTimes& times, const IssuePlan::Step& step,
                             const std::uint32_t* registers, double* ready) {
  double time = times.floor;
  for (std::uint32_t i = step.reads; i < step.writes; ++i) {
    time = std::max(time, ready[registers[i]]);
  }
  const double done = time + step.latency + step.chain;
  for (std::uint32_t i = step.writes; i < step.end; ++i) {
    double& valid_from = ready[registers[i]];
    valid_from = std::max(valid_from, done);
  }
  times.slots += step.issued;
  times.next = std::max({times.next, times.slots, time + step.issued});
}

}  // namespace gridstride::sim
