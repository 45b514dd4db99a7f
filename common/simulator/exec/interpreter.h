// Runs the splits of one warp until none can go on.
#pragma once

#include <cstdint>

#include "common/simulator/exec/warp.h"

namespace gridstride::sim {

enum class WarpStop : std::uint8_t {
  blocked,   ///< every split waits at a barrier or for lanes that wait there, or the warp has ended
  yielded,   ///< has looped long; can go on
  polled,    ///< the same, and seems to wait for another thread
  gave_way,  ///< can go on, but it is another one's turn (Warp::may_give_way)
  switched,  ///< another loop must go on with it: unwritten values are to be followed, or no longer
};

/// Runs `warp` from where it stands. Throws GridStop. `timed` runs the scoreboard along, `recorded`
/// tells its block's recorder of each step (trace_recorder.h), and needs it.
WarpStop run_warp(Warp& warp, bool timed, bool recorded);

/// The loop itself. `follows`: with a look at each instruction for what it does with unwritten values
/// (unwritten/follow.cpp).
template <bool timed, bool recorded, bool follows>
WarpStop run_loop(Warp& warp);

extern template WarpStop run_loop<false, false, false>(Warp& warp);
extern template WarpStop run_loop<true, false, false>(Warp& warp);
extern template WarpStop run_loop<false, false, true>(Warp& warp);
extern template WarpStop run_loop<true, false, true>(Warp& warp);
extern template WarpStop run_loop<true, true, true>(Warp& warp);

// For the loop that follows: before an instruction, of which `mask` stand there and `active` execute it; and in
// place of call() and return_from().
void follow(Warp& warp, std::int32_t pc, LaneMask mask, LaneMask active);
void follow_call(Warp& warp, const Inst& inst, std::int32_t pc);
void follow_return(Warp& warp);

}  // namespace gridstride::sim
