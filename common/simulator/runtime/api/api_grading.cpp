// What the grader's runner asks of the simulated runtime and a real one does not have.
#include <cstddef>

#include "common/simulator/runtime/runtime.h"

using namespace gridstride::sim;

/// What these bytes hold counts as undefined: a kernel that reads them before it writes them gets a
/// finding. The runner fills scratch memory and outputs, which a kernel must not rely on.
GRIDSTRIDE_CUDART cudaError_t cudaGridstrideForget(void* memory, std::size_t bytes) {
  return guarded("cudaGridstrideForget", [&](Runtime& runtime) {
    if (bytes != 0) runtime.device().forget(address_of(memory), bytes);
  });
}

/// Says in messages about the allocation that begins at `memory` who made it, to stand behind a
/// comma: "by the grader for the argument out".
GRIDSTRIDE_CUDART cudaError_t cudaGridstrideNoteMaker(void* memory, const char* maker) {
  return guarded("cudaGridstrideNoteMaker", [&](Runtime& runtime) {
    runtime.device().note_maker(address_of(memory), maker != nullptr ? maker : "");
  });
}
