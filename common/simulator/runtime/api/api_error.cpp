// The runtime's errors: the last one, and what they are called.
#include "common/simulator/base/error_texts.h"
#include "common/simulator/runtime/runtime.h"

using namespace gridstride::sim;

const char* cudaGetErrorName(cudaError_t code) { return error_name(static_cast<int>(code)); }

const char* cudaGetErrorString(cudaError_t code) {
  return error_description(static_cast<int>(code));
}

cudaError_t cudaGetLastError() {
  cudaError_t last = cudaSuccess;
  const cudaError_t failed =
      guarded("cudaGetLastError", [&](Runtime& runtime) { last = runtime.take_error(); });
  return failed != cudaSuccess ? failed : last;
}

cudaError_t cudaPeekAtLastError() {
  cudaError_t last = cudaSuccess;
  const cudaError_t failed =
      guarded("cudaPeekAtLastError", [&](Runtime& runtime) { last = runtime.peek_error(); });
  return failed != cudaSuccess ? failed : last;
}
