// How an access takes part in races: what PTX calls weak and strong operations.
#pragma once

#include <cstdint>

namespace gridstride::sim {

enum class AccessStrength : std::uint8_t {
  plain,
  /// volatile: a try to talk to other warps, as flags are polled. Two of them do not race, unless
  /// lanes of one warp make them: that is code which believes that a warp runs in step.
  polling,
  strong,  ///< atomic, relaxed, acquire, release
};

/// Whether two accesses, one of them a store, may go on at once.
inline bool may_overlap(AccessStrength a, AccessStrength b, bool same_warp) {
  if (a == AccessStrength::plain || b == AccessStrength::plain) return false;
  return !same_warp || a == AccessStrength::strong || b == AccessStrength::strong;
}

}  // namespace gridstride::sim
