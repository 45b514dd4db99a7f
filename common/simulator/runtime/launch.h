// One kernel launch, whichever way the program asked for it.
#pragma once

#include <cstddef>

#include "common/simulator/runtime/memory/cudart.h"

namespace gridstride::sim {

/// `kernel`: host function or handle. `arguments` point to one value for each parameter.
cudaError_t launch(const char* call, const void* kernel, dim3 grid, dim3 block, void** arguments,
                   std::size_t shared, cudaStream_t stream, bool cooperative);

}  // namespace gridstride::sim
