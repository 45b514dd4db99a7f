// The modelled L2: which 32-byte sectors are in it, so that DRAM traffic can be told from hits.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "common/simulator/base/pseudorandom.h"

namespace gridstride::sim {

/// Set-associative, least recently used, write-back, 128-byte lines of four sectors. Deterministic.
/// A store takes its sectors without reading them: sectors carry byte masks on the hardware. One that
/// has been stored to in part is read when it is loaded or written back: words scattered over 1 GB
/// take twice as long as whole sectors (model/measure/stores_and_locks.csv, scatter). What is read
/// comes in 64 bytes, two sectors (cudaLimitMaxL2FetchGranularity): of a line anywhere two take as
/// long as one, and four as three (model/measure/l2_places.csv, load).
class L2Cache {
 public:
  explicit L2Cache(std::uint64_t bytes);

  struct Outcome {
    std::uint32_t hits = 0, dram_reads = 0, dram_writes = 0;  ///< sectors
    std::uint32_t fills = 0;  ///< sectors read from DRAM only to be written back whole
    bool waits = false;       ///< for the DRAM; also for what an access just before it asked for
    std::uint32_t lone_reads =
        0;  ///< times that 64 bytes were all that was read of a row of the DRAM
  };
  static constexpr std::uint32_t whole_sectors = 0x08080808;
  /// Touches the sectors of `mask` (bits 0-3) in the line that holds `address`. `stored`: how many
  /// words a store has for each sector, 8 bits each from the lowest; eight and more are all of it.
  Outcome access(std::uint64_t address, std::uint32_t mask, bool write,
                 std::uint32_t stored = whole_sectors) {
    const auto tag = static_cast<std::uint32_t>(address / 128);
    // Hashed, as on the hardware, so that power-of-two strides do not fall into few sets.
    const std::uint64_t hash = (tag * golden_multiplier_32) & 0xffffffffu;
    Set& set = sets_[hash * sets_.size() >> 32];
    std::uint32_t match = 0;
    for (std::uint32_t i = 0; i < ways; ++i) match |= (set.tags[i] == tag ? 1u : 0u) << i;
    Outcome outcome;
    if (match == 0) outcome = replace(set, tag);
    const std::uint32_t way = match != 0 ? static_cast<std::uint32_t>(std::countr_zero(match))
                                         : static_cast<std::uint32_t>(set.order >> 60);
    use(set, way);
    const std::uint32_t whole = set.sectors[way] & 15, dirty = set.sectors[way] >> 4;
    if (write) {
      outcome.hits = static_cast<std::uint32_t>(std::popcount(mask & (whole | dirty)));
      const std::uint32_t complete =
          stored == whole_sectors ? mask : store_words(set, way, mask & ~whole, stored);
      set.sectors[way] = static_cast<std::uint8_t>(whole | complete | (dirty | mask) << 4);
    } else {
      outcome.hits = static_cast<std::uint32_t>(std::popcount(mask & whole));
      const std::uint32_t fetched = in_pairs(mask & ~whole) & ~whole;
      const std::uint32_t ahead = set.words[way] >> ahead_bit;
      outcome.waits = fetched != 0 || (mask & ahead) != 0;
      if (outcome.waits) {
        outcome.dram_reads = static_cast<std::uint32_t>(std::popcount(fetched));
        const bool opened = fetched != 0 && rows_.opens(tag);
        if (opened && outcome.dram_reads <= 2) ++outcome.lone_reads;
        set.words[way] = static_cast<std::uint16_t>((set.words[way] & ~(15u << ahead_bit)) |
                                                    ((ahead | fetched) & ~mask) << ahead_bit);
      }
      set.sectors[way] = static_cast<std::uint8_t>(whole | fetched | dirty << 4);
    }
    return outcome;
  }
  /// Empties it; dirty sectors are dropped (their write-back belongs to whoever flushed).
  void clear();

 private:
  static constexpr std::uint32_t ways = 16;
  /// Rows of the DRAM that are open. One is 1 KiB (JESD238, HBM3: the page of a pseudo channel).
  class OpenRows {
   public:
    /// A read of the line `tag`. True when its row was not open; now it is.
    bool opens(std::uint32_t tag) {
      const std::uint32_t row = tag / lines_of_row + 1;  // 0: none
      std::uint32_t& open = rows_[row * golden_multiplier_32 >> (32 - bits)];
      return std::exchange(open, row) != row;
    }
    void clear() { rows_.fill(0); }

   private:
    static constexpr std::uint32_t lines_of_row = 8;
    static constexpr int bits = 12;  ///< some thousand banks
    std::array<std::uint32_t, 1 << bits> rows_{};
  };
  /// The sectors that are fetched with those of `mask`.
  static constexpr std::uint32_t in_pairs(std::uint32_t mask) {
    return ((mask | mask >> 1) & 5) * 3;
  }
  /// Small, so that a look-up reads two lines of the host's cache.
  struct alignas(128) Set {
    std::array<std::uint32_t, ways> tags;  ///< address / 128, modulo 2^32 (half a terabyte)
    std::uint64_t order = 0;               ///< ways, four bits each, the latest used in the lowest
    std::array<std::uint8_t, ways> sectors;  ///< lower half: those that are whole; upper: dirty
    /// Words stored to each sector that is not whole, 3 bits each. Two stores to one word count as
    /// two words: which ones it were would take four times the room. From `ahead_bit` on those
    /// sectors that were fetched with others, and that nobody has asked for yet.
    std::array<std::uint16_t, ways> words;
  };
  static constexpr std::uint32_t ahead_bit = 12;
  /// Notes `stored` of the sectors in `mask`; returns those that have got whole.
  static std::uint32_t store_words(Set& set, std::uint32_t way, std::uint32_t mask,
                                   std::uint32_t stored);
  /// Moves `way` to the lowest place; those that were below it move up by one.
  static void use(Set& set, std::uint32_t way) {
    constexpr std::uint64_t ones = 0x1111111111111111;
    const std::uint64_t differs = set.order ^ (way * ones);
    const std::uint64_t zeros = (differs - ones) & ~differs & ones << 3;  // the lowest one is right
    const std::uint64_t below = (zeros & -zeros) / 8 - 1;                 // the places below it
    const std::uint64_t above = ~(below << 4 | 15);
    set.order = (set.order & above) | (set.order & below) << 4 | way;
  }
  /// Gives the way used longest ago to `tag`; returns what is written back, and read for that.
  Outcome replace(Set& set, std::uint32_t tag);

  std::vector<Set> sets_;
  OpenRows rows_;
};

}  // namespace gridstride::sim
