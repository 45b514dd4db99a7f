// The families of the ladder by name, and which half each belongs to.
#pragma once

#include <vector>

#include "ladder.h"

namespace ladder {

/// What the model may be fitted to, and what only judges it. All ways to do one task are in one
/// half, and nobody moves a family to where the model does better. Until 2026-11-28 a hash of the
/// name decided. Since then whoever looks at the half that judges, kernel by kernel, puts it in view,
/// where it may be fitted, and has others written and recorded that judge in its place, by somebody
/// who sees neither the model nor its times. This was done six times so far; those that judge now are
/// the second ones of 2026-11-29.
enum class Half { fit, held_out };

struct Family {
  const char* name;
  Kernels (*make)();  ///< with its inputs on the device
  Half half;
};

const std::vector<Family>& families();

}  // namespace ladder
