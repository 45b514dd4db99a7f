// Where the control flow of a function branches.
#pragma once

#include <cstdint>
#include <vector>

#include "common/simulator/ptx/module.h"

namespace gridstride::sim {

/// Basic blocks of a function body.
struct Blocks {
  std::vector<std::int32_t> first;  ///< instruction each begins with; one more entry for the end
  std::vector<std::vector<std::int32_t>> successors;
  std::vector<bool> falls_through;
};

Blocks find_blocks(const ptx::Function& function);

bool is_branch(const ptx::Instruction& instruction);
/// The instructions that a branch may go to. Throws Unsupported for a table that is not there.
std::vector<std::int32_t> targets_of(const ptx::Function& function, const ptx::Instruction& branch);

}  // namespace gridstride::sim
