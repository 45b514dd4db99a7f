// The runtime's errors: the last one, and what they are called.
#include <mutex>

#include "common/simulator/base/error_texts.h"
#include "common/simulator/runtime/runtime.h"

using namespace gridstride::sim;

const char* cudaGetErrorName(cudaError_t code) { return error_name(static_cast<int>(code)); }

const char* cudaGetErrorString(cudaError_t code) {
  return error_description(static_cast<int>(code));
}

cudaError_t cudaGetLastError() {
  Runtime& runtime = Runtime::instance();
  const std::scoped_lock lock(runtime.mutex());
  return runtime.take_error();
}

cudaError_t cudaPeekAtLastError() {
  Runtime& runtime = Runtime::instance();
  const std::scoped_lock lock(runtime.mutex());
  return runtime.peek_error();
}
