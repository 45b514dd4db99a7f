// Handlers of instructions that PTX does not have: the decoder puts them into the code, the
// executor runs them.
#pragma once

#include "common/simulator/program/instruction.h"

namespace gridstride::sim {

/// Before an instruction that reads a clock: sets its special register anew.
/// Inst::extra: a SpecialRegister.
void refresh_special(Warp& warp, const Inst& inst, LaneMask mask);

/// At the post-dominator of a barrier's condition (barrier_post_dominators.h). Inst::imm: its
/// number in the kernel.
void pass_barrier_post_dominator(Warp& warp, const Inst& inst, LaneMask mask);

}  // namespace gridstride::sim
