// The debugger's command line on a terminal, or in a pipe.
#pragma once

#include "common/simulator/debugger/debugger.h"

namespace gridstride::cli {

/// Reads lines from standard input until `quit` or its end, and writes what there is to say. In a pipe there is no
/// prompt.
void debug_in_terminal(sim::Debugger& debugger);

}  // namespace gridstride::cli
