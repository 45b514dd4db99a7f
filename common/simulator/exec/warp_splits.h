// The splits of one warp: which runs next, where they diverge and where they reconverge.
#pragma once

#include <cstdint>

#include "common/simulator/exec/interpreter.h"
#include "common/simulator/exec/warp.h"

namespace gridstride::sim {

/// Backward jumps a warp may make before it yields.
constexpr std::int32_t full_time_slice = 4096;
/// Warp::limit when no other split stands ahead.
constexpr std::int32_t no_limit = 0x7fffffff;

/// Joins splits that have reconverged and makes the one that runs next the current one. False when
/// none can run: all wait, or the warp has ended.
bool select(Warp& warp);

/// Takes `lanes` out of the running split and lets them go on at `pc`.
void split_off(Warp& warp, LaneMask lanes, std::int32_t pc);

/// The lanes of the running split end.
void exit_lanes(Warp& warp);

/// Lanes of `active` whose value is not `value`.
LaneMask lanes_with_other(const std::uint32_t* values, std::uint32_t value, LaneMask active);

/// A .sync operation that not all of the running split take part in, or not all who should have
/// come: the lanes of `active` that name the same members as the first of them do it or wait.
void warp_sync_in_parts(Warp& warp, const Inst& inst, LaneMask active);

/// A jump back. False when the warp should stop running for now; `stop` says why.
bool keep_looping(Warp& warp, WarpStop& stop);

}  // namespace gridstride::sim
