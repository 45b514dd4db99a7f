// CUDA errors as exceptions that can be told to the judge.
#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>

#include "grader/runner/protocol.h"

namespace gridstride::runner {

class CudaError : public std::runtime_error {
 public:
  explicit CudaError(cudaError_t code)
      : std::runtime_error(cudaGetErrorString(code)), code_(code) {}

  protocol::Status status() const {
    return {protocol::Status::Kind::cuda_error, code_, cudaGetErrorName(code_), what()};
  }

 private:
  cudaError_t code_;
};

inline void check(cudaError_t code) {
  if (code != cudaSuccess) throw CudaError(code);
}

}  // namespace gridstride::runner
