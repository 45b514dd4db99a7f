// How many instructions of the hardware one PTX instruction becomes.
#pragma once

#include <cstdint>

#include "common/simulator/ptx/module.h"

namespace gridstride::sim {

/// PTX names operations that a GPU has no instruction for: a division is a routine, 64-bit
/// arithmetic goes in halves; and others that vanish: cvta, copies between registers, loads of
/// parameters. The figures are what ptxas of CUDA 13.0 makes of each for sm_90, counted in its
/// output; where it adds a slow path for rare operands, the usual one. A pure function of the
/// instruction; 1 for whatever is not known.
std::uint8_t machine_instructions(const ptx::Instruction& instruction);

}  // namespace gridstride::sim
