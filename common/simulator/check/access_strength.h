// How an access takes part in races: what PTX calls weak and strong operations.
#pragma once

#include <cstdint>

namespace gridstride::sim {

enum class AccessStrength : std::uint8_t {
  plain,
  /// volatile: a try to talk to other warps, as flags are polled. Two of them do not race, unless
  /// lanes of one warp make them: that is code which believes that a warp runs in step.
  polling,
  strong,           ///< atomic, relaxed, acquire, release
  strong_in_block,  ///< the same with block scope: for other blocks no more than a plain access
};

/// An atomic access, for the threads of one block at least.
inline bool is_strong(AccessStrength kind) { return kind >= AccessStrength::strong; }

/// What an access is to a thread of the same block, or of another one.
inline AccessStrength seen_from(AccessStrength kind, bool same_block) {
  if (kind != AccessStrength::strong_in_block) return kind;
  return same_block ? AccessStrength::strong : AccessStrength::plain;
}

/// Whether these are bytes of two atomic operations (0: of none) that are not atomic for each other.
inline bool are_of_different_sizes(std::uint8_t a, std::uint8_t b) {
  return a != b && a != 0 && b != 0;
}

/// Whether two accesses, one of them a store, may go on at once. Both as seen from one another.
inline bool may_overlap(AccessStrength a, AccessStrength b, bool same_warp) {
  if (a == AccessStrength::plain || b == AccessStrength::plain) return false;
  return !same_warp || is_strong(a) || is_strong(b);
}

}  // namespace gridstride::sim
