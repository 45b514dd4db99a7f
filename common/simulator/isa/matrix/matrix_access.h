// What the files on matrices share with one another.
#pragma once

#include <cstdint>

#include "common/simulator/decode/decode_context.h"
#include "common/simulator/decode/modifiers.h"
#include "common/simulator/isa/matrix/matrix_fragments.h"

namespace gridstride::sim {

/// Matrix instructions are the whole warp's: stops the grid when lanes are missing.
void whole_warp(Warp& warp, const Inst& inst, LaneMask mask);

/// Registers that wmma has for A or B: for f16 always eight, of which some repeat the others.
std::uint32_t registers_of_wmma(const Fragment& fragment);

/// wmma.load and wmma.store.
bool decode_fragment_access(const ptx::Instruction& instruction, ProgramContext& context,
                            Modifiers& modifiers, bool loads, const MatrixShape& shape, Inst& out);
/// mma.m8n8k4 of f16: four products at once, each of two groups of four lanes.
bool decode_quad_product(const ptx::Instruction& instruction, ProgramContext& context,
                         Modifiers& modifiers, Inst& out);

}  // namespace gridstride::sim
