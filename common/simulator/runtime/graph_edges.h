// Edges of graphs with data: kernels that start before another has ended.
#pragma once

#include <cstddef>

#include "common/simulator/runtime/memory/cudart.h"

namespace gridstride::sim {

class Runtime;

/// Throws DeviceError (cudaErrorNotSupported) unless all data say a full dependency. `edges` may be
/// null.
void refuse_edge_data(Runtime& runtime, const cudaGraphEdgeData* edges, std::size_t count);

}  // namespace gridstride::sim
