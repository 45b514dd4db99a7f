// Which branches of the PTX ptxas makes something else of, for the scoreboard: what it may put before
// one that is left, and what behind it.
#pragma once

#include <cstdint>
#include <vector>

#include "common/simulator/program/instruction.h"

namespace gridstride::sim {

struct KernelCode;  // program/program.h

/// Of a loop: the register that it counts in, from round to round by `step`, and the one with the end.
struct LoopCounter {
  VectorRegister at = no_register, end = no_register;
  std::int64_t step = 0;
  bool is_wide = false;  ///< of 64 bits
};

/// Of an instruction, all of it parallel to KernelCode::code.
struct BranchForms {
  /// Of a branch over a few instructions, or between a few and a few others, and of the jump over those: they
  /// get its condition as their guard, it is no more.
  std::vector<bool> predicated;
  /// Of a branch back to the beginning of a loop: so many rounds stand one behind the other, without
  /// a branch between them; otherwise 1.
  std::vector<std::uint8_t> rounds;
  /// … and what tells how many are left: two are done at a time where four are too many, and one where two
  /// are.
  std::vector<LoopCounter> loops;
  /// Of an instruction of a loop that is written out as a whole: what its counter is added to is known in each
  /// round.
  std::vector<bool> written_out;
  /// Of an instruction that such a branch leaves out: the first branch over it, otherwise -1. Whoever
  /// comes to that branch issues it, if only for nothing.
  std::vector<std::int32_t> predicated_by;
  /// The conditions of predicated branches over an instruction, which it waits for.
  std::vector<std::vector<VectorRegister>> conditions;
};

/// As ptxas of CUDA 13.0 does it for sm_90, seen in what it makes of some 200 kernels (model/ladder):
/// up to 16 instructions without barriers, atomics, fences and other branches are predicated, also
/// those that load. Stores to global memory are, too, but a warp alone that stores again and again under
/// conditions (the partition of quicksort-cdp 2) is 1.4 times too fast with that, 0.8 without: what its
/// stores cost the warp is not in the model, so branches over them stay.
///
/// A loop of one piece whose counter goes in steps that are known, to an end that is not, and that has
/// up to 48 instructions, no warp operation among them, is done four rounds at a time, beyond what the
/// compiler before it has unrolled; of what is left two at a time, and then one.
///
/// One whose number of rounds is known is written out where that makes up to some 3000 instructions: 2040 and
/// 2800 are (nearest centres, a slice of projections), 19,000 are not (waves of a scanner).
BranchForms branch_forms_of(const KernelCode& kernel);

}  // namespace gridstride::sim
