// The cache of a multiprocessor for constant memory: which of its lines a load does not find there.
//
// 2 KiB in lines of 64 bytes (Jia and others, "Dissecting the NVIDIA Volta GPU Architecture via
// Microbenchmarking", arXiv:1804.06826, section 3.6). What it lacks comes from a larger one that several
// multiprocessors share, and one line at a time.
#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>

namespace gridstride::sim {

/// Fully associative, least recently used. One for all blocks of a grid: what one of them has
/// brought, the next on that multiprocessor finds.
class ConstantCache {
 public:
  static constexpr std::uint64_t line_bytes = 64;

  /// A load of one address for a warp.
  struct Found {
    bool missed = false;    ///< its line is not there
    bool new_line = false;  ///< another line than the load before, and none of the latest
    bool apart = false;     ///< on such a line
  };
  /// Looks for the line that holds `address`; it is there from now on.
  Found find(std::uint64_t address) {
    const std::uint64_t line = address / line_bytes;
    if (lines_[0] == line) return {.apart = apart_};
    const auto found = std::find(lines_.begin() + 1, lines_.end() - 1, line);
    const bool missed = *found != line;
    apart_ = missed || found - lines_.begin() >= latest;
    std::copy_backward(lines_.begin(), found, found + 1);
    lines_[0] = line;
    return {.missed = missed, .new_line = apart_, .apart = apart_};
  }

  /// The same of a load whose lanes want several addresses, once for each line of it. What warps want then is
  /// in no order, and they are everywhere at the same time: of a table of n lines a share of 32 / n is found.
  /// Measured on an H200, 31 warps a multiprocessor, words that 32 lanes draw: 122, 356 and 928 clocks a load
  /// with tables of 2.5, 4 and 16 KiB, 111 and 224 with 4 and 8 tables of 1 KiB in turn.
  bool misses_apart(std::uint64_t address) {
    const std::uint64_t line = address / line_bytes;
    if (!seen_[line % seen_.size()]) {
      seen_[line % seen_.size()] = true;
      ++different_;
      return true;
    }
    if (different_ <= lines_held) return false;
    owed_ += different_ - lines_held;
    if (owed_ < different_) return false;
    owed_ -= different_;
    return true;
  }

 private:
  static constexpr std::size_t lines_held = 2048 / line_bytes;
  /// 256 bytes cost nothing however many warps there are, 512 half of what 1 KiB does (constant_loops.csv), and
  /// nothing in the rays of the ladder.
  static constexpr std::ptrdiff_t latest = 512 / line_bytes;
  std::array<std::uint64_t, lines_held> lines_{};  ///< latest first; no device address is below 64
  std::bitset<65536 / line_bytes>
      seen_;  ///< by loads with several addresses, of all constant memory
  bool apart_ = false;
  std::uint64_t different_ = 0, owed_ = 0;  ///< lines seen; parts of a miss, `different_` to one
};

}  // namespace gridstride::sim
