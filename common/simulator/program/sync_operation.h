// Operations that several lanes of a warp do together: shuffles, votes, __syncwarp() and their kin.
#pragma once

#include <cstdint>

#include "common/simulator/program/instruction.h"

namespace gridstride::sim {

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
