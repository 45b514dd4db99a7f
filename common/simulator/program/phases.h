// What of a kernel a block does strictly before the rest, as far as its code shows: the time model
// lets blocks that started together do such parts one after the other.
#pragma once

#include <cstdint>
#include <vector>

namespace gridstride::sim {

struct KernelCode;  // program/program.h

struct CodePhases {
  std::vector<std::uint32_t> of;     ///< phase of each instruction, parallel to KernelCode::code
  std::vector<bool> behind_barrier;  ///< of each phase: a block barrier lies before it
};

/// A phase ends outside of loops: behind a block barrier, before and behind a loop, and before an
/// instruction that needs what a load from global memory of this phase brings. A loop is in one
/// phase, whatever stands in it, for blocks in different rounds do different things. A kernel that
/// calls functions is one phase.
CodePhases phases_of(const KernelCode& kernel);

}  // namespace gridstride::sim
