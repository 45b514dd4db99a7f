// The modelled L2: which 32-byte sectors are in it, so that DRAM traffic can be told from hits.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

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
  Outcome access(std::uint64_t address, std::uint32_t mask, bool write);
  /// Empties it; dirty sectors are dropped (their write-back belongs to whoever flushed).
  void clear();

 private:
  static constexpr std::uint32_t ways = 16;
  /// Tags together, so that a look-up reads one line of the host's cache.
  struct alignas(64) Set {
    std::array<std::uint32_t, ways> tags;  ///< address / 128, modulo 2^32 (half a terabyte)
    std::array<std::uint32_t, ways> last_use;
    std::array<std::uint8_t, ways> valid, dirty;
  };
  std::uint32_t replace(Set& set, std::uint32_t tag, Outcome& outcome);

  std::vector<Set> sets_;
  std::uint32_t clock_ = 0;
};

}  // namespace gridstride::sim
