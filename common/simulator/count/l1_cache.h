// The modelled L1 of one block: its share of the multiprocessor's cache, for telling loads that
// repeat from those that go to the L2.
//
// A share for each block instead of one cache for all: blocks do not run at the same moments as on
// the hardware, so what they would find of one another's lines could only be guessed.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "common/simulator/base/pseudorandom.h"

namespace gridstride::sim {

/// Four lines of 128 bytes in four sectors to a set, replaced in turn. Stores and atomics pass it.
class L1Cache {
 public:
  /// Holds nothing from now on; `bytes` is rounded down to a power of two, 0 means no cache.
  void start(std::uint64_t bytes);

  /// Of the sectors of `mask` (bits 0-3) in line number `line`, those that have to be fetched.
  std::uint32_t misses(std::uint64_t line, std::uint32_t mask) {
    if (sets_.empty()) return mask;
    const std::uint64_t hash = line * golden_multiplier;
    Set& set = sets_[hash >> 40 & (sets_.size() - 1)];
    for (std::uint32_t way = 0; way < ways; ++way) {
      if (set.lines[way] != line) continue;
      const std::uint32_t missing = mask & ~std::uint32_t{set.valid[way]};
      set.valid[way] = static_cast<std::uint8_t>(set.valid[way] | mask);
      return missing;
    }
    const std::uint32_t way = set.next++ % ways;
    set.lines[way] = line;
    set.valid[way] = static_cast<std::uint8_t>(mask);
    return mask;
  }

 private:
  static constexpr std::uint32_t ways = 4;
  struct Set {
    std::array<std::uint64_t, ways> lines{};  ///< no device address is below 128
    std::array<std::uint8_t, ways> valid{};
    std::uint8_t next = 0;
  };
  std::vector<Set> sets_;
};

}  // namespace gridstride::sim
