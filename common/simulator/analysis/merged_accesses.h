// Which loads and stores of shared memory the hardware does in one instruction, or not at all.
//
// PTX has one instruction for each element that the source names. ptxas joins neighbouring elements
// into accesses of 8 or 16 bytes, and leaves a load away when the value is still in a register.
// Counters that are to equal the hardware's must do the same.
#pragma once

#include <cstdint>
#include <vector>

#include "common/simulator/analysis/basic_blocks.h"
#include "common/simulator/analysis/register_origins.h"
#include "common/simulator/ptx/module.h"

namespace gridstride::sim {

struct MergedAccess {
  bool changed = false;
  std::uint8_t bytes = 0;        ///< that this instruction is counted as; 0: another does its work
  std::uint8_t words_below = 0;  ///< 4-byte words from its own address down to the first of them
};

/// One entry an instruction of `function`, for accesses of 4 and 8 bytes. What is joined stands in
/// one basic block, has one base register and guard, is aligned as a whole, and has no barrier,
/// call or access between that might touch the same bytes. A load is left away when the same
/// address was loaded or stored before, in the block or in those that alone lead to it.
/// `origins`: of the registers of `function`.
std::vector<MergedAccess> merged_accesses(const ptx::Function& function, const Blocks& blocks,
                                          const std::vector<RegisterOrigin>& origins);

}  // namespace gridstride::sim
