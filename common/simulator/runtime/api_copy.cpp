// Copies and fills of plain memory; of boxes: api_box.cpp.
#include <cstring>

#include "common/simulator/runtime/runtime.h"

using namespace gridstride::sim;

namespace {

/// Which of the two ends are on the device.
struct Direction {
  bool from_device = false, to_device = false;
};

/// An end that `kind` places on the device must be there; where it says host, a device pointer
/// serves as well, as it does on a GPU.
Direction direction_of(const void* to, const void* from, cudaMemcpyKind kind) {
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) {
    throw DeviceError(cudaErrorInvalidMemcpyDirection, false, "this is not a direction");
  }
  const Direction actual{.from_device = Runtime::is_device_pointer(from),
                         .to_device = Runtime::is_device_pointer(to)};
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  if (to_device && !actual.to_device) {
    invalid("the direction says that the destination is on the device, but it is a host pointer");
  }
  if (from_device && !actual.from_device) {
    invalid("the direction says that the source is on the device, but it is a host pointer");
  }
  return actual;
}

void copy(Runtime& runtime, void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
          cudaStream_t stream) {
  const StreamId id = runtime.stream(stream);
  Device& device = runtime.device();
  if (bytes == 0) return;
  to = runtime.pinned.host_pointer(to);
  from = runtime.pinned.host_pointer(const_cast<void*>(from));
  runtime.give_managed(to, id);
  runtime.give_managed(from, id);
  const Direction direction = direction_of(to, from, kind);
  auto* to_bytes = static_cast<std::byte*>(to);
  const auto* from_bytes = static_cast<const std::byte*>(from);
  if (direction.to_device && direction.from_device) {
    device.copy(address_of(to), address_of(from), bytes, id);
  } else if (direction.to_device) {
    device.write(address_of(to), {from_bytes, bytes}, id);
  } else if (direction.from_device) {
    device.read({to_bytes, bytes}, address_of(from), id);
  } else {
    std::memmove(to, from, bytes);
  }
}

void fill(Runtime& runtime, void* to, int value, std::size_t bytes, cudaStream_t stream) {
  const StreamId id = runtime.stream(stream);
  if (bytes == 0) return;
  to = runtime.pinned.host_pointer(to);
  if (runtime.pinned.find(to) != nullptr) {
    std::memset(to, value, bytes);
    return;
  }
  if (!Runtime::is_device_pointer(to)) invalid("the destination is a host pointer");
  runtime.give_managed(to, id);
  runtime.device().fill(address_of(to), static_cast<std::uint32_t>(value), 1, bytes, id);
}

/// Address of [offset, offset + bytes) in a variable.
void* place_in(Runtime& runtime, const void* symbol, std::size_t offset, std::size_t bytes) {
  const SymbolInfo info = runtime.modules().variable(runtime.device(), symbol);
  if (offset > info.size || bytes > info.size - offset) {
    invalid(std::to_string(bytes) + " bytes at offset " + std::to_string(offset) + " of " +
            info.name + ", which has " + std::to_string(info.size));
  }
  return reinterpret_cast<void*>(info.address + offset);
}

}  // namespace

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return guarded("cudaMemcpy", [&](Runtime& runtime) {
    copy(runtime, to, from, bytes, kind, nullptr);
    runtime.synchronize(StreamId{0});
  });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return guarded("cudaMemcpyAsync",
                 [&](Runtime& runtime) { copy(runtime, to, from, bytes, kind, stream); });
}

namespace {

void check_peers(int to, int from) {
  if (to == 0 && from == 0) return;
  throw DeviceError(cudaErrorInvalidDevice, false, "the simulated GPU is device 0");
}

}  // namespace

cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device,
                           std::size_t bytes) {
  return guarded("cudaMemcpyPeer", [&](Runtime& runtime) {
    check_peers(to_device, from_device);
    copy(runtime, to, from, bytes, cudaMemcpyDeviceToDevice, nullptr);
  });
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                std::size_t bytes, cudaStream_t stream) {
  return guarded("cudaMemcpyPeerAsync", [&](Runtime& runtime) {
    check_peers(to_device, from_device);
    copy(runtime, to, from, bytes, cudaMemcpyDeviceToDevice, stream);
  });
}

cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
  return guarded("cudaMemset", [&](Runtime& runtime) { fill(runtime, to, value, bytes, nullptr); });
}

cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
  return guarded("cudaMemsetAsync",
                 [&](Runtime& runtime) { fill(runtime, to, value, bytes, stream); });
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes,
                               std::size_t offset, cudaMemcpyKind kind) {
  return guarded("cudaMemcpyToSymbol", [&](Runtime& runtime) {
    copy(runtime, place_in(runtime, symbol, offset, bytes), from, bytes, kind, nullptr);
    runtime.synchronize(StreamId{0});
  });
}

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t bytes,
                                    std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
  return guarded("cudaMemcpyToSymbolAsync", [&](Runtime& runtime) {
    copy(runtime, place_in(runtime, symbol, offset, bytes), from, bytes, kind, stream);
  });
}

cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes,
                                 std::size_t offset, cudaMemcpyKind kind) {
  return guarded("cudaMemcpyFromSymbol", [&](Runtime& runtime) {
    copy(runtime, to, place_in(runtime, symbol, offset, bytes), bytes, kind, nullptr);
    runtime.synchronize(StreamId{0});
  });
}

cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t bytes,
                                      std::size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t stream) {
  return guarded("cudaMemcpyFromSymbolAsync", [&](Runtime& runtime) {
    copy(runtime, to, place_in(runtime, symbol, offset, bytes), bytes, kind, stream);
  });
}

cudaError_t cudaGetSymbolAddress(void** pointer, const void* symbol) {
  return guarded("cudaGetSymbolAddress", [&](Runtime& runtime) {
    if (pointer == nullptr) invalid("no place for the address");
    *pointer = place_in(runtime, symbol, 0, 0);
  });
}

cudaError_t cudaGetSymbolSize(std::size_t* bytes, const void* symbol) {
  return guarded("cudaGetSymbolSize", [&](Runtime& runtime) {
    if (bytes == nullptr) invalid("no place for the size");
    *bytes = runtime.modules().variable(runtime.device(), symbol).size;
  });
}
