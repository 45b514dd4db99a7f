// What is kept for each thread of a block of which few have anything to keep.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gridstride::sim {

/// Asynchronous copies, or groups of them, that a thread may have on their way; of more the oldest count as arrived, so
/// that a kernel that never waits needs no memory without end.
inline constexpr std::size_t most_copies_on_their_way = 256;

/// By a thread's linear index in its block, up to the last that has something.
template <class State>
class ByThread {
 public:
  /// Begins with State() for who had nothing.
  State& operator[](std::uint32_t thread) {
    if (thread >= states_.size()) states_.resize(thread + 1);
    return states_[thread];
  }
  /// Null for who has nothing, and nobody behind it has.
  const State* find(std::uint32_t thread) const {
    return thread < states_.size() ? &states_[thread] : nullptr;
  }
  std::uint32_t size() const { return static_cast<std::uint32_t>(states_.size()); }
  void clear() { states_.clear(); }

 private:
  std::vector<State> states_;
};

}  // namespace gridstride::sim
