// The cache of a multiprocessor for constant memory: which of its lines a load does not find there.
//
// 2 KiB in lines of 64 bytes (Jia and others, "Dissecting the NVIDIA Volta GPU Architecture via
// Microbenchmarking", arXiv:1804.06826, section 3.6). What it lacks comes from a larger one that several
// multiprocessors share, and one line at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace gridstride::sim {

/// Fully associative, least recently used. One for all blocks of a grid: what one of them has
/// brought, the next on that multiprocessor finds.
class ConstantCache {
 public:
  static constexpr std::uint64_t line_bytes = 64;

  /// Looks for the line that holds `address`; it is there from now on. True when it was not.
  bool misses(std::uint64_t address) {
    const std::uint64_t line = address / line_bytes;
    if (lines_[0] == line) return false;
    const auto found = std::find(lines_.begin() + 1, lines_.end() - 1, line);
    const bool missing = *found != line;
    std::copy_backward(lines_.begin(), found, found + 1);
    lines_[0] = line;
    return missing;
  }

 private:
  static constexpr std::size_t lines_held = 2048 / line_bytes;
  std::array<std::uint64_t, lines_held> lines_{};  ///< latest first; no device address is below 64
};

}  // namespace gridstride::sim
