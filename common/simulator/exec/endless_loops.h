// Finds loops that never end. The machine is deterministic: when all that decides a warp's way through a
// loop is as it was when the warp was here before, it takes the same way for ever. So what is said here is
// no guess from the time that a kernel takes.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "common/simulator/analysis/loop_control.h"
#include "common/simulator/program/program.h"

namespace gridstride::sim {

class Block;    // exec/block.h
class GridRun;  // exec/grid_run.h
class Warp;     // exec/warp.h
struct Frame;   // exec/warp.h

/// Whether a warp comes back to a state. It is compared with one that was kept, and a newer one is kept
/// after 1, 2, 4, … visits: so a period of any length is found once it is shorter than that (R. Brent, "An
/// improved Monte Carlo factorization algorithm", 1980, section 2).
class ReturningState {
 public:
  /// True when `state` is the one that was kept; takes what is in it.
  bool comes_back(std::vector<std::uint64_t>& state);

 private:
  std::uint64_t visits_ = 0, kept_for_ = 0;
  std::vector<std::uint64_t> kept_;
};

/// Of one launch. Where registers alone decide, one warp at a time is watched. Where plain loads do, all
/// warps of a block have to come back, and memory to hold what it held: another block that would change what
/// is read has no turn until this one waits, and would race with those loads.
class EndlessLoops {
 public:
  explicit EndlessLoops(const GridRun& grid) : grid_(grid) {}

  /// To be told of warps, each time after they have run. True when the warp is in a loop that never ends.
  bool is_endless(const Warp& warp);
  /// To be told now and then of a block whose warps go from barrier to barrier and use up no time slice.
  /// True when all of them do so for ever.
  bool is_endless(const Block& block);
  void end_block(std::uint64_t block) { at_barriers_.erase(block); }

 private:
  /// All that decides which way the warp goes from here, and what that follows from; of splits that wait
  /// as well.
  LoopInput take_state(const Warp& warp, std::vector<std::uint64_t>& state);
  LoopInput take_frame(const Frame& frame, std::int32_t pc, bool innermost,
                       std::vector<std::uint64_t>& state);
  bool repeats_alone(const Warp& warp);
  bool repeats_with_its_block(const Warp& warp);
  /// What take_state() takes of all warps of the block, and hashes of its local and shared memory; false
  /// when something else decides.
  bool take_joint_state(const Block& block);
  /// Adds a hash of global memory; false when there is too much of it.
  bool take_global_memory();
  /// Stores, atomics, results of barriers and ends of threads so far, of all blocks.
  std::uint64_t changes() const;
  /// Loads so far by which blocks may wait for each other.
  std::uint64_t polls() const;
  template <class Counts>
  std::uint64_t executed(Counts counts) const;

  const GridRun& grid_;
  std::map<const FunctionCode*, std::unique_ptr<LoopControls>> loops_;
  std::vector<std::uint64_t> now_;

  bool watches_ = false;
  std::uint64_t block_ = 0, warp_ = 0;  ///< that is watched
  std::uint64_t others_ = 0;            ///< visits of other warps since its last
  ReturningState alone_;

  struct Member {
    ReturningState state;
    bool has_come_back = false;
  };
  std::uint64_t members_of_ = 0;             ///< the block of `members_`
  std::map<std::uint32_t, Member> members_;  ///< by warp
  std::uint64_t changes_ = 0;                ///< when they were begun
  ReturningState joint_;
  std::vector<std::uint64_t> together_;  ///< take_joint_state()
  std::uint64_t pause_ = 0;              ///< visits until memory is looked at again

  /// A block that goes from barrier to barrier.
  struct AtBarriers {
    ReturningState quiet, joint;  ///< while nothing is stored, and with what all memory holds
    std::uint64_t polls = 0;      ///< when they were begun
    std::uint64_t pause = 0;
  };
  std::map<std::uint64_t, AtBarriers> at_barriers_;  ///< by block
};

}  // namespace gridstride::sim
