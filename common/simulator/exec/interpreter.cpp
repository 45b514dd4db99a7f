// The main loop of a warp, without a recorder.
#include "common/simulator/exec/interpreter.h"

#include "common/simulator/exec/block.h"
#include "common/simulator/exec/interpreter_loop.h"
#include "common/simulator/exec/warp.h"

namespace gridstride::sim {

template WarpStop run_loop<false, false, false>(Warp& warp);
template WarpStop run_loop<true, false, false>(Warp& warp);

WarpStop run_warp(Warp& warp, bool timed, bool recorded) {
  // Who has given way is still in its time slice.
  if (!warp.gives_way) {
    warp.time_slice = warp.block->time_slice();
    warp.polled = false;
  }
  warp.gives_way = false;
  if (warp.steps_to_turn == 0) warp.steps_to_turn = warp.block->steps_to_turn(warp);
  for (;;) {
    const bool follows = !warp.followed.empty();
    const WarpStop stop = recorded           ? run_loop<true, true, true>(warp)
                          : follows && timed ? run_loop<true, false, true>(warp)
                          : follows          ? run_loop<false, false, true>(warp)
                          : timed            ? run_loop<true, false, false>(warp)
                                             : run_loop<false, false, false>(warp);
    if (stop != WarpStop::switched) return stop;
  }
}

}  // namespace gridstride::sim
