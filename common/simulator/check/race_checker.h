// Finds races in the shared memory of one block.
//
// Two accesses race when they touch the same bytes, at least one stores, not both are atomic, and
// no barrier orders them: a block barrier between warps, bar.warp.sync between lanes of a warp. Atomic
// operations of different sizes are not atomic for each other (PTX, "morally strong operations"). The
// order in which the simulator happens to run them does not count.
//
// Each cell of shared memory (as wide as the kernel's narrowest shared access) remembers its last
// store, an atomic access besides, and two readers, each with its timestamp. happens_before.h knows
// what a timestamp means to a warp.
//
// Groups of cells have the latest timestamps of theirs besides: where all that happened to a group
// lies before the last barrier, its cells need not be looked at. What cannot race yet is left in the cells
// later, or never (postponed_accesses.h).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/simulator/check/access_strength.h"
#include "common/simulator/check/happens_before.h"
#include "common/simulator/check/postponed_accesses.h"
#include "common/simulator/check/race_cells.h"

namespace gridstride::sim {

class BulkCopies;

/// One of the two accesses of a race.
struct RacingAccess {
  std::uint32_t thread = 0;       ///< linear index in the block
  std::uint32_t instruction = 0;  ///< as given to read(), write(), atomic()
  bool store = false;
  bool in_flight = false;  ///< of an asynchronous copy that the other one has not waited for
  /// The thread has seen a flag that the earlier access lies before, and passed no fence since.
  bool misses_a_fence = false;
  /// A bulk copy that reads what a thread stored, with no fence.proxy.async between.
  bool misses_a_proxy_fence = false;
  /// A load from memory that must not change while the kernel runs, and did, if in order.
  bool read_only = false;
};

/// Is told of each racing pair of accesses.
class RaceSink {
 public:
  virtual void race(const RacingAccess& earlier, const RacingAccess& now, std::uint32_t offset) = 0;

 protected:
  ~RaceSink() = default;
};

/// A store's way to say that it left memory as it was: then it does not race with another store,
/// for both wrote the same value and the hardware keeps words whole.
class StoredValues {
 public:
  virtual bool changes_nothing(std::uint32_t lane) const = 0;

 protected:
  ~StoredValues() = default;
};

class SharedRaceChecker {
 public:
  /// `granule`: bytes of a cell, 1, 2 or 4. `bytes` is the block's shared memory. `atomic_bytes`: of
  /// an atomic operation, by instruction; 0 of another one. None when all have as many.
  /// `keeps_stores`: who made the last one is asked for behind barriers, too, by read_in_flight().
  SharedRaceChecker(std::uint32_t bytes, std::uint32_t granule, const HappensBefore& order,
                    RaceSink& sink, std::span<const std::uint8_t> atomic_bytes = {},
                    bool keeps_stores = true);

  /// A new block begins; `over`: its time has started over, so that old timestamps mean nothing.
  void start_block(bool over);

  /// What the instruction of the next access is to races.
  void set_kind(AccessStrength kind) { kind_ = kind; }
  /// One warp's access of `bytes` a lane at `offsets` (32 entries), lanes of `mask`. Instructions
  /// are numbered by the caller, below 2^19.
  void read(std::uint32_t warp, std::uint32_t mask, const std::uint32_t* offsets,
            std::uint32_t bytes, std::uint32_t instruction);
  void write(std::uint32_t warp, std::uint32_t mask, const std::uint32_t* offsets,
             std::uint32_t bytes, std::uint32_t instruction, const StoredValues& values);
  void atomic(std::uint32_t warp, std::uint32_t mask, const std::uint32_t* offsets,
              std::uint32_t bytes, std::uint32_t instruction);
  /// An asynchronous copy begins to write: until land() it is ordered before nothing, not even for
  /// the thread that began it. Lanes begin one after the other; those of `unchanged` bring what is there
  /// already, as another lane of the instruction may have brought it.
  void write_in_flight(std::uint32_t warp, std::uint32_t mask, const std::uint32_t* offsets,
                       std::uint32_t bytes, std::uint32_t instruction, std::uint32_t unchanged);
  /// What `thread` began to write has arrived, and counts as written now: by the thread, which has
  /// waited for it, or where it is `for_others` that saw it, by its copies, which lie before nothing
  /// that the thread does (BlockClock::copies_of).
  void land(std::uint32_t thread, std::uint32_t offset, std::uint32_t bytes,
            bool for_others = false);
  /// A bulk copy of `lane` begins to read: until land_reads() a store races with it, of its own thread
  /// too. `bulk` knows of the fences that must lie between.
  void read_in_flight(std::uint32_t warp, std::uint32_t lane, std::uint32_t offset,
                      std::uint32_t bytes, std::uint32_t instruction, const BulkCopies& bulk);
  /// `thread` knows that they have been read.
  void land_reads(std::uint32_t thread, std::uint32_t offset, std::uint32_t bytes);
  /// The same for lanes 0 to `lanes` - 1 whose accesses follow one another without a gap from
  /// `offset`. Cheap, and true when that settled it; otherwise nothing is done.
  bool read_run(std::uint32_t warp, std::uint32_t lanes, std::uint32_t offset, std::uint32_t bytes,
                std::uint32_t instruction);
  bool write_run(std::uint32_t warp, std::uint32_t lanes, std::uint32_t offset, std::uint32_t bytes,
                 std::uint32_t instruction);
  /// Lanes of `mask` read the same `bytes` at `offset`.
  void read_one(std::uint32_t warp, std::uint32_t mask, std::uint32_t offset, std::uint32_t bytes,
                std::uint32_t instruction);
  /// As read_run() of all 32 lanes, or read_one(), by a plain load: what most reads are, that need only be
  /// written down. False, and nothing is done, where they need more.
  bool postpone_read(std::uint32_t warp, bool is_run, std::uint32_t offset, std::uint32_t bytes,
                     std::uint32_t instruction) {
    using enum PostponedAccesses::Form;
    kind_ = AccessStrength::plain;
    note_kind();
    return postpone(is_run ? run : place, last_store_, warp, is_run ? 32 : ~0u, offset, bytes,
                    instruction);
  }

 private:
  /// The accesses a cell remembers, each kind an array over the cells: the timestamp, and who
  /// (of a copy << 31 | thread << 21 | AccessStrength << 19 | instruction).
  struct Slot {
    std::vector<std::uint32_t> timestamp, who;
  };
  /// One of them; nobody's has a timestamp of 0.
  struct Remembered {
    std::uint32_t timestamp = 0, who = 0;
    explicit operator bool() const { return timestamp != 0; }
  };
  /// Stamp of a store in flight: later than all others.
  static constexpr std::uint32_t in_flight = ~0u;
  static constexpr std::uint32_t group_shift = 5;  ///< a group is 32 cells
  /// What a group of cells has at most, or at least, in each.
  struct Group {
    std::uint32_t last_store = 0;  ///< no plain store of a cell has a later timestamp
    std::uint32_t last_read = 0;   ///< no reader of a cell has a later timestamp
    /// Not 0: both readers of every cell have this timestamp or a later one, the first of warp
    /// `first_warp`, the second of another one, `second_warp`. Then no other warp's read is kept.
    std::uint32_t readers_since = 0;
    std::uint16_t first_warp = 0, second_warp = 0;
  };
  /// How the warp of an access sees what was done before: looked up once for all of its cells.
  struct View {
    std::uint32_t warp = 0, epoch = 0, own_epoch = 0, now = 0;
    bool epochs_only = false;
  };
  View view_of(std::uint32_t warp) const {
    return {warp, order_.epoch(warp), order_.own_epoch(warp), order_.now(),
            order_.epochs_say_all(warp)};
  }
  /// An access of lanes that follow one another: cells from `first` on, each lane's
  /// 1 << `per_lane_shift`.
  struct Cells {
    std::size_t first = 0;
    std::uint32_t count = 0, per_lane_shift = 0;
  };
  /// False where it does not begin and end with cells.
  bool cells_of_run(std::uint32_t lanes, std::uint32_t offset, std::uint32_t bytes,
                    Cells& out) const;
  /// Of the groups that `cells` lie in, the latest store and read.
  Group latest_in(const Cells& cells) const;
  /// Whether a read by `view` changes nothing in any of these cells.
  bool has_both_readers(const View& view, const Cells& cells) const;
  /// Whether a store, or a reader, of these cells by another thread is not ordered before, by epochs.
  bool any_store(const View& view, const Cells& cells) const;
  bool any_reader(const Slot& slot, const View& view, const Cells& cells) const;
  /// Leaves the access in all of them.
  static void leave(Slot& slot, const Cells& cells, std::uint32_t now, std::uint32_t who);
  bool leave_readers(const View& view, const Cells& cells, std::uint32_t who);
  void note_read(const Cells& cells, std::uint32_t now);
  void note_both_readers(const Cells& cells);

  bool happens_before(const View& view, std::uint32_t lane, std::uint32_t timestamp,
                      std::uint32_t who) const {
    if (timestamp == in_flight) return false;
    const std::uint32_t thread = race_cells::thread_of(who);
    if (timestamp < view.epoch || thread == view.warp * 32 + lane) return true;
    if (view.epochs_only) return thread / 32 == view.warp && timestamp < view.own_epoch;
    return order_.happens_before(view.warp, lane, timestamp, thread);
  }
  /// Whether the access `who` and the one that is checked may happen at once.
  bool races(const View& view, std::uint32_t lane, std::uint32_t timestamp,
             std::uint32_t who) const;
  std::uint32_t pack(std::uint32_t warp, std::uint32_t lane, std::uint32_t instruction) const {
    using namespace race_cells;
    return (warp * 32 + lane) << thread_shift | static_cast<std::uint32_t>(kind_) << kind_shift |
           (instruction & instruction_mask);
  }
  /// Writes down what is read, or changed atomically, where it need not be left in the cells now. `earlier`:
  /// no access that it may race with has a later timestamp. `offsets`: of forms that have them. False, and
  /// nothing is done, where it has to be left there.
  [[gnu::always_inline]] bool postpone(PostponedAccesses::Form form, std::uint32_t earlier,
                                       std::uint32_t warp, std::uint32_t mask, std::uint32_t offset,
                                       std::uint32_t bytes, std::uint32_t instruction,
                                       const std::uint32_t* offsets = nullptr) {
    const std::uint32_t interval = order_.last_block_barrier();
    if (postponed_.interval() != interval) postponed_.begin(interval);
    const bool may_wait =
        postponed_.is_open() && earlier < interval && !any_in_flight_ && order_.epochs_say_all();
    if (!may_wait) return false;
    const PostponedAccesses::Access access{static_cast<std::uint16_t>(warp),
                                           form,
                                           kind_,
                                           mask,
                                           offset,
                                           bytes,
                                           instruction,
                                           order_.now(),
                                           order_.own_epoch(warp)};
    return offsets ? postponed_.add(access, offsets) : postponed_.add(access);
  }
  /// Before anything that may race with them, or is to be left behind them.
  void settle_postponed() {
    if (!postponed_.empty()) leave_postponed();
  }
  void leave_postponed();
  /// The checks of read(), read_run() and read_one() are done; what is left in the cells.
  void note_readers(const View& view, std::uint32_t mask, const std::uint32_t* offsets,
                    std::uint32_t bytes, std::uint32_t instruction);
  void note_run(const View& view, const Cells& cells, std::uint32_t instruction);
  void note_run(const View& view, std::uint32_t lanes, std::uint32_t offset, std::uint32_t bytes,
                std::uint32_t instruction);
  /// The same, lane by lane.
  void note_lanes(const View& view, std::uint32_t lanes, std::uint32_t offset, std::uint32_t bytes,
                  std::uint32_t instruction);
  void note_place(const View& view, std::uint32_t mask, std::uint32_t offset, std::uint32_t bytes,
                  std::uint32_t instruction);
  void note_reader(const View& view, std::uint32_t lane, std::size_t cell, std::uint32_t who);
  void leave_reader(Slot& slot, const View& view, std::size_t cell, std::uint32_t who) {
    slot.timestamp[cell] = view.now;
    slot.who[cell] = who;
    Group& group = groups_[cell >> group_shift];
    group.last_read = view.now;
    group.readers_since = 0;
  }
  void report(const Remembered& earlier, bool earlier_stores, std::uint32_t now, bool now_stores,
              std::size_t cell);
  /// Compares a store with what the cell remembers.
  void write_cell(const View& view, std::uint32_t lane, std::size_t cell, std::uint32_t who,
                  const StoredValues& values);
  /// One of the cell's readers, or of its stores, that races with the access that is checked; nobody
  /// for none.
  Remembered racing_reader(const View& view, std::uint32_t lane, std::size_t cell) const;
  Remembered racing_store(const View& view, std::uint32_t lane, std::size_t cell) const;
  /// True when some of the cells of a run have an atomic beside their last store that another thread
  /// made and no block barrier orders.
  bool any_beside(const View& view, const Cells& cells) const {
    return last_beside_ >= view.epoch && find_beside(view, cells);
  }
  bool find_beside(const View& view, const Cells& cells) const;
  /// Leaves the records of an atomic. `any_plain`: some cell may have a plain store that no barrier
  /// has ordered since.
  struct AtomicRecords;
  void leave_atomic(const View& view, std::uint32_t mask, const std::uint32_t* offsets,
                    std::uint32_t bytes, std::uint32_t instruction, bool any_plain);
  void note_atomic(std::uint32_t now) {
    last_atomic_ = now;
    last_store_ = std::max(last_store_, now);
  }
  /// The next access leaves a timestamp.
  void note_kind() {
    if (kind_ == AccessStrength::plain) last_plain_ = order_.now();
  }
  std::size_t cells_of(std::uint32_t bytes) const { return (bytes + granule_ - 1) >> shift_; }

  std::uint32_t granule_ = 4, shift_ = 2;
  std::span<const std::uint8_t> atomic_bytes_;
  std::uint8_t atomic_of_ = 0;  ///< bytes of the atomic that is checked, where they count
  AccessStrength kind_ = AccessStrength::plain;
  const HappensBefore& order_;
  RaceSink& sink_;
  Slot write_, read_, second_read_;
  std::vector<Group> groups_;
  PostponedAccesses postponed_;
  bool keeps_stores_ = true;
  /// An atomic access beside the one that is a cell's last store, or behind a plain store that does not lie
  /// before it: neither hides the other from who comes later.
  std::vector<Remembered> beside_;
  /// A plain store of the same barrier interval that lies before the atomics in the two others: it races with
  /// atomics of whom they do not. Empty as long as there is none.
  std::vector<Remembered> before_atomics_;
  std::uint32_t last_beside_ = 0;  ///< no entry of `beside_` has a later timestamp
  std::uint32_t last_store_ = 0;   ///< no store of any cell, nor an atomic, has a later timestamp
  std::uint32_t last_atomic_ = 0;  ///< nor the atomics alone
  bool any_in_flight_ = false;     ///< some store of this block was, or some read
  bool any_read_in_flight_ = false;
  std::uint32_t begun_ = 0;       ///< when this block began
  std::uint32_t last_plain_ = 0;  ///< no plain access of any cell has a later timestamp
};

}  // namespace gridstride::sim
