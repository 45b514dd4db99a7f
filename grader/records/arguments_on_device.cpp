// Allocates, fills and copies the arguments of a call.
#include "grader/records/arguments_on_device.h"

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "grader/runner/cuda_call.h"

namespace gridstride::runner {

namespace {

/// What the memory holds counts as undefined. Only the simulated runtime can be told:
/// runtime/api/api_grading.cpp.
void forget(std::byte* memory, std::uint64_t bytes) {
  using Forget = cudaError_t (*)(void*, std::size_t);
  static const auto call = reinterpret_cast<Forget>(dlsym(RTLD_DEFAULT, "cudaGridstrideForget"));
  if (call != nullptr) check(call(memory, bytes));
}

}  // namespace

ArgumentsOnDevice::ArgumentsOnDevice(std::vector<Allocation> allocations, cudaStream_t stream)
    : allocations_(std::move(allocations)), stream_(stream) {
  std::vector<protocol::Argument> arguments;
  for (const Allocation& allocation : allocations_) {
    const bool pointer =
        allocation.kind != ArgumentKind::scalar && allocation.kind != ArgumentKind::stream;
    void* memory = nullptr;
    if (pointer && allocation.total() != 0) check(cudaMalloc(&memory, allocation.total()));
    memory_.emplace_back(static_cast<std::byte*>(memory));
    const std::uint64_t data =
        memory != nullptr ? reinterpret_cast<std::uint64_t>(memory) + allocation.data_begin() : 0;
    arguments.push_back({allocation.kind, data, allocation.bytes, allocation.value});
  }
  values_.emplace(std::move(arguments), stream_);
}

std::byte* ArgumentsOnDevice::locate(std::uint32_t argument, std::uint64_t offset,
                                     std::uint64_t count) const {
  if (argument >= allocations_.size() || !memory_[argument])
    throw std::out_of_range("no such argument in device memory");
  const std::uint64_t total = allocations_[argument].total();
  if (offset > total || count > total - offset)
    throw std::out_of_range("outside the argument's memory");
  return memory_[argument].get() + offset;
}

void ArgumentsOnDevice::fill(std::uint32_t argument, std::uint8_t byte) {
  if (argument < memory_.size() && !memory_[argument]) return;  // no bytes, nothing to fill
  const std::uint64_t total = argument < allocations_.size() ? allocations_[argument].total() : 0;
  std::byte* const memory = locate(argument, 0, total);
  check(cudaMemsetAsync(memory, byte, total, stream_));
  forget(memory, total);
}

void ArgumentsOnDevice::write(std::uint32_t argument, std::uint64_t offset,
                              std::span<const std::byte> bytes) {
  check(cudaMemcpyAsync(locate(argument, offset, bytes.size()), bytes.data(), bytes.size(),
                        cudaMemcpyHostToDevice, stream_));
  check(cudaStreamSynchronize(stream_));
}

}  // namespace gridstride::runner
