// Finds races in global memory between the threads of one grid.
//
// Two accesses race when they touch the same bytes, at least one stores, they may not go on at once
// (access_strength.h), and nothing orders them (happens_before.h). A new launch starts from
// nothing: what launches before it did is in order.
//
// What a warp does at one instruction between two points of synchronisation is one record; a cell
// of the shadow (race_pages.h) holds the number of a record and a lane. So an access whose lanes
// follow one another is compared with what another left there as a whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/simulator/check/access_strength.h"
#include "common/simulator/check/happens_before.h"
#include "common/simulator/check/race_checker.h"
#include "common/simulator/check/race_pages.h"

namespace gridstride::sim {

/// One of the two accesses of a race in global memory.
struct RacingGlobalAccess {
  std::uint64_t block = 0;
  RacingAccess access;
  AccessStrength kind{};
};

/// Is told of each racing pair of accesses.
class GlobalRaceSink {
 public:
  virtual void race(const RacingGlobalAccess& earlier, const RacingGlobalAccess& now,
                    std::uint64_t address) = 0;

 protected:
  ~GlobalRaceSink() = default;
};

class GlobalRaces {
 public:
  /// `instructions`: how many the kernel has, at most 2^25. `atomic_bytes`: of an atomic
  /// operation, by instruction; 0 of another one. None when all have as many.
  GlobalRaces(RacePages& pages, std::size_t instructions, GlobalRaceSink& sink,
              std::span<const std::uint8_t> atomic_bytes = {});

  /// One instruction of a warp.
  struct Step {
    HappensBefore& order;
    std::uint32_t warp = 0;
    std::uint32_t instruction = 0;
    AccessStrength kind = AccessStrength::plain;
  };

  /// Lanes of `mask` access `bytes` at `addresses` (32 entries). A polling or strong read learns
  /// what had been released when the value it sees was stored.
  void read(const Step& step, std::uint32_t mask, const std::uint64_t* addresses,
            std::uint32_t bytes);
  void write(const Step& step, std::uint32_t mask, const std::uint64_t* addresses,
             std::uint32_t bytes, const StoredValues& values);
  void atomic(const Step& step, std::uint32_t mask, const std::uint64_t* addresses,
              std::uint32_t bytes);
  /// The same for all 32 lanes, one after the other from `address`. Cheap, and true when that
  /// settled it; otherwise nothing is done.
  bool read_run(const Step& step, std::uint64_t address, std::uint32_t bytes);
  bool write_run(const Step& step, std::uint64_t address, std::uint32_t bytes);
  /// These bytes have been given to somebody new, after all that was done with them before.
  void handed_over(std::uint64_t address, std::uint64_t bytes) { pages_.forget(address, bytes); }
  /// Lanes of `mask` read the same place.
  void read_one(const Step& step, std::uint32_t mask, std::uint64_t address, std::uint32_t bytes);

 private:
  /// What a warp did at one instruction at one time of its block.
  struct Record {
    std::uint32_t block = 0, timestamp = 0;
    std::uint32_t step = 0;  ///< releases by then
    std::uint32_t warp : 5 = 0, kind : 2 = 0, instruction : 25 = 0;
  };
  static constexpr std::uint32_t lane_bits = 5;
  static bool is_of(const Record& record, const HappensBefore& order) {
    return record.block == static_cast<std::uint32_t>(order.block());
  }
  /// 0 for the same warp, 1 for another one of the block, 2 for another block.
  static int apart(const Record& a, const Record& b) {
    return a.block != b.block ? 2 : a.warp != b.warp ? 1 : 0;
  }

  std::uint32_t record_of(const Step& step);
  void collect();
  using Covers = ReleaseHistory::Covers;
  /// `what` was done there.
  bool before(const Step& step, std::uint32_t lane, std::uint32_t cell,
              Covers what = Covers::everything) const;
  bool races(const Step& step, std::uint32_t lane, std::uint32_t cell,
             Covers what = Covers::everything) const;
  void report(const Step& step, std::uint32_t lane, bool stores, std::uint32_t earlier,
              bool earlier_stores, std::uint64_t address);
  void learn(const Step& step, std::uint32_t cell);
  void note_reader(const Step& step, std::uint32_t lane, RacePages::Page& page, std::uint32_t index,
                   std::uint32_t mine);
  void read_cell(const Step& step, std::uint32_t lane, RacePages::Page& page, std::uint32_t index,
                 std::uint32_t mine, std::uint64_t address);
  /// The store or the atomic beside it that races with an access; 0 for neither.
  std::uint32_t racing_store(const Step& step, std::uint32_t lane, const RacePages::Page& page,
                             std::uint32_t index) const;
  /// Leaves the record of an atomic access.
  void leave_atomic(const Step& step, RacePages::Page& page, std::uint32_t index,
                    std::uint32_t mine);
  bool check_readers(const Step& step, std::uint32_t lane, const RacePages::Page& page,
                     std::uint32_t index, std::uint64_t address);
  /// The page of an access of `bytes`, with cells small enough; null when it is not checked.
  RacePages::Page* page_of(std::uint64_t address, std::uint32_t bytes);
  /// Calls `use` with each page that 32 elements of `bytes` bytes from `address` on touch, unless
  /// it is not checked, and the piece of them that lies there, until it says false. Returns what it
  /// said last.
  struct Piece;
  template <class Use>
  bool for_pieces(std::uint64_t address, std::uint32_t bytes, Use use);
  /// The lanes of `piece` have read it; no store races with them.
  void note_readers(const Step& step, RacePages::Page& page, const Piece& piece,
                    std::uint32_t shift, std::uint32_t mine);
  /// What is to be thought of `count` cells, for an access of lanes from `lane` on.
  enum class Run : std::uint8_t { empty, before, unordered, mixed };
  Run look(const Step& step, const std::uint32_t* cells, std::uint32_t count, std::uint32_t shift,
           std::uint32_t lane) const;

  RacePages& pages_;
  GlobalRaceSink& sink_;
  std::span<const std::uint8_t> atomic_bytes_;
  std::vector<Record> records_;        ///< [0] is nobody
  std::vector<std::uint32_t> free_;    ///< numbers that no cell holds any more
  std::vector<std::uint32_t> latest_;  ///< by instruction: its last record, or 0
  std::size_t limit_;                  ///< records that make a search for unused ones worth it
};

}  // namespace gridstride::sim
