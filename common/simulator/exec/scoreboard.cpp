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
#include "common/simulator/program/branch_forms.h"

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

bool is_arithmetic(Latency kind) {
  return kind == Latency::arithmetic || kind == Latency::special ||
         kind == Latency::double_precision;
}

}  // namespace

IssuePlan::IssuePlan(const KernelCode& kernel, const LatencyTable& latencies) {
  steps.reserve(kernel.code.size());
  const auto add = [this](const std::vector<VectorRegister>& some) {
    for (const VectorRegister at : some) registers.push_back(at / register_alignment);
    return static_cast<std::uint32_t>(registers.size());
  };
  const BranchForms& branches = kernel.branches;
  for (std::size_t pc = 0; pc < kernel.code.size(); ++pc) {
    const InstructionClass& kind = kernel.classes[pc];
    Step step;
    step.kind = kind.latency;
    step.latency = latency_of(kind.latency, latencies);
    step.by_outcome = is_by_outcome(kind.latency);
    step.scheduling = branches.predicated[pc] ? SchedulingConstraint::free : kind.scheduling;
    step.shared = kind.latency == Latency::shared;
    step.rounds = branches.rounds[pc];
    step.computes = kind.scheduling == SchedulingConstraint::free &&
                    kernel.code[pc].control == Control::none && is_arithmetic(kind.latency);
    if (step.computes && kind.sass_instructions == 0) {
      // Another one does its work.
      step.issued = step.latency = 0;
    } else {
      // Those that become several wait for one another.
      step.issued = std::max<double>(kind.sass_instructions, 1);
      step.chain = (step.issued - 1) * latencies.arithmetic;
    }
    step.reads = static_cast<std::uint32_t>(registers.size());
    add(branches.conditions[pc]);
    step.writes = add(kernel.dependences[pc].reads);
    step.end = add(kernel.dependences[pc].writes);
    steps.push_back(step);
  }
}

double IssuePlan::latency_of_access(const Warp& warp, const Step& step) {
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

}  // namespace gridstride::sim
