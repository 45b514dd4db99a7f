// The main loop of a warp that is recorded.
#include "common/simulator/exec/interpreter.h"
#include "common/simulator/exec/interpreter_loop.h"
#include "common/simulator/exec/warp.h"

namespace gridstride::sim {

template WarpStop run_loop<true, true, true>(Warp& warp);

}  // namespace gridstride::sim
