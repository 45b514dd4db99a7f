// The immediate post-dominator of the condition that a barrier stands in: the block behind an `if`
// or a loop with a barrier in it, which every thread comes to that has executed the barrier.
//
// Threads that have ended are not waited for at a barrier, so one inside a condition lets the
// others through when those who did not enter have come to their end, by luck. A thread that has
// passed the post-dominator more often than one that still waits inside has gone round the
// barrier; one that has returned early has not passed it.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "common/simulator/analysis/basic_blocks.h"
#include "common/simulator/ptx/module.h"

namespace gridstride::sim {

/// Functions that wait at a block barrier, or call one that does, by name.
using BarrierFunctions = std::set<std::string>;
BarrierFunctions barrier_functions(const std::vector<const ptx::Function*>& functions);

/// Whether this is a block barrier at which threads wait, or a call of a function of `waiting`.
bool waits_at_block_barrier(const ptx::Instruction& instruction, const BarrierFunctions& waiting);

/// For each basic block the immediate post-dominator of its block barriers' condition, or -1: it
/// has no barrier, or every thread executes it, or nothing that counts follows but the end of the
/// function.
std::vector<std::int32_t> barrier_post_dominators(const ptx::Function& function,
                                                  const Blocks& blocks,
                                                  const BarrierFunctions& waiting);

}  // namespace gridstride::sim
