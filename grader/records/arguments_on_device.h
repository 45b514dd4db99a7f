// The arguments of a saved call, in device memory that this process makes and fills. Where stages are
// graded, the device process does that, and tells nobody but the judge.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "grader/runner/allocation.h"
#include "grader/runner/argument_values.h"
#include "grader/runner/arguments.h"

namespace gridstride::runner {

/// Owns one allocation for each pointer argument. Every copy and fill goes to the stage's own
/// stream, so that what the stage left on another stream is not waited for by accident.
class ArgumentsOnDevice {
 public:
  /// Allocates; throws CudaError. `stream` must outlive this.
  ArgumentsOnDevice(std::vector<Allocation> allocations, cudaStream_t stream);

  void fill(std::uint32_t argument, std::uint8_t byte);
  void write(std::uint32_t argument, std::uint64_t offset, std::span<const std::byte> bytes);
  /// See ArgumentValues.
  void* const* slots() { return values_->slots(); }

 private:
  struct Release {
    void operator()(std::byte* memory) const { cudaFree(memory); }
  };

  /// Start of the bytes asked for; throws std::out_of_range when they do not lie in the allocation.
  std::byte* locate(std::uint32_t argument, std::uint64_t offset, std::uint64_t count) const;

  std::vector<Allocation> allocations_;
  cudaStream_t stream_;
  std::vector<std::unique_ptr<std::byte, Release>> memory_;
  std::optional<ArgumentValues> values_;
};

}  // namespace gridstride::runner
