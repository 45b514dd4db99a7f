// Loads that only wait: what they read decides whether a loop goes on, and nothing else.
#pragma once

#include <cstddef>

#include "common/simulator/ptx/module.h"

namespace gridstride::sim {

/// Whether the value that instruction `at` loads, and all that is computed from it, is used for
/// nothing but the conditions of branches. No more is said of what the branches lead to.
bool only_decides_branches(const ptx::Function& function, std::size_t at);

/// Whether an instruction computes registers from registers.
bool only_computes(const ptx::Instruction& instruction);
/// Whether it does nothing but pass time or order memory.
bool only_waits(const ptx::Instruction& instruction);

}  // namespace gridstride::sim
