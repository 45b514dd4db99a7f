// Allocation, on the device and of pinned host memory.
#include <cstdlib>
#include <memory>
#include <utility>

#include "common/simulator/device/errors.h"
#include "common/simulator/runtime/runtime.h"

using namespace gridstride::sim;

namespace {

constexpr std::size_t host_alignment = 4096;
constexpr std::size_t pitch_unit = 512;  // as the real runtime rounds rows

void* allocate(Runtime& runtime, std::size_t bytes) {
  if (bytes == 0) return nullptr;  // as the real one: success and no memory
  const DeviceAddress address = runtime.device().allocate(bytes);
  runtime.allocations.insert(address);
  return reinterpret_cast<void*>(address);
}

void release(Runtime& runtime, void* pointer) {
  if (pointer == nullptr) return;
  runtime.device().release(address_of(pointer));
  runtime.allocations.erase(address_of(pointer));
}

void* allocate_host(Runtime& runtime, std::size_t bytes, unsigned flags) {
  runtime.device();
  if (bytes == 0) return nullptr;
  constexpr std::size_t most = std::size_t{1} << 46;
  void* memory = bytes > most
                     ? nullptr
                     : std::aligned_alloc(host_alignment, (bytes + host_alignment - 1) /
                                                              host_alignment * host_alignment);
  if (memory == nullptr) {
    throw DeviceError(error_memory_allocation, false,
                      std::to_string(bytes) + " bytes of host memory are not to be had");
  }
  runtime.host_memory[static_cast<std::byte*>(memory)] = {
      .bytes = bytes, .flags = flags, .registered = false};
  return memory;
}

/// Removes the book entry of an allocation that starts at `pointer`.
void forget_host(Runtime& runtime, const void* pointer, bool registered, int otherwise) {
  const auto found = runtime.host_memory.find(static_cast<const std::byte*>(pointer));
  if (found == runtime.host_memory.end() || found->second.registered != registered) {
    throw DeviceError(otherwise, false, "this is not the start of pinned host memory");
  }
  runtime.host_memory.erase(found);
}

template <class T>
T& required(T* place) {
  if (place == nullptr) invalid("no place for the result");
  return *place;
}

}  // namespace

cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
  return guarded("cudaMalloc",
                 [&](Runtime& runtime) { required(pointer) = allocate(runtime, bytes); });
}

cudaError_t cudaFree(void* pointer) {
  return guarded("cudaFree", [&](Runtime& runtime) {
    // Programs call cudaFree(0) to start the device.
    if (pointer == nullptr) {
      runtime.synchronize({});
    } else {
      release(runtime, pointer);
    }
  });
}

cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t stream) {
  return guarded("cudaMallocAsync", [&](Runtime& runtime) {
    runtime.stream(stream);
    required(pointer) = allocate(runtime, bytes);
  });
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  return guarded("cudaFreeAsync", [&](Runtime& runtime) {
    runtime.stream(stream);
    release(runtime, pointer);
  });
}

cudaError_t cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width,
                            std::size_t height) {
  return guarded("cudaMallocPitch", [&](Runtime& runtime) {
    constexpr std::size_t most = std::size_t{1} << 31;
    if (width > most || height > most) invalid("more than 2^31 rows or bytes in a row");
    const std::size_t row = (width + pitch_unit - 1) / pitch_unit * pitch_unit;
    required(pointer) = allocate(runtime, row * height);
    required(pitch) = row;
  });
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* pointer, cudaExtent extent) {
  return guarded("cudaMalloc3D", [&](Runtime& runtime) {
    constexpr std::size_t most = std::size_t{1} << 20;
    if (extent.width > most || extent.height > most || extent.depth > most) {
      invalid("more than 2^20 bytes in a row, rows or slices");
    }
    const std::size_t row = (extent.width + pitch_unit - 1) / pitch_unit * pitch_unit;
    cudaPitchedPtr& out = required(pointer);
    out.ptr = allocate(runtime, row * extent.height * extent.depth);
    out.pitch = row;
    out.xsize = extent.width;
    out.ysize = extent.height;
  });
}

cudaError_t cudaMallocHost(void** pointer, std::size_t bytes) {
  return guarded("cudaMallocHost", [&](Runtime& runtime) {
    required(pointer) = allocate_host(runtime, bytes, cudaHostAllocDefault);
  });
}

cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
  return guarded("cudaHostAlloc", [&](Runtime& runtime) {
    required(pointer) = allocate_host(runtime, bytes, flags);
  });
}

cudaError_t cudaFreeHost(void* pointer) {
  return guarded("cudaFreeHost", [&](Runtime& runtime) {
    if (pointer == nullptr) return;
    forget_host(runtime, pointer, false, error_invalid_value);
    std::free(pointer);
  });
}

cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags) {
  return guarded("cudaHostRegister", [&](Runtime& runtime) {
    if (pointer == nullptr || bytes == 0) invalid("no memory to register");
    const bool known = runtime.find_host(pointer) != runtime.host_memory.end();
    if (known) {
      throw DeviceError(cudaErrorHostMemoryAlreadyRegistered, false,
                        "this host memory is registered already");
    }
    runtime.host_memory[static_cast<std::byte*>(pointer)] = {
        .bytes = bytes, .flags = flags, .registered = true};
  });
}

cudaError_t cudaHostUnregister(void* pointer) {
  return guarded("cudaHostUnregister", [&](Runtime& runtime) {
    forget_host(runtime, pointer, true, cudaErrorHostMemoryNotRegistered);
  });
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* pointer) {
  return guarded("cudaHostGetFlags", [&](Runtime& runtime) {
    const auto found = runtime.find_host(pointer);
    if (found == runtime.host_memory.end()) invalid("this is not pinned host memory");
    required(flags) = found->second.flags;
  });
}

cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total) {
  return guarded("cudaMemGetInfo", [&](Runtime& runtime) {
    const auto [available, all] = runtime.device().memory();
    required(free_bytes) = available;
    required(total) = all;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  return guarded("cudaPointerGetAttributes", [&](Runtime& runtime) {
    cudaPointerAttributes& out = required(attributes);
    out = {};
    out.type = cudaMemoryTypeUnregistered;
    out.hostPointer = const_cast<void*>(pointer);
    if (Runtime::is_device_pointer(pointer)) {
      if (!runtime.device().is_device_address(address_of(pointer))) {
        invalid("nothing is allocated at this device address");
      }
      out.type = cudaMemoryTypeDevice;
      out.devicePointer = std::exchange(out.hostPointer, nullptr);
    } else if (runtime.find_host(pointer) != runtime.host_memory.end()) {
      out.type = cudaMemoryTypeHost;
    }
  });
}
