// Where calls and jumps through tables go: what `extra` of their instructions points to.
#pragma once

#include <cstdint>
#include <vector>

#include "common/simulator/program/instruction.h"

namespace gridstride::sim {

/// `extra` of Control::branch_table: instructions by index.
struct BranchTable {
  std::uint32_t count = 0;
  const std::int32_t* targets = nullptr;
};

/// A lane's .param variable that a call passes on.
struct ParamCopy {
  std::uint32_t from = 0, to = 0, bytes = 0;  ///< offsets in the two frames' parameter areas
};

struct FunctionCode;
struct CallSite;
/// A device-runtime intrinsic: a function that is not PTX. Reads its arguments from and writes
/// its result to the .param variables of the caller, as the call site says.
using Intrinsic = void (*)(Warp& warp, const Inst& inst, const CallSite& site, LaneMask mask);

/// `extra` of Control::call.
struct CallSite {
  const FunctionCode* callee = nullptr;  ///< null: an intrinsic, or by pointer in Inst::a
  Intrinsic intrinsic = nullptr;
  std::vector<ParamCopy> arguments;  ///< `to` of a call by pointer is the parameter's number
  std::vector<ParamCopy> results;    ///< `from` is the caller's variable, `to` the callee's
};

}  // namespace gridstride::sim
