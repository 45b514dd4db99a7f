// Loads that only guess: a compare-and-swap judges what they read.
#pragma once

#include <cstddef>
#include <set>

#include "common/simulator/ptx/module.h"

namespace gridstride::sim {

/// The plain loads of `function` whose value is no more than a first guess for a loop of
/// compare-and-swaps, as in the CUDA C++ Programming Guide's example of an atomic operation made of
/// atomicCAS, by their number in the body. The value, and what is computed from it, reaches what an
/// `atom.cas` of the same address and width compares with, what that stores if the guess was right,
/// and the conditions of branches, and nothing else. A stale value then makes the swap fail. The
/// swap itself is held against all other accesses, so nothing is lost when the load is not.
std::set<std::size_t> guessing_loads(const ptx::Function& function);

}  // namespace gridstride::sim
