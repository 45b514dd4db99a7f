// Executes copies and fills: who holds either end decides what is asked of the device.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "common/simulator/runtime/runtime.h"
#include "common/simulator/runtime/work.h"

namespace gridstride::sim {
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

void copy_plain(Runtime& runtime, const cudaMemcpy3DParms& what, StreamId stream) {
  const std::size_t bytes = what.extent.width;
  Device& device = runtime.device();
  if (bytes == 0) return;
  void* to = runtime.pinned.host_pointer(what.dstPtr.ptr);
  void* from = runtime.pinned.host_pointer(what.srcPtr.ptr);
  runtime.give_managed(to, stream);
  runtime.give_managed(from, stream);
  const Direction direction = direction_of(to, from, what.kind);
  if (direction.to_device && direction.from_device) {
    device.copy(address_of(to), address_of(from), bytes, stream);
  } else if (direction.to_device) {
    device.write(address_of(to), {static_cast<const std::byte*>(from), bytes}, stream);
  } else if (direction.from_device) {
    device.read({static_cast<std::byte*>(to), bytes}, address_of(from), stream);
  } else {
    std::memmove(to, from, bytes);
  }
}

/// On the host, where pinned memory lies.
void fill_host(std::byte* to, const FillWork& fill) {
  const cudaMemsetParams& what = fill.params;
  for (std::size_t slice = 0; slice < fill.depth; ++slice) {
    for (std::size_t row = 0; row < what.height; ++row) {
      std::byte* at = to + (slice * fill.slice_rows + row) * what.pitch;
      for (std::size_t i = 0; i < what.width; ++i) {
        std::memcpy(at + i * what.elementSize, &what.value, what.elementSize);
      }
    }
  }
}

}  // namespace

void execute_copy(Runtime& runtime, const CopyWork& copy, StreamId stream) {
  if (copy.plain) {
    copy_plain(runtime, copy.what, stream);
  } else {
    copy_region(runtime, copy.what, stream);
  }
}

void execute_fill(Runtime& runtime, const FillWork& fill, StreamId stream) {
  const cudaMemsetParams& what = fill.params;
  const RegionSize size{what.width, what.height, fill.depth};
  if (size.empty()) return;
  const unsigned element = what.elementSize;
  if (element != 1 && element != 2 && element != 4) invalid("elements have 1, 2 or 4 bytes");
  void* to = runtime.pinned.host_pointer(what.dst);
  const bool one_row = size.height == 1 && size.depth == 1;
  if (runtime.pinned.find(to) != nullptr) {
    fill_host(static_cast<std::byte*>(to), fill);
    return;
  }
  if (!Runtime::is_device_pointer(to)) invalid("the destination is a host pointer");
  if (element == 1 && !one_row) {
    RegionEnd end;
    end.memory = to;
    end.pitch = what.pitch, end.rows = fill.slice_rows;
    fill_region(runtime, end, static_cast<std::uint8_t>(what.value), size, stream);
    return;
  }
  runtime.give_managed(to, stream);
  for (std::size_t row = 0; row < size.height; ++row) {
    runtime.device().fill(address_of(to) + row * what.pitch, what.value, element, what.width,
                          stream);
  }
}

}  // namespace gridstride::sim
