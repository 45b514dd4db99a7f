// Which accesses of a grid happen before which others.
//
// Time is a logical clock: one counter for a block that every barrier moves on. An access keeps its
// time as a timestamp. What of its block happens before what a warp does is kept as FastTrack
// (Flanagan, Freund, 2009) does it, in the cheapest form that says it: an epoch (everything of the
// block with an earlier timestamp, after a barrier of the whole block), a vector clock by warp
// (after a barrier of some warps), and one of each lane by lane (after a bar.warp.sync of some
// lanes).
//
// Between blocks, and where no barrier is, fences order: a warp that has passed a fence has
// released what it did before and what it knows to happen before it; a warp that has read what an
// atomic or volatile store left knows what had been released by then. All releases of a grid are
// numbered in the order in which they happened, and a warp remembers the number up to which it
// knows them. That is somewhat more than the PTX memory model promises (it takes every flag for the
// right one, asks no fence of the reader, and none where a block has only read what the one that
// sees its flag overwrites), so that no correct program is reported.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

namespace gridstride::sim {

/// Every release of the grid: each fence that a warp has passed.
class ReleaseHistory {
 public:
  struct Release {
    std::uint32_t step = 0;  ///< number of the release
    std::uint32_t warp = 0;
    std::uint32_t timestamp = 0;  ///< covers what the warp did up to this
    std::uint32_t epoch = 0;      ///< … and what its block did before this
    bool device_wide = false;     ///< false: a fence for the block only
  };

  /// What a release orders. A warp that stores a flag without a fence has at least read what it
  /// read before: library code that works in place relies on that.
  enum class Covers : std::uint8_t { everything, reads };

  void add(std::uint64_t block, Release release, Covers covers);  ///< sets the step
  /// The block has ended: what it released to itself alone matters to nobody any more.
  void end_block(std::uint64_t block);
  /// Number of the latest release; 0 before the first.
  std::uint32_t latest() const { return step_; }
  /// True when a release numbered up to `known` covers what `warp` of `block` did at `timestamp`.
  /// `same_block`: the one who asks is of that block, for whom every fence counts. `what` it did
  /// there.
  bool cover(std::uint64_t block, std::uint32_t warp, std::uint32_t timestamp, std::uint32_t known,
             bool same_block, Covers what) const;
  /// True when the block had passed a device-wide fence by release number `step`.
  bool any(std::uint64_t block, std::uint32_t step) const;

 private:
  using ByBlock = std::unordered_map<std::uint64_t, std::vector<Release>>;

  std::uint32_t step_ = 0;
  ByBlock fences_, stores_;
};

/// The relation as the warps of one block see it.
class HappensBefore {
 public:
  HappensBefore(std::uint32_t warps, ReleaseHistory& releases);

  /// A new block takes the place: nothing that was done before counts. True when time started over,
  /// so that old timestamps mean nothing.
  bool start_block(std::uint64_t block);

  /// A block barrier of all warps that still run.
  void block_barrier();
  /// A warp that arrives at a barrier without waiting: what it has done so far, and what it knows to
  /// happen before that, happens before what those do who wait there.
  struct Arrival {
    std::uint32_t warp = 0, timestamp = 0;
    std::uint32_t epoch = 0, known = 0;       ///< the warp's, when it arrived
    std::vector<std::uint32_t> vector_clock;  ///< the same
  };
  Arrival arrive(std::uint32_t warp);
  /// A barrier at which the warps in `warps` waited and `arrivals` came by.
  void partial_barrier(std::uint32_t warps, std::span<const Arrival> arrivals = {});
  /// bar.warp.sync of the lanes in `mask`; `live`: the lanes of the warp that have not exited.
  void warp_barrier(std::uint32_t warp, std::uint32_t mask, std::uint32_t live);
  /// The warp passes a fence, or stores with release semantics.
  void release(std::uint32_t warp, bool device_wide);
  /// The warp stores what others may take for a flag, with no fence.
  void publish(std::uint32_t warp);
  /// The warp has seen a value that was stored when `step` releases had happened.
  void acquire(std::uint32_t warp, std::uint32_t step) {
    if (step > warps_[warp].known) warps_[warp].known = step;
  }

  std::uint64_t block() const { return block_; }
  std::uint32_t now() const { return now_; }
  const ReleaseHistory& releases() const { return releases_; }
  /// Accesses with an earlier timestamp happen before what `warp` does, whoever of the block made
  /// them.
  std::uint32_t epoch(std::uint32_t warp) const { return warps_[warp].epoch; }
  /// Number of the last release that `warp` knows of.
  std::uint32_t known(std::uint32_t warp) const { return warps_[warp].known; }

  /// Whether an access of this block by `thread` at `timestamp` happens before what `lane` of
  /// `warp` does now.
  bool happens_before(std::uint32_t warp, std::uint32_t lane, std::uint32_t timestamp,
                      std::uint32_t thread) const {
    return timestamp < warps_[warp].epoch || thread == warp * 32 + lane ||
           happens_before_by_clocks(warp, lane, timestamp, thread);
  }
  /// The same for an access of another block.
  bool happens_before_across_blocks(std::uint32_t warp, std::uint64_t other_block,
                                    std::uint32_t other_warp, std::uint32_t timestamp,
                                    ReleaseHistory::Covers what) const {
    const std::uint32_t known = warps_[warp].known;
    return known != 0 && releases_.cover(other_block, other_warp, timestamp, known, false, what);
  }

 private:
  static void join(std::vector<std::uint32_t>& clock, const std::vector<std::uint32_t>& other);
  bool happens_before_by_clocks(std::uint32_t warp, std::uint32_t lane, std::uint32_t timestamp,
                                std::uint32_t thread) const;

  using LaneClocks = std::array<std::array<std::uint32_t, 32>, 32>;
  struct WarpState {
    std::uint32_t epoch = 0;  ///< accesses of the block with an earlier timestamp happen before
    std::uint32_t lane_epoch = 0;             ///< as `epoch`, of this warp's own accesses
    std::uint32_t known = 0;                  ///< releases up to this number
    std::vector<std::uint32_t> vector_clock;  ///< by warp: up to this; or empty
    std::unique_ptr<LaneClocks> lane_clocks;  ///< [lane][other]: up to this; or null
  };

  std::uint64_t block_ = 0;
  std::uint32_t now_ = 1;  ///< the block's logical clock
  ReleaseHistory& releases_;
  std::vector<WarpState> warps_;
};

}  // namespace gridstride::sim
