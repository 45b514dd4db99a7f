// The main loop of a warp, without a recorder.
#include "common/simulator/exec/interpreter.h"

#include "common/simulator/exec/interpreter_loop.h"
#include "common/simulator/exec/warp.h"

namespace gridstride::sim {

template WarpStop run_warp<false, false>(Warp& warp);
template WarpStop run_warp<true, false>(Warp& warp);

}  // namespace gridstride::sim
