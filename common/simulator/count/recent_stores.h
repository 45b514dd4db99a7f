// The sectors that a block has stored parts of lately, to tell a store that goes on where the one
// before it ended from one that goes anywhere: the L2 of an H200 takes a third longer for it
// (model/measure/stores_and_locks.csv, append).
#pragma once

#include <array>
#include <cstdint>

namespace gridstride::sim {

/// Holds some thousand sectors, each in one place only.
class RecentStores {
 public:
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
  static constexpr int bits = 10;
  std::array<std::uint32_t, 1 << bits> sectors_{};  ///< no device address is below 32
};

}  // namespace gridstride::sim
