// What becomes of what atomics on global memory return.
//
// Where nobody uses the result, ptxas makes a reduction of the atomic: the thread sends it and goes on, and
// its block may have ended while the operation still waits its turn in the L2.
#pragma once

#include "common/simulator/analysis/basic_blocks.h"
#include "common/simulator/ptx/module.h"

namespace gridstride::sim {

/// Whether an instruction of `function` reads a register that an atomic on global, or generic, memory
/// writes. What a function returns counts as read.
bool uses_atomic_results(const ptx::Function& function);

/// Whether a loop of `function` ends when an addition in it on global, or generic, memory says so: its threads
/// take what is left to do from a queue. The sum may come to the loop's condition by way of shuffles and of
/// memory that is not global. Additions of 0, exchanges and compare-and-swaps are no queue: they wait.
bool draws_work(const ptx::Function& function, const Blocks& blocks);

}  // namespace gridstride::sim
