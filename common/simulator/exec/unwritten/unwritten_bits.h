// What becomes of unwritten bits in an instruction that computes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/simulator/findings/unwritten_registers.h"
#include "common/simulator/ptx/module.h"

namespace gridstride::sim {

/// A source operand in one lane.
struct FollowedSource {
  std::uint64_t value = 0;  ///< the bits that are unwritten mean nothing
  UnwrittenRegisters::Held held;
};

/// True of what computes in each lane by itself, from registers to registers.
bool computes_by_lane(const ptx::Instruction& instruction);

/// What an instruction that does makes of its `sources`, the operands behind its destination, of which one or
/// more holds unwritten bits. Nothing: all bits of the result are as written ones.
std::optional<UnwrittenRegisters::Held> unwritten_result(
    const ptx::Instruction& instruction, const std::vector<FollowedSource>& sources);

}  // namespace gridstride::sim
