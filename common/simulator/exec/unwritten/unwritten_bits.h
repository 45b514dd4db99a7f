// What becomes of unwritten bits in an instruction that computes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "common/simulator/findings/unwritten_registers.h"
#include "common/simulator/ptx/module.h"

namespace gridstride::sim {

inline constexpr std::uint64_t all_bits = ~std::uint64_t{0};

/// A source operand in one lane.
struct FollowedSource {
  std::uint64_t value = 0;  ///< the bits that are unwritten mean nothing
  UnwrittenRegisters::Held held;
};

/// True of what computes in each lane by itself, from registers to registers.
bool computes_by_lane(const ptx::Instruction& instruction);

/// What an instruction that does makes of its sources, the operands behind its destination, of which one or
/// more holds unwritten bits. Nothing: all bits of the result are as written ones.
using BitRule = std::optional<UnwrittenRegisters::Held> (*)(const ptx::Instruction&,
                                                            std::span<const FollowedSource>);
BitRule bit_rule_of(const ptx::Instruction& instruction);

/// The rule of most instructions: all bits of the result are unwritten, and computed.
std::optional<UnwrittenRegisters::Held> all_unwritten(const ptx::Instruction& instruction,
                                                      std::span<const FollowedSource> sources);

}  // namespace gridstride::sim
