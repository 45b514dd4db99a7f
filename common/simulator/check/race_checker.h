// Finds races in the shared memory of one block.
//
// Two accesses race when they touch the same bytes, at least one stores, not both are atomic, and
// no barrier orders them: a block barrier between warps, bar.warp.sync between lanes of a warp. The
// order in which the simulator happens to run them does not count.
//
// Each cell of shared memory (as wide as the kernel's narrowest shared access) remembers its last
// store and two readers. Time is one counter for the block that every barrier moves on; an access
// is stamped with it. What a warp knows to lie before it is a floor (everything stamped earlier,
// after a barrier of the whole block), a vector of stamps by warp (after a barrier of some warps),
// and a matrix of stamps by lane (after a bar.warp.sync of some lanes).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace gridstride::sim {

/// One of the two accesses of a race.
struct RacingAccess {
  std::uint32_t thread = 0;       ///< linear index in the block
  std::uint32_t instruction = 0;  ///< as given to read(), write(), atomic()
  bool store = false;
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
  /// `granule`: bytes of a cell, 1, 2 or 4. `bytes` is the block's shared memory.
  SharedRaceChecker(std::uint32_t bytes, std::uint32_t granule, std::uint32_t warps,
                    RaceSink& sink);

  /// A new block takes the place: nothing that was done before counts.
  void start_block();

  /// One warp's access of `bytes` a lane at `offsets` (32 entries), lanes of `mask`. Instructions
  /// are numbered by the caller, below 2^21.
  void read(std::uint32_t warp, std::uint32_t mask, const std::uint32_t* offsets,
            std::uint32_t bytes, std::uint32_t instruction);
  void write(std::uint32_t warp, std::uint32_t mask, const std::uint32_t* offsets,
             std::uint32_t bytes, std::uint32_t instruction, const StoredValues& values);
  void atomic(std::uint32_t warp, std::uint32_t mask, const std::uint32_t* offsets,
              std::uint32_t bytes, std::uint32_t instruction);
  /// The same for lanes 0 to `lanes` - 1 whose accesses follow one another without a gap from
  /// `offset`. Cheap, and true when that settled it; otherwise nothing is done.
  bool read_run(std::uint32_t warp, std::uint32_t lanes, std::uint32_t offset, std::uint32_t bytes,
                std::uint32_t instruction);
  bool write_run(std::uint32_t warp, std::uint32_t lanes, std::uint32_t offset, std::uint32_t bytes,
                 std::uint32_t instruction);
  /// Lanes of `mask` read the same `bytes` at `offset`.
  void read_one(std::uint32_t warp, std::uint32_t mask, std::uint32_t offset, std::uint32_t bytes,
                std::uint32_t instruction);

  /// A block barrier of all warps that still run.
  void block_barrier();
  /// A warp that arrives at a barrier without waiting: what it has done so far lies before those
  /// who wait there.
  struct Arrival {
    std::uint32_t warp = 0, stamp = 0;
  };
  Arrival arrive(std::uint32_t warp);
  /// A barrier at which the warps in `warps` waited and `arrivals` came by.
  void partial_barrier(std::uint32_t warps, std::span<const Arrival> arrivals = {});
  /// bar.warp.sync of the lanes in `mask`; `live`: the lanes of the warp that have not exited.
  void warp_barrier(std::uint32_t warp, std::uint32_t mask, std::uint32_t live);

 private:
  using LaneKnowledge = std::array<std::array<std::uint32_t, 32>, 32>;
  struct WarpState {
    std::uint32_t floor = 0;             ///< accesses stamped below are ordered, whoever made them
    std::uint32_t lane_floor = 0;        ///< … those of this warp
    std::vector<std::uint32_t> by_warp;  ///< … those of a warp stamped up to this; or empty
    std::unique_ptr<LaneKnowledge> by_lane;  ///< [lane][other]: up to this; or null
  };
  /// The accesses a cell remembers, each kind an array over the cells: the stamp, and who
  /// (thread << 22 | atomic << 21 | instruction).
  struct Slot {
    std::vector<std::uint32_t> stamp, who;
  };

  bool ordered(const WarpState& state, std::uint32_t warp, std::uint32_t lane, std::uint32_t stamp,
               std::uint32_t who) const;
  void read_cell(const WarpState& state, std::uint32_t warp, std::uint32_t lane, std::size_t cell,
                 std::uint32_t who);
  void note_reader(const WarpState& state, std::uint32_t warp, std::uint32_t lane, std::size_t cell,
                   std::uint32_t who);
  void report(std::uint32_t earlier, bool earlier_stores, std::uint32_t now, bool now_stores,
              std::size_t cell);
  std::size_t cells_of(std::uint32_t bytes) const { return (bytes + granule_ - 1) >> shift_; }
  void advance();

  std::uint32_t granule_ = 4, shift_ = 2;
  std::uint32_t now_ = 1;  ///< the block's time
  RaceSink& sink_;
  Slot write_, read_, second_read_;
  std::vector<WarpState> warps_;
};

}  // namespace gridstride::sim
