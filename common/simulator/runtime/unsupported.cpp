// What a call that is not implemented does: say so, and fail.
#include <mutex>

#include "common/simulator/runtime/runtime.h"

namespace gridstride::sim {

int unsupported(const char* name);

int unsupported(const char* name) {
  Runtime& runtime = Runtime::instance();
  const std::scoped_lock lock(runtime.mutex());
  runtime.refuse_call(name);
  runtime.fail(cudaErrorNotSupported, false);
  return cudaErrorNotSupported;
}

}  // namespace gridstride::sim
