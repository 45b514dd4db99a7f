// The splits of one warp: which runs next, where they diverge and where they reconverge.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "common/simulator/exec/interpreter.h"
#include "common/simulator/exec/warp.h"

namespace gridstride::sim {

/// Backward jumps a warp may make before it yields.
constexpr std::int32_t full_time_slice = 4096;
/// Warp::limit when no other split stands ahead.
constexpr std::int32_t no_limit = 0x7fffffff;

/// One split, or two of one function of which neither waits: what is there nearly always. False when it
/// is something else.
[[gnu::always_inline]] inline bool select_of_few(Warp& warp) {
  using State = WarpSplit::State;
  auto& splits = warp.splits;
  const std::size_t count = splits.size();
  if (count - 1 > 1 || splits[0].state != State::runnable) return false;
  warp.current = 0;
  warp.limit = no_limit;
  if (count == 2) {
    WarpSplit &a = splits[0], &b = splits[1];
    if (b.state != State::runnable || a.frame != b.frame) return false;
    if (a.pc == b.pc) {
      a.mask |= b.mask;
      a.deferred = a.deferred && b.deferred;
      splits.pop_back();
    } else {
      if (a.deferred || b.deferred) return false;
      warp.current = a.pc < b.pc ? 0 : 1;
      warp.limit = std::max(a.pc, b.pc);
    }
  }
  warp.frame = splits[warp.current].frame;
  warp.registers = warp.frame->registers;
  return true;
}

/// The same of any.
bool select_of_many(Warp& warp);

/// Joins splits that have reconverged and makes the one that runs next the current one. False when
/// none can run: all wait, or the warp has ended.
[[gnu::always_inline]] inline bool select(Warp& warp) {
  return select_of_few(warp) || select_of_many(warp);
}

/// Takes `lanes` out of the running split and lets them go on at `pc`.
inline void split_off(Warp& warp, LaneMask lanes, std::int32_t pc) {
  WarpSplit rest = warp.splits[warp.current];
  warp.splits[warp.current].mask &= ~lanes;
  rest.mask = lanes;
  rest.pc = pc;
  warp.splits.push_back(rest);
}

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
