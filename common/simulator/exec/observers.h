// Who hears what a grid does. A new checker or counter is a class with a hear() for each event that
// it wants, and its name in tell().
#pragma once

#include "common/simulator/check/race_checker.h"
#include "common/simulator/exec/access_events.h"
#include "common/simulator/exec/block.h"
#include "common/simulator/exec/counting_observer.h"
#include "common/simulator/exec/grid_run.h"
#include "common/simulator/exec/warp.h"
#include "common/simulator/program/memory_use.h"

namespace gridstride::sim {

/// What is ordered before what, and which accesses are not.
struct RaceObserver {
  static void hear(const BlockStart& event);
  static void hear(const GlobalAccess& event) {
    if (event.warp.grid->global_races) check(event);
  }
  static void hear(const SharedAccess& event) {
    if (event.warp.block->races) check(event);
  }
  static void hear(const SharedLine& event) {
    SharedRaceChecker* const races = event.warp.block->races;
    if (!races) return;
    const bool is_postponed = event.access == Access::load && use_of(event.inst).is_usual() &&
                              races->postpone_read(event.warp.index, event.is_run, event.first,
                                                   event.bytes, event.inst.source);
    if (!is_postponed) check(event);
  }
  static void hear(const GlobalStored& event) {
    if (event.warp.grid->global_races) check(event);
  }
  static void hear(const TexelAccess& event) {
    if (event.warp.grid->global_races) check(event);
  }
  static void hear(const SharedStored& event) {
    if (event.warp.block->races) check(event);
  }
  static void hear(const SharedCopied& event) {
    if (event.warp.block->races) check(event);
  }
  static void hear(const BarrierOpening& event);
  /// `lane` has given a block of the heap back with the call `inst`: nobody else may use it at that time.
  static void hear_freed(Warp& warp, const Inst& inst, std::uint32_t lane, std::uint64_t address,
                         std::uint64_t bytes);

 private:
  static void check(const GlobalAccess& event);
  static void check(const SharedAccess& event);
  static void check(const SharedLine& event);
  static void check(const GlobalStored& event);
  static void check(const TexelAccess& event);
  static void check(const SharedStored& event);
  static void check(const SharedCopied& event);
};

/// Which bytes anybody has initialised.
struct InitialisationObserver {
  static void hear(const BlockStart& event);
  static void hear(const GlobalAccess& event);
  static void hear(const SharedAccess& event) {
    if (event.warp.block->shared_initialised) {
      check(event);
    } else if (event.access == Access::store && event.warp.holds_unwritten()) [[unlikely]] {
      keep(event);
    }
  }
  static void hear(const SharedLine& event) {
    if (event.warp.block->shared_initialised) {
      check(event);
    } else if (event.access == Access::store && event.warp.holds_unwritten()) [[unlikely]] {
      LaneLine line;
      std::uint32_t offsets[warp_size];
      keep(expanded(event, line, offsets));
    }
  }
  static void hear(const BarrierOpening& event);

  /// The lanes load anew: what they hold of this load counts no more.
  static void forget_values(Warp& warp, const Inst& inst, LaneMask lanes) {
    if (warp.unwritten.empty()) return;
    warp.unwritten.forget(warp.grid->kernel.origins[inst.source].instruction, lanes);
  }
  /// `lane` loads what is not all written. A mistake is logged; where the value is only copied it is
  /// remembered instead. True when the mistake was logged.
  static bool check_load(Warp& warp, const Inst& inst, ptx::Space space, std::uint32_t lane,
                         const UnwrittenLoad& loaded);
  /// The bytes of what `lane` stores at `address` of `space` that stay unwritten: bit i for byte i.
  static std::uint32_t check_store(Warp& warp, const Inst& inst, ptx::Space space,
                                   std::uint32_t lane, std::uint64_t address);

 private:
  static void check(const SharedAccess& event);
  static void check(const SharedLine& event);
  /// What a store leaves unwritten.
  static void keep(const SharedAccess& event);
};

/// What `./lab trace` shows. Steps it hears of from the loop that records (interpreter_loop.h), and what
/// they do to memory from whoever does it: there is no other list of what is recorded.
struct TraceObserver {
  static void hear(const BlockStart& event);
  static void hear(const BarrierOpening& event) {
    if (event.block.recorder) record(event);
  }
  template <class Event>
  requires requires(const Event& event) { event.warp.block; }
  static void hear(const Event& event) {
    if (event.warp.block->recorder) [[unlikely]]
      record(event);
  }

 private:
  static void record(const BarrierOpening& event);
  static void record(const GlobalAccess& event);
  static void record(const SharedAccess& event);
  static void record(const SharedLine& event);
  static void record(const OtherAccess& event);
  static void record(const TexelAccess& event);
  static void record(const AtomicTurn& event);
  static void record(const FragmentMoved& event);
  static void record(const MatrixRowsMoved& event);
  static void record(const CopiesBegun& event);
  static void record(const GlobalStored&) {}
  static void record(const SharedStored&) {}
  static void record(const SharedCopied&) {}
};

template <class Observer, class Event>
inline void tell_one(const Event& event) {
  if constexpr (requires { Observer::hear(event); }) Observer::hear(event);
}

/// Tells all of them, in this order. An access may end the grid: then GridStop is thrown.
template <class Event>
[[gnu::always_inline]] inline void tell(const Event& event) {
  tell_one<CountingObserver>(event);
  tell_one<RaceObserver>(event);
  tell_one<InitialisationObserver>(event);
  tell_one<TraceObserver>(event);
}

}  // namespace gridstride::sim
