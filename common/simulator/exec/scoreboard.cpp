// See scoreboard.h.
#include "common/simulator/exec/scoreboard.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/simulator/analysis/classify.h"
#include "common/simulator/exec/block.h"
#include "common/simulator/exec/grid_run.h"
#include "common/simulator/exec/warp.h"

namespace gridstride::sim {
namespace {

double latency_of(Latency kind, const LatencyTable& table) {
  switch (kind) {
    case Latency::arithmetic:
      return table.arithmetic;
    case Latency::special:
      return table.special;
    case Latency::double_precision:
      return table.double_precision;
    case Latency::shared:
      return table.shared;
    case Latency::constant:
      return table.constant;
    case Latency::global:
      return table.global_l1;
    case Latency::shared_atomic:
      return table.shared_atomic;
    case Latency::global_atomic:
      return table.global_atomic;
    case Latency::shuffle:
    case Latency::match:
      return table.shuffle;
    case Latency::barrier:
      return table.barrier;
    case Latency::branch:
      return table.branch;
  }
  return table.arithmetic;
}

bool is_by_outcome(Latency kind) {
  return kind == Latency::shared || kind == Latency::global || kind == Latency::shared_atomic ||
         kind == Latency::global_atomic || kind == Latency::match;
}

/// Of an instruction whose latency depends on what its access costs.
double latency(const Warp& warp, const IssuePlan::Step& step) {
  const LatencyTable& table = warp.grid->request.latencies;
  const AccessOutcome& outcome = warp.outcome;
  const double more_wavefronts =
      outcome.wavefronts > 1 ? table.shared_wavefront * (outcome.wavefronts - 1) : 0;
  const double more_sectors = outcome.sectors > 4 ? table.global_sector * (outcome.sectors - 4) : 0;
  switch (step.kind) {
    case Latency::shared:
      return step.latency + more_wavefronts;
    case Latency::global:
      if (outcome.sectors == 0) return table.shared + more_wavefronts;  // generic, but shared
      return (outcome.dram ? table.global_dram
              : outcome.l2 ? table.global_l2
                           : step.latency) +
             more_sectors;
    case Latency::shared_atomic:
      return step.latency + more_wavefronts + table.shared_cas_iteration * outcome.cas_iterations;
    case Latency::global_atomic:
      return step.latency + more_sectors;
    case Latency::match:
      return step.latency + table.match_value * outcome.values;
    default:
      return step.latency;
  }
}

const IssuePlan::Step& step_at(const Warp& warp, std::int32_t pc) {
  return warp.grid->issue_plan->steps[static_cast<std::size_t>(pc)];
}

}  // namespace

IssuePlan::IssuePlan(const KernelCode& kernel, const LatencyTable& latencies) {
  steps.reserve(kernel.code.size());
  const auto add = [this](const std::vector<VectorRegister>& some) {
    for (const VectorRegister at : some) registers.push_back(at / register_alignment);
    return static_cast<std::uint32_t>(registers.size());
  };
  for (std::size_t pc = 0; pc < kernel.code.size(); ++pc) {
    const InstructionClass& kind = kernel.classes[pc];
    Step step;
    step.kind = kind.latency;
    step.latency = latency_of(kind.latency, latencies);
    step.by_outcome = is_by_outcome(kind.latency);
    step.scheduling = kind.scheduling;
    // Those that become several wait for one another.
    step.issued = std::max<double>(kind.sass_instructions, 1);
    step.chain = (step.issued - 1) * latencies.arithmetic;
    step.reads = static_cast<std::uint32_t>(registers.size());
    step.writes = add(kernel.dependences[pc].reads);
    step.end = add(kernel.dependences[pc].writes);
    steps.push_back(step);
  }
}

double issue_time(Warp& warp, std::int32_t pc) {
  const IssuePlan::Step& step = step_at(warp, pc);
  double time = 0;
  switch (step.scheduling) {
    case SchedulingConstraint::free:
    case SchedulingConstraint::store:
      time = warp.times.floor;
      break;
    case SchedulingConstraint::load:
      time = warp.times.load_floor;
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
  return time;
}

void retire(Warp& warp, std::int32_t pc, double time) {
  const IssuePlan::Step& step = step_at(warp, pc);
  double done = time + (step.by_outcome ? latency(warp, step) : step.latency) + step.chain;
  if (warp.outcome.cas_iterations != 0) {
    // The compare-and-swap loops of a block are mostly at the same place, one after the other.
    done += std::max(warp.block->cas_loops_end - time, 0.0);
    warp.block->cas_loops_end = done;
  }
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
  // A branch holds up its own warp: nothing behind it is fetched before it is decided.
  if (step.scheduling == SchedulingConstraint::fixed) {
    // One that sleeps has set the time itself.
    times.fence(step.kind == Latency::branch ? std::max(done, times.next) : times.next);
  }
  if (step.scheduling == SchedulingConstraint::subroutine) times.fence(std::max(done, times.next));
  if (step.scheduling == SchedulingConstraint::store)
    times.load_floor = std::max(times.load_floor, time);
}

}  // namespace gridstride::sim
