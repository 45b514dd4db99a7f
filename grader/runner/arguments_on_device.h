// The arguments of the stage's call, in device memory.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "grader/runner/arguments.h"
#include "grader/runner/protocol.h"

namespace gridstride::runner {

/// Owns one allocation for each pointer argument. Every copy and fill goes to the stage's own
/// stream, so that what the stage left on another stream is not waited for by accident.
class ArgumentsOnDevice {
 public:
  /// Allocates; throws CudaError. `stream` must outlive this.
  ArgumentsOnDevice(std::vector<protocol::Allocation> allocations, cudaStream_t stream);

  void fill(std::uint32_t argument, std::uint8_t byte);
  void write(std::uint32_t argument, std::uint64_t offset, std::span<const std::byte> bytes);
  std::vector<std::byte> read(std::uint32_t argument, std::uint64_t offset, std::uint64_t count);

  std::size_t size() const { return allocations_.size(); }
  ArgumentKind kind(std::size_t argument) const { return allocations_[argument].kind; }
  /// The value of each argument, as ContractEntry::invoke takes them. A stage may change the values
  /// that it gets, so they are made anew for each call.
  void* const* slots();

 private:
  struct Release {
    void operator()(std::byte* memory) const { cudaFree(memory); }
  };
  struct Slot {
    void* pointer = nullptr;
    Scratch scratch{};
    cudaStream_t stream = nullptr;
    alignas(16) std::byte scalar[16]{};
  };

  /// Start of the bytes asked for; throws std::out_of_range when they do not lie in the allocation.
  std::byte* locate(std::uint32_t argument, std::uint64_t offset, std::uint64_t count) const;

  std::vector<protocol::Allocation> allocations_;
  cudaStream_t stream_;
  std::vector<std::unique_ptr<std::byte, Release>> memory_;
  std::vector<Slot> values_;
  std::vector<void*> slots_;
};

}  // namespace gridstride::runner
