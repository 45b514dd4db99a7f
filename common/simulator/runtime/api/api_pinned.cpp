// Pinned host memory.
#include <cstddef>

#include "common/simulator/runtime/runtime.h"

using namespace gridstride::sim;

namespace {

constexpr unsigned known_flags =
    cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;

void* allocate(Runtime& runtime, std::size_t bytes, unsigned flags) {
  if ((flags & ~known_flags) != 0) invalid("unknown flags");
  runtime.captures.forbid_unsafe();
  Device& device = runtime.device();
  if (bytes == 0) return nullptr;
  return runtime.pinned.allocate(device, bytes, flags, (flags & cudaHostAllocMapped) != 0);
}

}  // namespace

cudaError_t cudaMallocHost(void** pointer, std::size_t bytes) {
  return guarded("cudaMallocHost", [&](Runtime& runtime) {
    void*& out = null_at(pointer);
    out = allocate(runtime, bytes, cudaHostAllocDefault);
  });
}

cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
  return guarded("cudaHostAlloc", [&](Runtime& runtime) {
    void*& out = null_at(pointer);
    out = allocate(runtime, bytes, flags);
  });
}

cudaError_t cudaFreeHost(void* pointer) {
  return guarded("cudaFreeHost", [&](Runtime& runtime) {
    runtime.captures.forbid_unsafe();
    if (pointer == nullptr) return;
    const PinnedMemory::Block* block = runtime.pinned.starting_at(pointer);
    if (block == nullptr || block->registered) {
      invalid("this is not the start of memory from cudaMallocHost or cudaHostAlloc");
    }
    runtime.pinned.remove(runtime.device(), pointer);
  });
}

cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags) {
  return guarded("cudaHostRegister", [&](Runtime& runtime) {
    if (pointer == nullptr || bytes == 0) invalid("no memory to register");
    runtime.device();
    if (Runtime::is_device_pointer(pointer)) invalid("this is memory of the device");
    const auto* last = static_cast<const std::byte*>(pointer) + bytes - 1;
    if (runtime.pinned.find(pointer) != nullptr || runtime.pinned.find(last) != nullptr) {
      throw DeviceError(cudaErrorHostMemoryAlreadyRegistered, false,
                        "this host memory is registered already");
    }
    runtime.pinned.add_registered(pointer, bytes, flags);
  });
}

cudaError_t cudaHostUnregister(void* pointer) {
  return guarded("cudaHostUnregister", [&](Runtime& runtime) {
    const PinnedMemory::Block* block = runtime.pinned.starting_at(pointer);
    if (block == nullptr || !block->registered) {
      throw DeviceError(cudaErrorHostMemoryNotRegistered, false,
                        "this is not the start of registered host memory");
    }
    runtime.pinned.remove(runtime.device(), pointer);
  });
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* pointer) {
  return guarded("cudaHostGetFlags", [&](Runtime& runtime) {
    const PinnedMemory::Block* block = runtime.pinned.find(pointer);
    if (block == nullptr) invalid("this is not pinned host memory");
    required(flags) = block->flags;
  });
}

cudaError_t cudaHostGetDevicePointer(void** device_pointer, void* pointer, unsigned flags) {
  return guarded("cudaHostGetDevicePointer", [&](Runtime& runtime) {
    if (flags != 0) invalid("unknown flags");
    if (runtime.pinned.find(pointer) == nullptr) invalid("this is not pinned host memory");
    required(device_pointer) =
        reinterpret_cast<void*>(runtime.pinned.device_pointer(runtime.device(), pointer));
  });
}
