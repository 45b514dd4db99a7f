// Allocates, fills and copies the arguments of a call.
#include "grader/runner/arguments_on_device.h"

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "grader/runner/cuda_call.h"

namespace gridstride::runner {

namespace {

// What only the simulated runtime can be told: runtime/api/api_grading.cpp.

/// What the memory holds counts as undefined.
void forget(std::byte* memory, std::uint64_t bytes) {
  using Forget = cudaError_t (*)(void*, std::size_t);
  static const auto call = reinterpret_cast<Forget>(dlsym(RTLD_DEFAULT, "cudaGridstrideForget"));
  if (call != nullptr) check(call(memory, bytes));
}

/// Messages about the memory name the argument that it is for.
void note_maker(void* memory, const std::string& argument) {
  using Note = cudaError_t (*)(void*, const char*);
  static const auto call = reinterpret_cast<Note>(dlsym(RTLD_DEFAULT, "cudaGridstrideNoteMaker"));
  const std::string maker =
      argument.empty() ? "by the grader" : "by the grader for the argument " + argument;
  if (call != nullptr) check(call(memory, maker.c_str()));
}

}  // namespace

ArgumentsOnDevice::ArgumentsOnDevice(std::vector<protocol::Allocation> allocations,
                                     cudaStream_t stream)
    : allocations_(std::move(allocations)), stream_(stream) {
  for (const protocol::Allocation& allocation : allocations_) {
    const bool pointer =
        allocation.kind != ArgumentKind::scalar && allocation.kind != ArgumentKind::stream;
    if (allocation.value.size() > sizeof Slot::scalar)
      throw std::out_of_range("a scalar that is too large");
    void* memory = nullptr;
    if (pointer && allocation.total() != 0) {
      check(cudaMalloc(&memory, allocation.total()));
      note_maker(memory, allocation.name);
    }
    memory_.emplace_back(static_cast<std::byte*>(memory));
  }
  values_.resize(allocations_.size());
  slots_.resize(allocations_.size());
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

std::vector<std::byte> ArgumentsOnDevice::read(std::uint32_t argument, std::uint64_t offset,
                                               std::uint64_t count) {
  if (count > protocol::max_bulk_bytes) throw std::out_of_range("too much at once");
  std::vector<std::byte> bytes(count);
  check(cudaMemcpyAsync(bytes.data(), locate(argument, offset, count), count,
                        cudaMemcpyDeviceToHost, stream_));
  check(cudaStreamSynchronize(stream_));
  return bytes;
}

void* const* ArgumentsOnDevice::slots() {
  for (std::size_t i = 0; i < allocations_.size(); ++i) {
    const protocol::Allocation& allocation = allocations_[i];
    Slot& slot = values_[i];
    std::byte* data = memory_[i] ? memory_[i].get() + allocation.data_begin() : nullptr;
    switch (allocation.kind) {
      case ArgumentKind::input:
      case ArgumentKind::output:
        slot.pointer = data;
        slots_[i] = &slot.pointer;
        break;
      case ArgumentKind::scratch:
        slot.scratch = {allocation.bytes == 0 ? nullptr : data, allocation.bytes};
        slots_[i] = &slot.scratch;
        break;
      case ArgumentKind::stream:
        slot.stream = stream_;
        slots_[i] = &slot.stream;
        break;
      case ArgumentKind::scalar:
        std::memcpy(slot.scalar, allocation.value.data(), allocation.value.size());
        slots_[i] = slot.scalar;
        break;
    }
  }
  return slots_.data();
}

}  // namespace gridstride::runner
