// How many instructions of the hardware one PTX instruction becomes.
#pragma once

#include <cstdint>

#include "common/simulator/ptx/module.h"

namespace gridstride::sim {

/// PTX names operations that a GPU has no instruction for: a division is a subroutine, 64-bit
/// arithmetic goes in halves; and others that vanish: cvta, copies between registers, loads of
/// parameters. The figures are what ptxas of CUDA 13.0 makes of each for sm_90, counted in its
/// output; where it adds a slow path for rare operands, the usual one. A pure function of the
/// instruction; 1 for whatever is not known.
///
/// A product of matrices counts as many as the slots of its scheduler that the tensor core takes:
/// it does 256 multiplications of f16 in one (a dense 1024 a cycle and multiprocessor, NVIDIA A100
/// white paper), half as many of tf32, twice as many of bytes, 16 of f64.
std::uint8_t sass_instructions(const ptx::Instruction& instruction);

/// Multiplications that mma or wmma.mma does; 0 for anything else.
std::uint32_t matrix_multiplications(const ptx::Instruction& instruction);

}  // namespace gridstride::sim
