// Indices that do not fit the 32 bits they are computed in, of a launch that is not run.
//
// A contract may allow more elements than the simulated device can work through. What it can do is look
// at how such a launch computes its addresses: of a few threads of the last blocks everything that
// follows from the launch alone (thread_walk.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/simulator/check/finding.h"
#include "common/simulator/findings/place_names.h"
#include "common/simulator/index_width/thread_walk.h"

namespace gridstride::sim {

/// The first access whose address has wrapped, in words. `names`: of the same launch.
std::optional<Finding> narrow_index(const LaunchedKernel& launched, const KernelCode& code,
                                    const PlaceNames& names);

/// A parameter of 32 bits that is what the low half of `whole`, a number of elements, is: the host
/// has cut it. Nothing where no parameter is.
std::optional<Finding> cut_parameter(const LaunchedKernel& launched, const KernelCode& code,
                                     const std::vector<std::uint64_t>& wholes);

}  // namespace gridstride::sim
