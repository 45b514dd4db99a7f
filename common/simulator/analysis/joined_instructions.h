// Which instructions of PTX another one does the work of on the hardware, for the time model.
#pragma once

#include <cstdint>
#include <vector>

#include "common/simulator/analysis/basic_blocks.h"
#include "common/simulator/ptx/module.h"

namespace gridstride::sim {

/// What the hardware does of an instruction.
enum class HardwareWork : std::uint8_t {
  own,      ///< what sass_instructions.h and classify.h say
  nothing,  ///< another one does it
  half,     ///< that of an instruction of 32 bits, or of a product of two such numbers
};

/// One entry an instruction of `function`. ptxas for sm_90 makes none of it, because
/// - the next sum, logic or address takes it as a third operand (IADD3, LOP3, LEA): of 32 bits, and
///   nobody else wants the result;
/// - the lower half of a product is made with the upper one (IMAD.WIDE);
/// - it changes the sign of a float that arithmetic reads, which does that by itself;
/// - it gives the halves of 64 bits other names: conversions without a sign, shifts by 32, packing;
/// - it is a constant, which stands in the instruction that wants it;
/// - it combines a predicate with that of a comparison, which does that by itself.
/// It makes one of 32 bits of logic of 64 whose upper halves are known to be 0, and one product of two
/// such numbers.
std::vector<HardwareWork> joined_instructions(const ptx::Function& function, const Blocks& blocks);

}  // namespace gridstride::sim
