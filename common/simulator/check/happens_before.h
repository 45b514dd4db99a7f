// Which accesses of a grid happen before which others.
//
// Time is a logical clock: one counter for a block that every barrier moves on. An access keeps its
// time as a timestamp. What of its block happens before what a warp does is kept as FastTrack
// (Flanagan, Freund, 2009) does it, in the cheapest form that says it: an epoch (everything of the
// block with an earlier timestamp, after a barrier of the whole block), a vector clock by warp
// (after a barrier of some warps), and one of each lane by lane (after a bar.warp.sync of some
// lanes).
//
// Between blocks, and where no barrier is, fences and flags order: a thread that has passed a fence
// has released what it did before and what it knows to happen before it; what it stores then into a
// flag carries that along (FlagMessage). Who reads the flag with an atomic or volatile access has seen it,
// and knows it behind the next fence or barrier, or at once when the read has acquire semantics.
// Barriers hand on both, what is known and what has been released. That is somewhat
// more than the PTX memory model promises (a barrier does for the fence of the reader, none is asked where
// a block has only read what the one that sees its flag overwrites, and lanes that pass a fence together
// are taken for one), so that no correct program is reported.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "common/simulator/check/by_thread.h"
#include "common/simulator/check/clocks.h"

namespace gridstride::sim {

/// What a store that may be a flag carries along for those who read it. Empty without a fence before.
struct FlagMessage {
  std::uint64_t block = 0;  ///< of the thread that stored last
  GridClock device;         ///< for all
  Knowledge in_block;       ///< for threads of that block
  /// What had been done by then that takes no fence for others to store over it: library code that
  /// works in place relies on it that a warp which stores a flag has read what it read before.
  GridClock reads;

  bool empty() const { return device.empty() && in_block.empty() && reads.empty(); }
};

/// What is known to lie before an access of another block.
enum class Covers : std::uint8_t { everything, reads };

/// The relation as the warps of one block see it.
class HappensBefore {
 public:
  explicit HappensBefore(std::uint32_t warps);

  /// A new block takes the place: nothing that was done before counts. True when time started over,
  /// so that old timestamps mean nothing. `before`: of a grid that a kernel launched, what lies before
  /// all its blocks, which its fences release, too; lives longer than the block.
  bool start_block(std::uint64_t block, const GridClock* before = nullptr);

  /// A block barrier of all warps that still run.
  void block_barrier();
  /// A warp that arrives at a barrier without waiting: what it has done so far, and what it knows to
  /// happen before that, happens before what those do who wait there.
  struct Arrival;
  Arrival arrive(std::uint32_t warp);
  /// A barrier at which the warps in `warps` waited and `arrivals` came by.
  void partial_barrier(std::uint32_t warps, std::span<const Arrival> arrivals = {});
  /// bar.warp.sync of the lanes in `mask`; `live`: the lanes of the warp that have not exited.
  void warp_barrier(std::uint32_t warp, std::uint32_t mask, std::uint32_t live);
  /// The lanes in `mask` exchange values: what flags have told one of them, all know. Their own
  /// accesses are not ordered by that.
  void exchange(std::uint32_t warp, std::uint32_t mask);

  /// Lanes of one warp that do something at once.
  struct Lanes {
    std::uint32_t warp = 0, mask = 0;
    std::uint32_t live = ~0u;  ///< those of the warp that have not exited
  };
  /// They pass a fence: what they have seen they know from here on, and release. Of flags that another
  /// block set only with `device_wide`.
  void fence(const Lanes& lanes, bool device_wide);
  /// They store with release semantics: that hands on what they have done and know, but what they have
  /// seen in flags without acquiring it they know no more than before.
  void release(const Lanes& lanes, bool device_wide);
  /// All that they have done and know, as something else than a flag hands it on.
  Knowledge hand_over(const Lanes& lanes);
  /// A lane launches a grid: what lies before that. The launch does for a fence behind flags that the lane
  /// has seen. What other lanes of the warp have read lies before it as well: shuffles hand on what comes of
  /// that, so that it has been read.
  Knowledge launch(std::uint32_t warp, std::uint32_t lane, std::uint32_t live);
  /// They learn what a thread of this block handed over.
  void acquire(const Lanes& lanes, const Knowledge& handed_over);
  /// They have read a value that was stored with `message`, and with acquire semantics.
  void acquire(const Lanes& lanes, const FlagMessage& message);
  /// The same without: they know it behind a fence.
  void see(const Lanes& lanes, const FlagMessage& message);
  void see(const Lanes& lanes, const Knowledge& set_in_this_block);
  /// Asynchronous copies that `thread` began are waited for by `lanes`: what is stamped with the
  /// present timestamp as theirs, or was earlier.
  void acquire_copies(const Lanes& lanes, std::uint32_t thread);
  /// Asynchronous copies that `thread` began at times up to `begun` are there now: for the thread, which
  /// has waited for them, or `for_others`, who acquire_copies().
  void land_copies(std::uint32_t thread, std::uint32_t begun, bool for_others);
  /// Nothing that is done from here on has the present timestamp.
  void tick() { ++now_; }

  /// What a store of `lane` carries along. Without `reads` when `publishes` is false.
  FlagMessage message(std::uint32_t warp, std::uint32_t lane, bool publishes);
  /// An atomic operation of `lane` leaves what it found there, and this besides. False when that is
  /// nothing new.
  bool append(std::uint32_t warp, std::uint32_t lane, FlagMessage& to) const;
  /// Whether a store of any lane carries anything.
  bool releases_anything() const { return any_released_; }
  /// Changes with what stores of the block's warps carry.
  std::uint64_t released_version() const { return released_version_; }
  /// Whether lanes of the warp know or have released different things.
  bool lanes_differ(std::uint32_t warp) const { return warps_[warp].each != nullptr; }
  /// What has been released for threads of this block.
  const Knowledge& released_in_block(std::uint32_t warp, std::uint32_t lane) const {
    return lane_of(warp, lane).in_block;
  }
  /// Whether `lane` knows, or has seen, all that `message` carries.
  bool knows(std::uint32_t warp, std::uint32_t lane, const FlagMessage& message) const;

  std::uint64_t block() const { return block_; }
  std::uint32_t now() const { return now_; }
  /// Accesses with an earlier timestamp happen before what `warp` does, whoever of the block made
  /// them.
  std::uint32_t epoch(std::uint32_t warp) const { return warps_[warp].epoch; }
  /// When the block passed its last barrier: for all warps that, however many barriers of some there were.
  std::uint32_t last_block_barrier() const { return last_block_barrier_; }
  /// The same for those that `warp` made itself.
  std::uint32_t own_epoch(std::uint32_t warp) const { return warps_[warp].lane_epoch; }
  /// Whether these two say all that happens before what `warp` does: as long as only barriers of the
  /// whole block or the whole warp have ordered anything.
  bool epochs_say_all(std::uint32_t warp) const {
    const WarpState& state = warps_[warp];
    return !any_known_ && state.vector_clock.empty() && !state.lane_clocks;
  }

  /// The same of all warps: since the block's last barrier only whole warps have met at one.
  bool epochs_say_all() const { return !any_known_ && !any_partial_; }

  /// Whether an access of this block by `thread` at `timestamp` happens before what `lane` of
  /// `warp` does now. `thread`: or a thread + BlockClock::copies_of.
  bool happens_before(std::uint32_t warp, std::uint32_t lane, std::uint32_t timestamp,
                      std::uint32_t thread) const {
    if (timestamp < warps_[warp].epoch || thread == warp * 32 + lane) return true;
    if (epochs_say_all(warp)) return thread / 32 == warp && timestamp < warps_[warp].lane_epoch;
    return happens_before_by_clocks(warp, lane, timestamp, thread);
  }
  /// Whether a copy of this block that `thread` began at `begun` was there before.
  bool copy_happens_before(std::uint32_t warp, std::uint32_t lane, std::uint32_t begun,
                           std::uint32_t thread) const;
  /// The same as happens_before() for an access of another block.
  bool happens_before_across_blocks(std::uint32_t warp, std::uint32_t lane,
                                    std::uint64_t other_block, std::uint32_t thread,
                                    std::uint32_t timestamp, Covers what) const {
    if (!any_known_) return false;
    const LaneState& state = lane_of(warp, lane);
    return state.known.grid.covers(other_block, thread, timestamp) ||
           (what == Covers::reads && (state.reads.covers(other_block, thread, timestamp) ||
                                      state.seen.grid.covers(other_block, thread, timestamp)));
  }

  /// Whether an access of `block` would happen before what `lane` does now, had it passed a fence behind
  /// the flags that it has seen.
  bool misses_a_fence(std::uint32_t warp, std::uint32_t lane, std::uint64_t block,
                      std::uint32_t thread, std::uint32_t timestamp) const;

 private:
  static void join(std::vector<std::uint32_t>& clock, const std::vector<std::uint32_t>& other);
  bool happens_before_by_clocks(std::uint32_t warp, std::uint32_t lane, std::uint32_t timestamp,
                                std::uint32_t thread) const;

  using LaneClocks = std::array<std::array<std::uint32_t, 32>, 32>;
  /// What fences and flags have told a lane, and what it has released.
  struct LaneState {
    mutable Knowledge known;  ///< once settled
    mutable GridClock reads;  ///< known as FlagMessage::reads
    /// Learnt last, and not yet joined with `known` and `reads`: a thread that spins on a lock sees a
    /// longer message of one chain at each turn, and what it saw before is in that.
    mutable FlagMessage latest;
    /// What it would know behind a fence: `known` and more, where it has seen flags and passed none since.
    mutable Knowledge seen;
    bool has_seen = false;
    bool seen_in_block = false;  ///< some of them set by threads of this block
    Knowledge in_block, device;
    /// What a message held when this had been appended to it: who polls with an atomic operation
    /// appends the same again and again.
    mutable GridClock appended;
    mutable Knowledge appended_in_block;

    /// `message`: without what is not for this block.
    void learn(const FlagMessage& message);
    void see(const FlagMessage& message, bool of_this_block);
    /// Puts the members of a message in the place of `latest`, which is settled unless they go on from it.
    void keep_latest(std::uint64_t block, const GridClock& device, const Knowledge& in_block,
                     const GridClock& reads);
    void begin_to_see();
    void pass_fence(bool device_wide);
    void settle() const;
    void join(const LaneState& other);
    bool is_same(const LaneState& other) const {
      settle(), other.settle();
      if (has_seen || other.has_seen) return false;
      return known.is_same(other.known) && reads.is_same(other.reads) &&
             in_block.is_same(other.in_block) && device.is_same(other.device);
    }
  };
  struct WarpState {
    std::uint32_t epoch = 0;  ///< accesses of the block with an earlier timestamp happen before
    std::uint32_t lane_epoch = 0;                     ///< as `epoch`, of this warp's own accesses
    std::vector<std::uint32_t> vector_clock;          ///< by warp: up to this; or empty
    std::unique_ptr<LaneClocks> lane_clocks;          ///< [lane][other]: up to this; or null
    LaneState all;                                    ///< of every lane, unless:
    std::unique_ptr<std::array<LaneState, 32>> each;  ///< they differ
  };

 public:
  struct Arrival {
    std::uint32_t warp = 0, timestamp = 0;
    std::uint32_t epoch = 0;                  ///< the warp's, when it arrived
    std::vector<std::uint32_t> vector_clock;  ///< the same
    LaneState told;                           ///< all its lanes together
  };

 private:
  const LaneState& lane_of(std::uint32_t warp, std::uint32_t lane) const {
    const WarpState& state = warps_[warp];
    const LaneState& found = state.each ? (*state.each)[lane] : state.all;
    found.settle();
    return found;
  }
  /// Of all lanes together.
  static LaneState together(const WarpState& state);
  static void share(WarpState& state, const LaneState& told);
  /// Each lane for itself from here on.
  static void split(WarpState& state);
  /// A barrier does for a fence.
  static void pass_fence(WarpState& state);
  /// What `lanes` have done in this block, and what they know to lie before it.
  BlockClock done_by(const Lanes& lanes, std::uint32_t lane) const;
  /// Calls use(lane's state, lane) for each of `lanes`, or once where they are all and alike.
  template <class Use>
  void for_each(const Lanes& lanes, Use use);

  std::uint64_t block_ = 0;
  const GridClock* before_block_ = nullptr;  ///< or null: nothing
  std::uint32_t now_ = 1;                    ///< the block's logical clock
  std::uint32_t last_block_barrier_ = 0;
  bool any_partial_ = false;  ///< barrier of some warps, or of some lanes of one, since then
  bool any_known_ = false, any_released_ = false;  ///< by anybody of this block
  std::uint64_t released_version_ = 0;
  std::vector<WarpState> warps_;
  /// When copies of a thread were there: the latest such times, in order.
  struct Landing {
    std::uint32_t begun = 0, at = 0;
    bool for_others = false;
  };
  struct Landings {
    std::vector<Landing> latest;
    std::uint32_t forgotten = 0;  ///< copies that were begun up to this count as there
  };
  ByThread<Landings> landings_;
};

}  // namespace gridstride::sim
