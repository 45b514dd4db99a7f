// See scoreboard.h.
#include "common/simulator/exec/scoreboard.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/simulator/analysis/classify.h"
#include "common/simulator/exec/block.h"
#include "common/simulator/exec/warp.h"

namespace gridstride::sim {
namespace {

double& ready(Warp& warp, VectorRegister at) {
  std::vector<double>& times = warp.frame->ready;
  if (times.empty())
    times.assign(warp.frame->function->frame.register_bytes / register_alignment, 0);
  return times[at / register_alignment];
}

double latency(const Warp& warp, std::int32_t pc) {
  const LatencyTable& table = warp.grid->request.latencies;
  const AccessOutcome& outcome = warp.outcome;
  const double more_wavefronts =
      outcome.wavefronts > 1 ? table.shared_wavefront * (outcome.wavefronts - 1) : 0;
  const double more_sectors = outcome.sectors > 4 ? table.global_sector * (outcome.sectors - 4) : 0;
  switch (warp.grid->kernel.classes[static_cast<std::size_t>(pc)].latency) {
    case Latency::arithmetic:
      return table.arithmetic;
    case Latency::special:
      return table.special;
    case Latency::double_precision:
      return table.double_precision;
    case Latency::shared:
      return table.shared + more_wavefronts;
    case Latency::constant:
      return table.constant;
    case Latency::global:
      if (outcome.sectors == 0) return table.shared + more_wavefronts;  // generic, but shared
      return (outcome.dram ? table.global_dram
              : outcome.l2 ? table.global_l2
                           : table.global_l1) +
             more_sectors;
    case Latency::shared_atomic:
      return table.shared_atomic + more_wavefronts +
             table.shared_cas_iteration * outcome.cas_iterations;
    case Latency::global_atomic:
      return table.global_atomic + more_sectors;
    case Latency::shuffle:
      return table.shuffle;
    case Latency::match:
      return table.shuffle + table.match_value * outcome.values;
    case Latency::barrier:
      return table.barrier;
    case Latency::branch:
      return table.branch;
  }
  return table.arithmetic;
}

}  // namespace

double issue_time(Warp& warp, std::int32_t pc) {
  double time = 0;
  switch (warp.grid->kernel.classes[static_cast<std::size_t>(pc)].scheduling) {
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
  for (const VectorRegister at :
       warp.grid->kernel.dependences[static_cast<std::size_t>(pc)].reads) {
    time = std::max(time, ready(warp, at));
  }
  warp.outcome = {};
  return time;
}

void retire(Warp& warp, std::int32_t pc, double time) {
  const InstructionClass& kind = warp.grid->kernel.classes[static_cast<std::size_t>(pc)];
  // Those that become several wait for one another.
  const double issued = std::max<double>(kind.sass_instructions, 1);
  const double chain = (issued - 1) * warp.grid->request.latencies.arithmetic;
  double done = time + latency(warp, pc) + chain;
  if (warp.outcome.cas_iterations != 0) {
    // The compare-and-swap loops of a block are mostly at the same place, one after the other.
    done += std::max(warp.block->cas_loops_end - time, 0.0);
    warp.block->cas_loops_end = done;
  }
  for (const VectorRegister at :
       warp.grid->kernel.dependences[static_cast<std::size_t>(pc)].writes) {
    double& valid_from = ready(warp, at);
    valid_from = std::max(valid_from, done);  // splits write it at different times
  }
  IssueTimes& times = warp.times;
  times.slots += issued;
  times.next = std::max({times.next, times.slots, time + issued});
  // A branch holds up its own warp: nothing behind it is fetched before it is decided.
  if (kind.scheduling == SchedulingConstraint::fixed) {
    // One that sleeps has set the time itself.
    times.fence(kind.latency == Latency::branch ? std::max(done, times.next) : times.next);
  }
  if (kind.scheduling == SchedulingConstraint::subroutine) times.fence(std::max(done, times.next));
  if (kind.scheduling == SchedulingConstraint::store)
    times.load_floor = std::max(times.load_floor, time);
}

}  // namespace gridstride::sim
