// Counts atomic operations by the places at which they queue: those in one queue cannot overlap.
//
// On an H200 (model/measure/atomics_and_l1.csv) operations on one 32-byte sector follow one
// another, additions of floats at 0.4 times the rate of all others, and whatever goes to one piece
// of memory passes one unit of the L2: the even or the odd 256 bytes of a kilobyte. So do loads
// that have to see what others have stored.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/simulator/base/pseudorandom.h"

namespace gridstride::sim {

/// The longest queue of each kind, in operations: of blocks that run at the same time, added up over
/// those that follow one another.
struct AtomicQueueLengths {
  std::uint64_t sector = 0;        ///< integers, exchanges, comparisons in one sector
  std::uint64_t float_sector = 0;  ///< floating-point additions in one sector
  std::uint64_t piece = 0;         ///< of either kind, and loads, in one piece of 512 bytes
  std::uint64_t all = 0;           ///< operations anywhere
  std::uint64_t pieces = 0;        ///< that they, and loads, went to
  /// Of launches one after the other.
  AtomicQueueLengths& operator+=(const AtomicQueueLengths& other) {
    sector += other.sector;
    float_sector += other.float_sector;
    piece += other.piece;
    all += other.all;
    pieces = pieces > other.pieces ? pieces : other.pieces;
    return *this;
  }
  /// In the busiest sector.
  std::uint64_t hottest() const { return sector > float_sector ? sector : float_sector; }
};

/// A hash table of counts that only grows. Past a quarter of a million pieces newcomers are not
/// counted: where so many are in use, none of them is the bottleneck.
class AtomicQueues {
 public:
  /// `operations` in the sector that holds `address`.
  void add(std::uint64_t address, std::uint32_t operations, bool is_float) {
    all_ += operations;
    Entry* const entry = entry_of(address);
    if (!entry) return;
    const std::uint64_t in_sector = entry->sectors[address / 512 % 2 * 8 + address / 32 % 8] +=
        operations;
    std::uint64_t& longest = is_float ? longest_.float_sector : longest_.sector;
    if (in_sector > longest) longest = in_sector;
    queue(*entry, operations);
  }
  /// A volatile, relaxed or acquire load of sectors in the line that holds `address`.
  void add_load(std::uint64_t address) {
    if (Entry* const entry = entry_of(address)) queue(*entry, 1);
  }
  /// What comes from now on waits for nothing that came before: other blocks run. A place that only
  /// some of them use keeps the rest of the L2 idle meanwhile.
  void next_blocks() {
    before_ += longest_;
    longest_ = {};
    ++turn_;
  }
  AtomicQueueLengths longest() const {
    AtomicQueueLengths sum = before_;
    sum += longest_;
    sum.all = all_;
    sum.pieces = used_;
    return sum;
  }

 private:
  static constexpr std::size_t most_pieces = std::size_t{1} << 18;
  struct Entry {
    std::uint64_t piece = 0;  ///< its number + 1; 0: free
    std::uint64_t turn = 0;   ///< in which what follows was counted
    std::uint64_t operations = 0;
    std::array<std::uint64_t, 16> sectors{};
  };
  /// Null when it is new and there is no room.
  Entry* entry_of(std::uint64_t address) {
    const std::uint64_t piece = address / 1024 * 2 + address / 256 % 2 + 1;
    std::size_t at = slot(piece);
    if (entries_[at].piece != piece) {
      if (used_ == most_pieces) return nullptr;
      at = insert(piece);
    }
    Entry& entry = entries_[at];
    if (entry.turn != turn_) {
      entry.turn = turn_;
      entry.operations = 0;
      entry.sectors = {};
    }
    return &entry;
  }
  void queue(Entry& entry, std::uint32_t operations) {
    entry.operations += operations;
    if (entry.operations > longest_.piece) longest_.piece = entry.operations;
  }
  std::size_t slot(std::uint64_t piece) const {
    const std::size_t mask = entries_.size() - 1;
    std::size_t at = (piece * golden_multiplier >> 20) & mask;
    while (entries_[at].piece != 0 && entries_[at].piece != piece) at = (at + 1) & mask;
    return at;
  }
  std::size_t insert(std::uint64_t piece);

  std::vector<Entry> entries_ = std::vector<Entry>(4);
  std::size_t used_ = 0;
  std::uint64_t turn_ = 0;
  std::uint64_t all_ = 0;       ///< operations
  AtomicQueueLengths longest_;  ///< of this turn
  AtomicQueueLengths before_;
};

}  // namespace gridstride::sim
