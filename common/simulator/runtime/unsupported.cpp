// What a call that is not implemented does: say so, and fail.
#include "common/simulator/runtime/runtime.h"

namespace gridstride::sim {

int unsupported(const char* name);

int unsupported(const char* name) {
  const cudaError_t failed = guarded(name, [&](Runtime& runtime) {
    runtime.refuse_call(name);
    runtime.fail(cudaErrorNotSupported, false);
  });
  return failed != cudaSuccess ? failed : cudaErrorNotSupported;
}

}  // namespace gridstride::sim
