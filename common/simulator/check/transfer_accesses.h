// Copies and fills that a kernel asks for (dynamic parallelism), as the accesses of a grid of one warp that
// reads all of the source and then writes.
#pragma once

#include <cstdint>
#include <functional>

#include "common/simulator/check/global_races.h"
#include "common/simulator/check/happens_before.h"

namespace gridstride::sim {

class TransferAccesses {
 public:
  /// `races` has begun the grid. `instruction`: of the call, in the kernel that the accesses are told as those
  /// of.
  TransferAccesses(GlobalRaces& races, std::uint32_t instruction);

  void read(std::uint64_t address, std::uint64_t bytes);
  /// What is read was read before all that is written.
  void begin_to_write() { order_.block_barrier(); }
  /// Whether the `bytes` from `offset` on are at the target already.
  using IsThere = std::function<bool(std::uint64_t offset, std::uint32_t bytes)>;
  void write(std::uint64_t address, std::uint64_t bytes, const IsThere& is_there);

 private:
  /// What a warp accesses at once: `width` bytes in each lane of `mask`, one after the other.
  struct Piece {
    std::uint32_t width = 0, mask = 0;
    std::uint64_t addresses[32] = {};
  };
  static Piece piece_at(std::uint64_t address, std::uint64_t bytes);

  GlobalRaces& races_;
  HappensBefore order_{1};
  GlobalRaces::Step step_;
};

}  // namespace gridstride::sim
