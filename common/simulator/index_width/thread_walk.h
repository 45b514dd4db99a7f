// One thread's way through a kernel that is not run: of its integers, what the launch alone decides.
//
// Where it is and how large the grid is, the kernel's arguments, and what sums, products and
// comparisons make of these: known. What memory holds: not known, and neither is anything that comes
// of it. A branch on what is known is taken, or not; one on what is not is followed both ways. A loop
// whose counters grow by the same amount each time is gone through in its first rounds and its last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "common/simulator/base/dim3.h"
#include "common/simulator/index_width/exact_value.h"
#include "common/simulator/ptx/module.h"

namespace gridstride::sim {

/// A kernel as it is launched. What is pointed to lives longer.
struct LaunchedKernel {
  const ptx::Function* function = nullptr;
  Dim3 grid, block;
  std::span<const std::byte> arguments;
  std::vector<std::uint32_t> offsets;  ///< of each parameter in `arguments`
};

struct ThreadPlace {
  Dim3 block, thread;
};

/// Called for each access to global memory that the thread makes at an address that is known.
using OnAccess = std::function<void(const ptx::Instruction&, const ExactValue& address)>;

void walk(const LaunchedKernel& kernel, const ThreadPlace& place, const OnAccess& on_access);

}  // namespace gridstride::sim
