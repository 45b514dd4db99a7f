// Whether threads wait for what their atomics on global memory return.
//
// Where nobody uses the result, ptxas makes a reduction of the atomic: the thread sends it and goes on, and
// its block may have ended while the operation still waits its turn in the L2.
#pragma once

#include "common/simulator/ptx/module.h"

namespace gridstride::sim {

/// Whether an instruction of `function` reads a register that an atomic on global, or generic, memory
/// writes. What a function returns counts as read.
bool uses_atomic_results(const ptx::Function& function);

}  // namespace gridstride::sim
