// Finds races in global memory between the threads of one grid, and of all that it launches.
//
// Two accesses race when they touch the same bytes, at least one stores, they may not go on at once
// (access_strength.h), and nothing orders them (happens_before.h). A new launch starts from
// nothing: what launches before it did is in order. Grids of one launch tree (launch_order.h) share the
// shadow; their blocks are numbered through.
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
#include "common/simulator/check/launch_order.h"
#include "common/simulator/check/race_checker.h"
#include "common/simulator/check/race_pages.h"

namespace gridstride::sim {

/// One of the two accesses of a race in global memory.
struct RacingGlobalAccess {
  std::uint64_t block = 0;  ///< in its grid
  RacingAccess access;
  AccessStrength kind{};
  LaunchOrder::Grid grid = 0;  ///< of its launch tree
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
  /// `instructions`: how many the kernel has, at most 2^24. `atomic_bytes`: of an atomic
  /// operation, by instruction; 0 of another one. None when all have as many.
  GlobalRaces(RacePages& pages, std::size_t instructions, GlobalRaceSink& sink,
              std::span<const std::uint8_t> atomic_bytes = {});
  /// The next grid of the launch tree begins; `before`: what lies before it, numbered as `order`
  /// says, which has the grid already. The rest is as for the first grid.
  void begin_grid(const LaunchOrder& order, LaunchOrder::Grid grid, GridClock before,
                  std::size_t instructions, GlobalRaceSink& sink,
                  std::span<const std::uint8_t> atomic_bytes);
  /// What is added to the number of a block in its grid, for HappensBefore::start_block().
  std::uint64_t first_block() const { return first_block_; }
  /// What lies before all blocks of the grid; null for the first of a tree.
  const GridClock* before_grid() const { return launch_order_ ? &before_grid_ : nullptr; }

  /// One instruction of a warp.
  struct Step {
    HappensBefore& order;
    std::uint32_t warp = 0;
    std::uint32_t instruction = 0;
    AccessStrength kind = AccessStrength::plain;
    std::uint32_t live = ~0u;     ///< lanes of the warp that have not exited
    bool learns = true;           ///< from what it sees
    bool acquires = false;        ///< … at once, not behind a fence
    std::uint32_t storing = ~0u;  ///< lanes of an atomic that store: a compare-and-swap may not
    bool read_only = false;       ///< a read of what no other thread of the grid may have stored
    bool by_texture = false;      ///< … nor its own one
    bool asynchronous = false;    ///< a read of a copy, which goes on until the copy is waited for
  };

  /// Lanes of `mask` access `bytes` at `addresses` (32 entries). A polling or strong read learns
  /// what the store of the value that it sees carries along.
  void read(const Step& step, std::uint32_t mask, const std::uint64_t* addresses,
            std::uint32_t bytes);
  void write(const Step& step, std::uint32_t mask, const std::uint64_t* addresses,
             std::uint32_t bytes, const StoredValues& values);
  void atomic(const Step& step, std::uint32_t mask, const std::uint64_t* addresses,
              std::uint32_t bytes);
  /// What the value at `address` carries for a thread of the block that `order` is of, which reads it so.
  FlagMessage message_at(HappensBefore& order, AccessStrength kind, std::uint64_t address);
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
    std::uint32_t message = 0;  ///< what the store carries along, of `messages_`
    std::uint32_t warp : 5 = 0, kind : 2 = 0, asynchronous : 1 = 0, instruction : 24 = 0;

    AccessStrength strength() const { return static_cast<AccessStrength>(kind); }
  };
  static constexpr std::uint32_t lane_bits = 5;
  static bool is_of(const Record& record, const HappensBefore& order) {
    return record.block == static_cast<std::uint32_t>(order.block());
  }
  /// 0 for the same warp, 1 for another one of the block, 2 for another block.
  static int apart(const Record& a, const Record& b) {
    return a.block != b.block ? 2 : a.warp != b.warp ? 1 : 0;
  }

  /// Whether it is of a grid that ran before in the launch tree.
  bool is_of_earlier_grid(const Record& record) const { return record.block < first_block_; }
  /// Whether such an access lies before what `lane` does.
  bool before_in_tree(const Step& step, std::uint32_t lane, const Record& record,
                      std::uint32_t thread, Covers what) const;
  std::uint8_t atomic_bytes(const Record& record) const;
  /// Who is told to have made an access of the record.
  RacingGlobalAccess racing(const Record& record, const RacingAccess& access) const;
  RacingGlobalAccess racing(const Step& step, const RacingAccess& access) const {
    return {step.order.block() - first_block_, access, step.kind, grid_};
  }
  std::uint32_t record_of(const Step& step, std::uint32_t message = 0);
  /// Frees what no cell holds any more, now and then. Between instructions only.
  void collect();
  void collect_if_full() {
    const std::size_t messages = messages_.size() - free_messages_.size();
    if (records_.size() - free_.size() >= limit_ || messages >= message_limit_) collect();
  }
  /// `what` was done there.
  bool before(const Step& step, std::uint32_t lane, std::uint32_t cell,
              Covers what = Covers::everything) const;
  bool races(const Step& step, std::uint32_t lane, std::uint32_t cell,
             Covers what = Covers::everything) const {
    return cell != 0 && recorded_races(step, lane, cell, what);
  }
  bool recorded_races(const Step& step, std::uint32_t lane, std::uint32_t cell, Covers what) const;
  void report(const Step& step, std::uint32_t lane, bool stores, std::uint32_t earlier,
              bool earlier_stores, std::uint64_t address);
  /// The message that the latest value of a cell carries, for this block; 0: none.
  std::uint32_t message_at(const Step& step, const RacePages::Page& page,
                           std::uint32_t index) const;
  std::uint32_t message_at(const Step& step, std::uint64_t address);
  /// Lanes of `mask` learn from what they see at their addresses.
  void learn(const Step& step, std::uint32_t mask, const std::uint64_t* addresses);
  void learn(const Step& step, std::uint32_t mask, std::uint32_t message);
  /// What a store of `lane` carries, and what an atomic does that found `earlier`.
  std::uint32_t message_of_store(const Step& step, std::uint32_t lane);
  std::uint32_t message_of_atomic(const Step& step, std::uint32_t lane, std::uint32_t earlier);
  std::uint32_t keep(FlagMessage message);
  void note_reader(const Step& step, std::uint32_t lane, RacePages::Page& page, std::uint32_t index,
                   std::uint32_t mine);
  /// Whether what Page::read_by_several says holds for the step: what happens before it is known by epochs.
  bool may_stay(const Step& step) const {
    return !launch_order_ && step.order.epochs_say_all(step.warp);
  }
  /// Whether a read of these cells changes nothing of who has read them.
  bool readers_stay(const Step& step, const RacePages::Page& page, std::uint32_t first,
                    std::uint32_t count) const;
  /// A read of the cell has changed nothing: now and then, whether further ones would.
  void note_readers_stay(RacePages::Page& page, std::uint32_t index);
  void read_cells(const Step& step, std::uint32_t mask, const std::uint64_t* addresses,
                  std::uint32_t bytes);
  /// One of the cell's stores that a read-only read may not follow, in whatever order; 0 for none.
  std::uint32_t unseen_store(const Step& step, std::uint32_t lane, const RacePages::Page& page,
                             std::uint32_t index) const;
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
  /// A plain store stands for what other blocks have read before: who is ordered behind it need not know of
  /// them, as who has stored did by a flag without a fence (Covers::reads).
  void forget_readers(const Step& step, RacePages::Page& page, std::uint32_t index) const;
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
  GlobalRaceSink* sink_;
  std::span<const std::uint8_t> atomic_bytes_;
  const LaunchOrder* launch_order_ = nullptr;  ///< null for the first grid of a tree
  LaunchOrder::Grid grid_ = 0;
  std::uint64_t first_block_ = 0;  ///< of this grid
  GridClock before_grid_;
  /// Of earlier grids of the tree, by number.
  std::vector<std::span<const std::uint8_t>> earlier_atomic_bytes_;
  std::vector<Record> records_;        ///< [0] is nobody
  std::vector<std::uint32_t> free_;    ///< numbers that no cell holds any more
  std::vector<std::uint32_t> latest_;  ///< by instruction: its last record, or 0
  std::uint32_t unchanged_ = 0;        ///< reads that changed nothing
  std::size_t limit_;                  ///< records that make a search for unused ones worth it
  /// A message that atomics may continue.
  struct Carried {
    FlagMessage message;
    bool continued = false;  ///< the next step of its chain is taken
  };
  std::vector<Carried> messages_;  ///< [0] is none
  std::vector<std::uint32_t> free_messages_;
  std::size_t message_limit_;
  std::uint32_t chains_ = 0;
  /// What all words carry together whose own messages would take too much room; or 0.
  std::uint32_t common_ = 0;
  /// The message of the last store, and of whom.
  struct {
    const HappensBefore* order = nullptr;
    std::uint64_t version = 0;
    std::uint32_t warp = 0, lane = 0, message = 0;
  } last_;
};

}  // namespace gridstride::sim
