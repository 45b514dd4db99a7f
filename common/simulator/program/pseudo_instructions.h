// Handlers of instructions that PTX does not have: the decoder puts them into the code, the
// executor runs them.
#pragma once

#include "common/simulator/program/instruction.h"

namespace gridstride::sim {

/// Before an instruction that reads a clock: sets the row of the special register anew.
/// Inst::extra: a SpecialRow.
void refresh_special(Warp& warp, const Inst& inst, LaneMask mask);

/// Where the condition of a barrier ends (barrier_post_dominators.h). Inst::imm: its number in the kernel.
void pass_barrier_end(Warp& warp, const Inst& inst, LaneMask mask);

}  // namespace gridstride::sim
