// When one block's instructions could issue if it had the multiprocessor to itself.
//
// A warp issues one instruction a cycle, each once the registers it reads are ready; one is ready a
// latency after the instruction that writes it. Between two branches the order is the best that
// ptxas could choose: an instruction waits for its operands only, a load also for the stores before
// it (SchedulingConstraint in classify.h). Barriers align the warps of the block.
#pragma once

#include <cstdint>
#include <vector>

#include "common/simulator/analysis/classify.h"
#include "common/simulator/exec/engine.h"
#include "common/simulator/exec/warp.h"
#include "common/simulator/program/program.h"

namespace gridstride::sim {

/// What the scoreboard wants to know of each instruction of a kernel, side by side.
struct IssuePlan {
  struct Step {
    double latency = 0;  ///< without what the access costs
    double issued = 1;   ///< instructions that it becomes
    double chain = 0;    ///< cycles by which those wait for one another
    Latency kind{};
    SchedulingConstraint scheduling{};
    bool by_outcome = false;  ///< its latency depends on Warp::outcome
    /// Of `registers`: those that it reads, and behind them those that it writes.
    std::uint32_t reads = 0, writes = 0, end = 0;
  };
  std::vector<Step> steps;
  std::vector<std::uint32_t> registers;  ///< VectorRegister / register_alignment

  IssuePlan(const KernelCode& kernel, const LatencyTable& latencies);
};

/// Cycle at which instruction `pc` of the running split issues.
double issue_time(Warp& warp, std::int32_t pc);
/// Notes that it issued at `time` and when its results are ready.
void retire(Warp& warp, std::int32_t pc, double time);

}  // namespace gridstride::sim
