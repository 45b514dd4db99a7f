// Calls of the toolkit's own device functions, replaced by their bodies.
//
// With nvcc -G, and with less optimization than usual, atomicAdd, __shfl_sync, grid.sync and whatever else
// headers of the toolkit define are functions that are called. Analyses look at one function at a
// time, and a finding names the line of the student's that led to it: both need the calls expanded,
// as the optimizing compiler does it.
#pragma once

#include <string_view>

#include "common/simulator/ptx/module.h"

namespace gridstride::sim::ptx {

/// Whether `path` names a header that comes with the CUDA toolkit, by what follows "/include/".
bool is_toolkit_header(std::string_view path);

/// Expands calls of functions that stand in a header of the toolkit, and of those that stand nowhere: of
/// its device library, or made by the compiler. In a module without lines those are known by names
/// that begin with "__". Each place keeps its line, and says
/// by Location::call who called it. What cannot be expanded stays a call: one by pointer or under a
/// guard, recursion, a function with shared variables or jumps through tables, and what would make
/// a function longer than some ten thousand instructions. In a function whose calls were expanded
/// variables are registers where they can be (variable_registers.h).
void expand_toolkit_calls(Module& module);

}  // namespace gridstride::sim::ptx
