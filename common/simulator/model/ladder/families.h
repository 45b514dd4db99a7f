// The families of the ladder by name, and which half each belongs to.
#pragma once

#include <vector>

#include "ladder.h"

namespace ladder {

/// What the model may be fitted to, and what only judges it. All ways to do one task are in one
/// half, and nobody moves a family to where the model does better. Until 2026-11-28 a hash of the
/// name decided. That day the half that had judged until then was looked at, kernel by kernel;
/// families that were written and recorded before took its place, until they were looked at as
/// well, and others theirs. All earlier sets are in view and may be fitted. Those that judge since
/// were written that day by somebody who saw neither the model nor its times. Who looks at these
/// kernel by kernel has to do the same again.
enum class Half { fit, held_out };

struct Family {
  const char* name;
  Kernels (*make)();  ///< with its inputs on the device
  Half half;
};

const std::vector<Family>& families();

}  // namespace ladder
