// When one block's instructions could issue if it had the multiprocessor to itself.
//
// A warp issues one instruction a cycle, each once the registers it reads are ready; one is ready a
// latency after the instruction that writes it. Between two branches the order is the best that
// ptxas could choose: an instruction waits for its operands only, a load also for the stores before
// it (SchedulingConstraint in classify.h). Barriers align the warps of the block.
#pragma once

#include <cstdint>

#include "common/simulator/exec/grid_run.h"
#include "common/simulator/exec/warp.h"

namespace gridstride::sim {

/// Cycle at which instruction `pc` of the running split issues.
double issue_time(Warp& warp, std::int32_t pc);
/// Notes that it issued at `time` and when its results are ready.
void retire(Warp& warp, std::int32_t pc, double time);

}  // namespace gridstride::sim
