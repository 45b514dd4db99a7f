// What the grader's programs ask of the simulated runtime and a real one does not have.
#include <cstddef>

#include "common/simulator/runtime/runtime.h"

using namespace gridstride::sim;

/// What these bytes hold counts as undefined: a kernel that reads them before it writes them gets a
/// finding. Whoever plays a saved call fills scratch memory and outputs, which a kernel must not rely on.
GRIDSTRIDE_CUDART cudaError_t cudaGridstrideForget(void* memory, std::size_t bytes) {
  return guarded("cudaGridstrideForget", [&](Runtime& runtime) {
    if (bytes != 0) runtime.device().forget(address_of(memory), bytes);
  });
}

/// The runner's: `stream` is the one that calls are given.
GRIDSTRIDE_CUDART cudaError_t cudaGridstrideGiven(cudaStream_t stream) {
  return guarded("cudaGridstrideGiven", [&](Runtime& runtime) {
    runtime.device().set_role(runtime.stream(stream), StreamRole::given);
  });
}
