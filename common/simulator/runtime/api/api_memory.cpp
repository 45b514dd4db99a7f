// Allocation on the device, and what pointers point to. Pinned memory: api_pinned.cpp.
#include <cstddef>

#include "common/simulator/base/round_up.h"
#include "common/simulator/runtime/runtime.h"

using namespace gridstride::sim;

namespace {

constexpr std::size_t pitch_unit = 512;  // as the real runtime rounds rows

void* allocate(Runtime& runtime, std::size_t bytes) {
  if (bytes == 0) return nullptr;  // as the real one: success and no memory
  const DeviceAddress address = runtime.device().allocate(bytes);
  runtime.allocations.insert(address);
  return reinterpret_cast<void*>(address);
}

}  // namespace

cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
  return guarded("cudaMalloc", [&](Runtime& runtime) {
    void*& out = null_at(pointer);
    runtime.captures.forbid_unsafe();
    out = allocate(runtime, bytes);
  });
}

cudaError_t cudaFree(void* pointer) {
  return guarded("cudaFree", [&](Runtime& runtime) {
    runtime.captures.forbid_unsafe();
    // Programs call cudaFree(0) to start the device.
    if (pointer == nullptr) {
      runtime.synchronize({});
    } else {
      runtime.free(pointer);
    }
  });
}

cudaError_t cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width,
                            std::size_t height) {
  return guarded("cudaMallocPitch", [&](Runtime& runtime) {
    void*& out = null_at(pointer);
    runtime.captures.forbid_unsafe();
    constexpr std::size_t most = std::size_t{1} << 31;
    if (width > most || height > most) invalid("more than 2^31 rows or bytes in a row");
    const std::size_t row = round_up(width, pitch_unit);
    out = allocate(runtime, row * height);
    required(pitch) = row;
  });
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* pointer, cudaExtent extent) {
  return guarded("cudaMalloc3D", [&](Runtime& runtime) {
    runtime.captures.forbid_unsafe();
    constexpr std::size_t most = std::size_t{1} << 20;
    if (extent.width > most || extent.height > most || extent.depth > most) {
      invalid("more than 2^20 bytes in a row, rows or slices");
    }
    const std::size_t row = round_up(extent.width, pitch_unit);
    cudaPitchedPtr& out = required(pointer);
    out.ptr = nullptr;
    out.ptr = allocate(runtime, row * extent.height * extent.depth);
    out.pitch = row;
    out.xsize = extent.width;
    out.ysize = extent.height;
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
    out.hostPointer = runtime.pinned.host_pointer(const_cast<void*>(pointer));
    pointer = out.hostPointer;
    if (Runtime::is_device_pointer(pointer)) {
      if (!runtime.device().is_device_address(address_of(pointer))) {
        invalid("nothing is allocated at this device address");
      }
      out.devicePointer = out.hostPointer;
      if (runtime.managed.holds(address_of(pointer))) {
        out.type = cudaMemoryTypeManaged;
      } else {
        out.type = cudaMemoryTypeDevice;
        out.hostPointer = nullptr;
      }
    } else if (runtime.pinned.find(pointer) != nullptr) {
      out.type = cudaMemoryTypeHost;
      out.devicePointer =
          reinterpret_cast<void*>(runtime.pinned.device_pointer(runtime.device(), pointer));
    }
  });
}
