// The arguments of a call as the adapter in a stage library takes them.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <vector>

#include "common/contract.h"
#include "grader/runner/protocol.h"

namespace gridstride::runner {

class ArgumentValues {
 public:
  /// Throws std::out_of_range of a scalar that is too large. `stream` must outlive this.
  ArgumentValues(std::vector<protocol::Argument> arguments, cudaStream_t stream);

  /// The value of each argument, as ContractEntry::invoke takes them. A stage may change the values
  /// that it gets, so they are made anew for each call.
  void* const* slots();

 private:
  struct Value {
    void* pointer = nullptr;
    Scratch scratch{};
    cudaStream_t stream = nullptr;
    alignas(16) std::byte scalar[16]{};
  };

  std::vector<protocol::Argument> arguments_;
  cudaStream_t stream_;
  std::vector<Value> values_;
  std::vector<void*> slots_;
};

}  // namespace gridstride::runner
