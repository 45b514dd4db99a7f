// The immediate post-dominator of the condition that a barrier stands in: the block behind an `if`
// or a loop with a barrier in it, which every thread comes to that has executed the barrier.
//
// Threads that have ended are not waited for at a barrier, so one inside a condition lets the
// others through when those who did not enter have come to their end, by luck. A thread that has
// passed the post-dominator more often than one that still waits inside has gone round the
// barrier; one that has returned early has not passed it.
#pragma once

#include <cstdint>
#include <vector>

#include "common/simulator/analysis/basic_blocks.h"
#include "common/simulator/ptx/module.h"

namespace gridstride::sim {

/// For each basic block the immediate post-dominator of its block barriers' condition, or -1: it
/// has no barrier, or every thread executes it, or nothing that counts follows but the end of the
/// function.
std::vector<std::int32_t> barrier_post_dominators(const ptx::Function& function,
                                                  const Blocks& blocks);

}  // namespace gridstride::sim
