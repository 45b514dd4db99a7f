// Runs the groups of one warp until none can go on.
#pragma once

#include <cstdint>
#include <vector>

#include "common/simulator/exec/warp.h"

namespace gridstride::sim {

enum class WarpStop : std::uint8_t {
  blocked,   ///< every group waits at a barrier or for lanes that wait there, or the warp has ended
  gave_way,  ///< has looped long; can go on
  polled,    ///< the same, and seems to wait for another thread
};

/// Runs `warp` from where it stands. Throws GridStop. `timed` runs the scoreboard along.
template <bool timed>
WarpStop run_warp(Warp& warp);

extern template WarpStop run_warp<false>(Warp& warp);
extern template WarpStop run_warp<true>(Warp& warp);

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
/// Functions that are not PTX but part of the device runtime. Reads its arguments from and writes
/// its result to the .param variables of the caller, as the call site says.
using NativeFunction = void (*)(Warp& warp, const Inst& inst, const CallSite& site, LaneMask mask);

/// `extra` of Control::call.
struct CallSite {
  const FunctionCode* callee = nullptr;  ///< null: native, or by pointer in row Inst::a
  NativeFunction native = nullptr;
  std::vector<ParamCopy> arguments;  ///< `to` of a call by pointer is the parameter's number
  std::vector<ParamCopy> results;    ///< `from` is the caller's variable, `to` the callee's
};

/// What the lanes of a .sync operation bring together: of all lanes that take part, by lane.
struct SyncSource {
  const std::uint32_t* values = nullptr;
  const std::uint64_t* wide_values = nullptr;
  LaneMask predicate = 0;
  LaneMask lanes = 0;  ///< that take part
};
/// `extra` of Control::warp_sync. Inst::handler serves lanes that stand at one instruction; `apply`
/// gives the lanes of `mask` their results when others came to the operation by another path.
struct SyncOperation {
  enum class Source : std::uint8_t { none, b32, b64, predicate } source = Source::none;
  bool negated = false;  ///< the source predicate
  void (*apply)(Warp& warp, const Inst& inst, LaneMask mask, const SyncSource& source) = nullptr;
};

}  // namespace gridstride::sim
