// Runs the splits of one warp until none can go on.
#pragma once

#include <cstdint>

#include "common/simulator/exec/warp.h"

namespace gridstride::sim {

enum class WarpStop : std::uint8_t {
  blocked,  ///< every split waits at a barrier or for lanes that wait there, or the warp has ended
  yielded,  ///< has looped long; can go on
  polled,   ///< the same, and seems to wait for another thread
};

/// Runs `warp` from where it stands. Throws GridStop. `timed` runs the scoreboard along, `recorded`
/// tells its block's recorder of each step (trace_recorder.h).
template <bool timed, bool recorded>
WarpStop run_warp(Warp& warp);

extern template WarpStop run_warp<false, false>(Warp& warp);
extern template WarpStop run_warp<true, false>(Warp& warp);
extern template WarpStop run_warp<true, true>(Warp& warp);

}  // namespace gridstride::sim
