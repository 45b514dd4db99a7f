// One block while it runs: its warps, its shared memory, its barriers.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/simulator/check/bulk_copies.h"
#include "common/simulator/check/race_checker.h"
#include "common/simulator/check/shared_flags.h"
#include "common/simulator/count/block_work.h"
#include "common/simulator/count/l1_cache.h"
#include "common/simulator/count/recent_stores.h"
#include "common/simulator/exec/async_copies.h"
#include "common/simulator/exec/grid_run.h"
#include "common/simulator/exec/mbarriers.h"
#include "common/simulator/exec/warp.h"
#include "common/simulator/program/barrier_use.h"

namespace gridstride::sim {

class TraceRecorder;  // exec/trace_recorder.h

/// Shared atomics that are compare-and-swap loops, as long as those of a block are at one place.
struct CasLoopsAtOnePlace {
  std::uint64_t place = ~std::uint64_t{0};
  std::uint32_t warp = 0;              ///< the first one there
  bool contended = false;              ///< by another warp
  std::uint32_t first_source = 0;      ///< while only one warp is there: the instruction
  std::uint64_t first_iterations = 0;  ///< … and its iterations
};

/// A place for blocks: takes one after another, and keeps what they can reuse.
class Block final : public RaceSink {
 public:
  enum class Progress : std::uint8_t {
    finished,
    waiting,  ///< every warp that can run waits for other blocks, or looks as if it did, or gives way
    got_on,  ///< can go on; it is another block's turn
  };

  explicit Block(GridRun& grid);

  /// Takes block number `linear` of the grid. With `timed` the scoreboard runs along.
  void start(std::uint64_t linear, bool timed);
  /// Runs until the block ends or has to wait. Throws GridStop.
  Progress run();

  GridRun& grid;
  std::uint64_t linear = 0;
  Dim3 index;
  std::uint32_t threads = 0;  ///< in a block
  std::vector<std::byte> shared;
  std::vector<Warp> warps;
  /// Null when uninitialised reads are not looked for, or all of `shared` is initialised.
  InitialisedBytes* shared_initialised = nullptr;
  /// Of the bytes at `offset` of shared memory those of `bytes` (bit i: byte i) have been written with
  /// what nobody has written.
  void leave_unwritten(std::uint32_t offset, std::uint32_t bytes);
  /// Null when not looked for; as Warp::local, all warps.
  InitialisedBytes* local_initialised = nullptr;
  HappensBefore order;
  SharedFlags flags{order};
  SharedRaceChecker* races = nullptr;  ///< null when not checked
  TraceRecorder* recorder = nullptr;   ///< null: this block is not recorded
  AsyncCopies copies{order};
  BulkCopies bulk{order};
  Mbarriers mbarriers;
  L1Cache l1;
  RecentStores recent_stores;
  CasLoopsAtOnePlace cas_loops;
  bool timed = false;
  bool sampled = false;  ///< its time counts for blocks whose time is not taken
  std::vector<Draw> draws;      ///< of a kernel that draws its work, while it is timed
  bool of_first_round = false;  ///< it starts when the grid does
  double end_time = 0;          ///< scoreboard: cycle at which the last warp ended
  /// What %clock says when the block starts: blocks that took this place before have ended.
  double start_clock = 0;

  /// Nobody has written shared memory, but for what CUDA reserves, and where a library's kernel runs.
  void forget_shared();

  // For the interpreter.
  Frame* push_frame(Warp& warp, const FunctionCode& function, std::int32_t return_to);
  std::uint64_t special(const Warp& warp, const Frame& frame, Special special,
                        std::uint32_t component, std::uint32_t lane) const;
  /// "threads 0 to 30 in line 7 and thread 31 in line 9": where those that live stand.
  std::string standing() const;
  /// " Of the barrier … 3 of the 64 arrivals that it expects in a phase are missing." for each mbarrier
  /// that warps wait for.
  std::string missing_arrivals() const;
  /// Whether all that is left of it asks in vain for the end of an mbarrier's phase, or stands at a barrier.
  bool waits_for_mbarriers() const;
  /// Backward jumps that a warp may make now before it yields.
  std::int32_t time_slice();
  /// For Warp::steps_to_turn.
  std::uint32_t steps_to_turn(Warp& warp);
  /// The running split of `warp` has come to a barrier.
  void arrive(Warp& warp, const Inst& inst, LaneMask mask);

  /// The running split of `warp` uses an mbarrier that nobody has initialised. Somebody may yet, which
  /// is a race, and then it goes on.
  static void wait_for_init(Warp& warp);
  void note_init();

  /// Lanes of `mask` come to the post-dominator `number` (barrier_post_dominators.h).
  void pass_barrier_post_dominator(const Warp& warp, std::uint32_t number, LaneMask mask);

  /// Of a place in a thread's local memory, for `local_initialised`.
  std::uint64_t local_offset(const std::byte* place) const {
    return static_cast<std::uint64_t>(place - local_.data());
  }

  /// Whether races are looked for, so that it matters what is ordered.
  bool checks_order() const { return races || grid.global_races; }

  void race(const RacingAccess& earlier, const RacingAccess& now, std::uint32_t offset) override {
    grid.findings.race(linear, earlier, now, offset);
  }

 private:
  std::uint64_t nanoseconds(const Warp& warp) const;  ///< %globaltimer
  void poison_local(Warp& warp, const Frame& frame, LaneMask lanes);
  void fill_specials(const Warp& warp, Frame& frame, bool is_new) const;
  struct Barrier {
    std::uint32_t waiting = 0;       ///< warps whose live lanes are all here
    std::uint32_t arrived_only = 0;  ///< threads counted by bar.arrive
    std::uint32_t threads = 0;       ///< expected; 0: all of the block
    std::int32_t first = 0;          ///< the instruction with which somebody came first
    std::vector<HappensBefore::Arrival> arrivals;
  };
  void settle(Warp& warp);
  /// Somebody comes to the barrier, by the instruction at `pc`, for that many threads.
  void expect_at_barrier(std::uint32_t id, std::uint32_t threads, std::int32_t pc);
  void check_same_number(std::uint32_t id, std::uint32_t threads, std::int32_t pc) const;
  void check_barrier(std::uint32_t id);
  void release(std::uint32_t id);
  void check_same_place(const Warp& warp) const;
  /// Barriers are about to open for the warps of `waiting`, and some threads of the block have
  /// ended, or wait at other barriers of the same number.
  void check_skipped(std::uint32_t waiting) const;
  /// Whether that is so because some went round a condition under which `split` waits; `at`: the
  /// barrier in it, or the call that leads there.
  bool says_skipped(const Warp& warp, const WarpSplit& split, std::uint32_t at,
                    std::int64_t condition, std::uint32_t waiting) const;
  void reduce(std::uint32_t id);
  [[noreturn]] void report_deadlock() const;
  /// Stops the grid when somebody waits for an mbarrier to be initialised.
  void report_no_mbarrier() const;

  std::unique_ptr<SharedRaceChecker> race_checker_;
  std::unique_ptr<InitialisedBytes> shared_bits_, local_bits_;
  std::vector<std::vector<std::unique_ptr<Frame>>> frames_;  ///< by warp: in use and free
  std::vector<std::byte> local_;
  std::array<Barrier, 16> barriers_;
  bool any_reduces_ = false;      ///< somebody has come to a barrier that reduces
  std::uint32_t live_warps_ = 0;  ///< that have not ended when they ran last
  /// How often a lane has passed the post-dominator of a barrier's condition: by its number, warp,
  /// lane. Empty when not looked for.
  std::vector<std::uint32_t> post_dominators_passed_;
  std::uint64_t random_ = 0;
  std::uint64_t rounds_ = 0;  ///< in which each warp that could run has run
};

/// A thread of the grid that `warp` is part of.
inline ThreadId thread_of(const Warp& warp, std::uint32_t lane) {
  return {warp.block->linear, warp.index * warp_size + lane};
}
/// The lowest of a set that is not empty.
inline std::uint32_t first_lane(LaneMask lanes) {
  return static_cast<std::uint32_t>(std::countr_zero(lanes));
}
/// Lanes of a warp, to those who order accesses.
inline HappensBefore::Lanes lanes_of(const Warp& warp, LaneMask mask) {
  return {warp.index, mask, warp.live};
}
/// Of the function that the running split is in.
inline LocalFrame local_frame(const Warp& warp) {
  return {warp.frame->local_base, warp.frame->function->frame.local_end};
}

}  // namespace gridstride::sim
