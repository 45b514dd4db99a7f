// The modelled L2: which 32-byte sectors are in it, so that DRAM traffic can be told from hits.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "common/simulator/base/pseudorandom.h"

namespace gridstride::sim {

/// Set-associative, least recently used, write-back, 128-byte lines of four sectors. Deterministic.
/// A store takes its sectors without reading them: sectors carry byte masks on the hardware.
class L2Cache {
 public:
  explicit L2Cache(std::uint64_t bytes);

  struct Outcome {
    std::uint32_t hits = 0, dram_reads = 0, dram_writes = 0;  ///< sectors
  };
  /// Touches the sectors of `mask` (bits 0-3) in the line that holds `address`.
  Outcome access(std::uint64_t address, std::uint32_t mask, bool write) {
    const auto tag = static_cast<std::uint32_t>(address / 128);
    // Hashed, as on the hardware, so that power-of-two strides do not fall into few sets.
    const std::uint64_t hash = (tag * golden_multiplier_32) & 0xffffffffu;
    Set& set = sets_[hash * sets_.size() >> 32];
    std::uint32_t match = 0;
    for (std::uint32_t i = 0; i < ways; ++i) match |= (set.tags[i] == tag ? 1u : 0u) << i;
    Outcome outcome;
    if (match == 0) outcome.dram_writes = replace(set, tag);
    const std::uint32_t way = match != 0 ? static_cast<std::uint32_t>(std::countr_zero(match))
                                         : static_cast<std::uint32_t>(set.order >> 60);
    use(set, way);
    const std::uint32_t present = mask & set.valid[way];
    outcome.hits = static_cast<std::uint32_t>(std::popcount(present));
    if (!write) outcome.dram_reads = static_cast<std::uint32_t>(std::popcount(mask & ~present));
    set.valid[way] = static_cast<std::uint8_t>(set.valid[way] | mask);
    if (write) set.dirty[way] = static_cast<std::uint8_t>(set.dirty[way] | mask);
    return outcome;
  }
  /// Empties it; dirty sectors are dropped (their write-back belongs to whoever flushed).
  void clear();

 private:
  static constexpr std::uint32_t ways = 16;
  /// Small, so that a look-up reads two lines of the host's cache.
  struct alignas(128) Set {
    std::array<std::uint32_t, ways> tags;  ///< address / 128, modulo 2^32 (half a terabyte)
    std::uint64_t order = 0;               ///< ways, four bits each, the latest used in the lowest
    std::array<std::uint8_t, ways> valid, dirty;
  };
  /// Moves `way` to the lowest place; those that were below it move up by one.
  static void use(Set& set, std::uint32_t way) {
    constexpr std::uint64_t ones = 0x1111111111111111;
    const std::uint64_t differs = set.order ^ (way * ones);
    const std::uint64_t zeros = (differs - ones) & ~differs & ones << 3;  // the lowest one is right
    const std::uint64_t below = (zeros & -zeros) / 8 - 1;                 // the places below it
    const std::uint64_t above = ~(below << 4 | 15);
    set.order = (set.order & above) | (set.order & below) << 4 | way;
  }
  /// Gives the way used longest ago to `tag`; returns the sectors that are written back.
  static std::uint32_t replace(Set& set, std::uint32_t tag);

  std::vector<Set> sets_;
};

}  // namespace gridstride::sim
