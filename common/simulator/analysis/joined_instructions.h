// Which instructions of PTX another one does the work of on the hardware, for the time model.
#pragma once

#include <vector>

#include "common/simulator/analysis/basic_blocks.h"
#include "common/simulator/ptx/module.h"

namespace gridstride::sim {

/// One entry an instruction of `function`: true where ptxas for sm_90 makes none of it, because
/// - the next sum, logic or address takes it as a third operand (IADD3, LOP3, LEA): of 32 bits, and
///   nobody else wants the result;
/// - the lower half of a product is made with the upper one (IMAD.WIDE);
/// - it changes the sign of a float that arithmetic reads, which does that by itself;
/// - it gives the halves of 64 bits other names: conversions without a sign, shifts by 32, packing;
/// - it is a constant, which stands in the instruction that wants it;
/// - it combines a predicate with that of a comparison, which does that by itself.
std::vector<bool> joined_instructions(const ptx::Function& function, const Blocks& blocks);

}  // namespace gridstride::sim
