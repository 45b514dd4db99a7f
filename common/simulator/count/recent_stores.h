// The sectors that a block has stored parts of lately, to tell a store that goes on where the one
// before it ended from one that goes anywhere: the L2 of an H200 takes a third longer for it
// (model/measure/stores_and_locks.csv, append).
#pragma once

#include <array>
#include <cstdint>
#include <utility>

namespace gridstride::sim {

/// Holds some thousand sectors, each in one place only.
class RecentStores {
 public:
  /// A store of warp `warp` to `lines` lines, of which `first` is the first one. True when the block's
  /// store before was the same warp's, to as many lines from there on, and they go to the L2 as one.
  /// Measured on an H200 (model/measure/store_merging.csv): words of records of 2, 3 and 4 words, a store
  /// each, take 1.1 to 1.3 times as long as one store of whole lines; of 8 words, which are 8 lines a
  /// store, they take 9 times as long, unless only two warps of a multiprocessor store. A copy of 2^20
  /// records of 5 words takes 14.4 us, one of 2^21 records of 3 words 15.0: five merge as three do.
  bool goes_on(std::uint32_t warp, std::uint64_t first, std::uint32_t lines) {
    const LastStore now{warp, lines, first};
    return std::exchange(last_, now) == now && lines <= lines_merged;
  }
  /// A store to a part of `sector` (address / 32). True when there was one to it before.
  bool add(std::uint64_t sector) {
    const auto low = static_cast<std::uint32_t>(sector);  // 128 GB apart are taken for the same
    // Rows are powers of two apart. Multipliers and shifts: MurmurHash3's fmix32 (Appleby).
    constexpr std::uint32_t first_multiplier = 0x85ebca6b, second_multiplier = 0xc2b2ae35;
    std::uint32_t hash = (low ^ low >> 16) * first_multiplier;
    hash = (hash ^ hash >> 13) * second_multiplier;
    std::uint32_t& place = sectors_[hash >> (32 - bits)];
    const bool again = place == low;
    place = low;
    return again;
  }

 private:
  struct LastStore {
    std::uint32_t warp = 0, lines = 0;
    std::uint64_t first = 0;
    bool operator==(const LastStore&) const = default;
  };
  static constexpr std::uint32_t lines_merged = 5;
  static constexpr int bits = 10;
  LastStore last_;
  std::array<std::uint32_t, 1 << bits> sectors_{};  ///< no device address is below 32
};

}  // namespace gridstride::sim
