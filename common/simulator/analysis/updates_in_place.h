// Whether a program reads a place, changes what is there and writes it back.
#pragma once

#include "common/simulator/ptx/module.h"

namespace gridstride::sim {

/// True when a load and a store (ld, st) of one line name the same register or variable with the
/// same offset as their address.
bool updates_in_place(const ptx::Instruction& load, const ptx::Instruction& store);

/// True when `function` has a load for which that holds: `++x`, `x = x + 1`.
bool updates_in_place(const ptx::Function& function, const ptx::Instruction& store);

}  // namespace gridstride::sim
