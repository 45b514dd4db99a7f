// Inlined code of nvcc -G: its `.loc` directives do not say where it was called, the debug information does.
#pragma once

#include <vector>

#include "common/simulator/debug_info/debug_info.h"
#include "common/simulator/ptx/module.h"

namespace gridstride::sim::ptx {

/// Gives instructions in `ranges` of the function's body the place that called them, as `.loc` with
/// inlined_at does it. Of ranges that lie in each other the inner one comes later.
void locate_inlined(Function& function, const std::vector<InlinedRange>& ranges);

}  // namespace gridstride::sim::ptx
