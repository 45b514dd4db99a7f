// Copies and fills of plain memory; of regions: api_pitched.cpp.
#include <cstddef>

#include "common/simulator/runtime/runtime.h"
#include "common/simulator/runtime/work.h"

using namespace gridstride::sim;

namespace {

void copy(Runtime& runtime, void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
          cudaStream_t stream) {
  submit(runtime, stream, plain_copy(to, from, bytes, kind));
}

}  // namespace

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return guarded("cudaMemcpy", [&](Runtime& runtime) {
    runtime.captures.forbid_unsafe();
    copy(runtime, to, from, bytes, kind, nullptr);
    runtime.synchronize(runtime.stream(nullptr));
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
    runtime.captures.forbid_unsafe();
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
  return guarded("cudaMemset",
                 [&](Runtime& runtime) { submit(runtime, nullptr, plain_fill(to, value, bytes)); });
}

cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
  return guarded("cudaMemsetAsync",
                 [&](Runtime& runtime) { submit(runtime, stream, plain_fill(to, value, bytes)); });
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes,
                               std::size_t offset, cudaMemcpyKind kind) {
  return guarded("cudaMemcpyToSymbol", [&](Runtime& runtime) {
    runtime.captures.forbid_unsafe();
    copy(runtime, place_in(runtime, symbol, offset, bytes), from, bytes, kind, nullptr);
    runtime.synchronize(runtime.stream(nullptr));
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
    runtime.captures.forbid_unsafe();
    copy(runtime, to, place_in(runtime, symbol, offset, bytes), bytes, kind, nullptr);
    runtime.synchronize(runtime.stream(nullptr));
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
