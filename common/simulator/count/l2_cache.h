// The modelled L2: which 32-byte sectors are in it, so that DRAM traffic can be told from hits.
#pragma once

#include <cstdint>
#include <vector>

namespace gridstride::sim {

/// Set-associative, least recently used, write-back, 128-byte lines of four sectors. Deterministic.
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
  struct Line {
    std::uint64_t tag = ~std::uint64_t{0};
    std::uint32_t last_use = 0;
    std::uint8_t valid = 0, dirty = 0;
  };
  std::vector<Line> lines_;
  std::uint64_t sets_ = 0;
  std::uint32_t clock_ = 0;
};

}  // namespace gridstride::sim
