// Copies and fills of boxes: rows and slices of memory, parts of CUDA arrays.
#include <algorithm>
#include <cstring>

#include "common/simulator/runtime/arrays.h"
#include "common/simulator/runtime/runtime.h"

namespace gridstride::sim {
namespace {

bool on_device(const BoxEnd& end) {
  return end.array != nullptr || Runtime::is_device_pointer(end.memory);
}

/// An end that `kind` places on the device must be there; an array is nowhere else. Where it says
/// host, a device pointer serves as well, as it does on a GPU.
void check_direction(const BoxEnd& to, const BoxEnd& from, cudaMemcpyKind kind) {
  const auto wrong = [](const char* why) {
    throw DeviceError(cudaErrorInvalidMemcpyDirection, false, why);
  };
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) wrong("this is not a direction");
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  if (kind != cudaMemcpyDefault && ((to.array && !to_device) || (from.array && !from_device))) {
    wrong("the direction says host for an array, which is on the device");
  }
  if (to_device && !on_device(to)) {
    invalid("the direction says that the destination is on the device, but it is a host pointer");
  }
  if (from_device && !on_device(from)) {
    invalid("the direction says that the source is on the device, but it is a host pointer");
  }
}

void check_memory(const BoxEnd& end, const BoxSize& size) {
  if (end.array) return;
  if (end.memory == nullptr) invalid("a null pointer");
  if (size.width > end.pitch && (size.height > 1 || size.depth > 1 || end.pitch != 0)) {
    throw DeviceError(cudaErrorInvalidPitchValue, false, "a row is wider than the pitch");
  }
  if (size.depth > 1 && size.height > end.rows) invalid("a slice has fewer rows than the copy");
}

BoxPlace place_of(const BoxEnd& end) {
  BoxPlace place;
  if (end.array) {
    place.array = end.array->id;
    place.x = end.x, place.y = end.y, place.z = end.z;
  } else {
    place.address = address_of(end.memory);
    place.pitch = end.pitch, place.rows = end.rows;
  }
  return place;
}

/// Rows on the host, one after the other: row(bytes, offset in the dense box).
template <class Row>
void for_each_row(const BoxEnd& end, const BoxSize& size, Row&& row) {
  auto* first = static_cast<std::byte*>(end.memory);
  for (std::size_t z = 0; z < size.depth; ++z) {
    for (std::size_t y = 0; y < size.height; ++y) {
      row(first + (z * end.rows + y) * end.pitch, (z * size.height + y) * size.width);
    }
  }
}

bool is_dense(const BoxEnd& end, const BoxSize& size) {
  const bool rows = size.height == 1 && size.depth == 1;
  return rows || (end.pitch == size.width && (size.depth == 1 || end.rows == size.height));
}

std::size_t bytes_of(const BoxSize& size) {
  constexpr std::uint64_t most = std::uint64_t{1} << 46;
  if (size.width > most || size.height > most / size.width ||
      size.depth > most / size.width / size.height) {
    invalid("a copy of more bytes than there are");
  }
  return size.width * size.height * size.depth;
}

void write(Device& device, const BoxEnd& to, const BoxEnd& from, const BoxSize& size,
           StreamId stream) {
  const std::size_t bytes = bytes_of(size);
  if (is_dense(from, size)) {
    device.write_box(place_of(to), size, {static_cast<const std::byte*>(from.memory), bytes},
                     stream);
    return;
  }
  std::vector<std::byte> dense(bytes);
  for_each_row(from, size, [&](const std::byte* row, std::size_t at) {
    std::memcpy(dense.data() + at, row, size.width);
  });
  device.write_box(place_of(to), size, dense, stream);
}

void read(Device& device, const BoxEnd& to, const BoxEnd& from, const BoxSize& size,
          StreamId stream) {
  const std::size_t bytes = bytes_of(size);
  if (is_dense(to, size)) {
    device.read_box({static_cast<std::byte*>(to.memory), bytes}, place_of(from), size, stream);
    return;
  }
  std::vector<std::byte> dense(bytes);
  device.read_box(dense, place_of(from), size, stream);
  for_each_row(to, size, [&](std::byte* row, std::size_t at) {
    std::memcpy(row, dense.data() + at, size.width);
  });
}

void move_on_host(const BoxEnd& to, const BoxEnd& from, const BoxSize& size) {
  std::vector<std::byte> dense(bytes_of(size));
  for_each_row(from, size, [&](const std::byte* row, std::size_t at) {
    std::memcpy(dense.data() + at, row, size.width);
  });
  for_each_row(to, size, [&](std::byte* row, std::size_t at) {
    std::memcpy(row, dense.data() + at, size.width);
  });
}

}  // namespace

void copy_box(Runtime& runtime, BoxEnd to, BoxEnd from, const BoxSize& size, cudaMemcpyKind kind,
              cudaStream_t stream) {
  const StreamId id = runtime.stream(stream);
  Device& device = runtime.device();
  if (size.empty()) return;
  for (BoxEnd* end : {&to, &from}) {
    if (end->array != nullptr) continue;
    end->memory = runtime.pinned.host_pointer(end->memory);
    runtime.give_managed(end->memory, id);
  }
  check_memory(to, size);
  check_memory(from, size);
  check_direction(to, from, kind);
  if (on_device(to) && on_device(from)) {
    device.copy_box(place_of(to), place_of(from), size, id);
  } else if (on_device(to)) {
    write(device, to, from, size, id);
  } else if (on_device(from)) {
    read(device, to, from, size, id);
  } else {
    move_on_host(to, from, size);
  }
}

}  // namespace gridstride::sim

using namespace gridstride::sim;

namespace {

BoxEnd rows_at(const void* memory, std::size_t pitch) {
  BoxEnd end;
  end.memory = const_cast<void*>(memory);
  end.pitch = pitch;
  return end;
}

void fill(Runtime& runtime, const BoxEnd& to, int value, const BoxSize& size, cudaStream_t stream) {
  const StreamId id = runtime.stream(stream);
  if (size.empty()) return;
  check_memory(to, size);
  if (!on_device(to)) invalid("the destination is a host pointer");
  runtime.give_managed(to.memory, id);
  runtime.device().fill_box(place_of(to), size, static_cast<std::uint8_t>(value), id);
}

BoxEnd pitched(const cudaPitchedPtr& pointer) {
  BoxEnd end = rows_at(pointer.ptr, pointer.pitch);
  end.rows = pointer.ysize;
  return end;
}

void fill_3d(Runtime& runtime, const cudaPitchedPtr& to, int value, const cudaExtent& extent,
             cudaStream_t stream) {
  fill(runtime, pitched(to), value, {extent.width, extent.height, extent.depth}, stream);
}

/// One end of cudaMemcpy3D: positions are in texels for arrays, in bytes for memory.
BoxEnd end_of(Runtime& runtime, cudaArray_const_t array, const cudaPitchedPtr& pointer,
              const cudaPos& position) {
  if ((array != nullptr) == (pointer.ptr != nullptr)) {
    invalid("each end of a copy is either an array or a pointer");
  }
  if (array != nullptr) {
    BoxEnd end;
    end.array = &runtime.arrays.find(array);
    end.x = position.x * end.array->texel_bytes();
    end.y = position.y, end.z = position.z;
    return end;
  }
  BoxEnd end = pitched(pointer);
  const std::size_t rows = position.z * pointer.ysize + position.y;
  end.memory = static_cast<std::byte*>(end.memory) + rows * pointer.pitch + position.x;
  return end;
}

void copy_3d(Runtime& runtime, const cudaMemcpy3DParms* what, cudaStream_t stream) {
  if (what == nullptr) invalid("no description of the copy");
  const BoxEnd to = end_of(runtime, what->dstArray, what->dstPtr, what->dstPos);
  const BoxEnd from = end_of(runtime, what->srcArray, what->srcPtr, what->srcPos);
  std::size_t unit = 1;
  if (to.array) unit = to.array->texel_bytes();
  if (from.array) unit = from.array->texel_bytes();
  if (to.array && unit != to.array->texel_bytes()) invalid("arrays of texels of different sizes");
  constexpr std::size_t most = std::size_t{1} << 40;
  if (what->extent.width > most) invalid("a copy of more bytes than there are");
  const BoxSize size{what->extent.width * unit, what->extent.height, what->extent.depth};
  copy_box(runtime, to, from, size, what->kind, stream);
}

void copy_3d_peer(Runtime& runtime, const cudaMemcpy3DPeerParms* what, cudaStream_t stream) {
  if (what == nullptr) invalid("no description of the copy");
  if (what->srcDevice != 0 || what->dstDevice != 0) {
    throw DeviceError(cudaErrorInvalidDevice, false, "the simulated GPU is device 0");
  }
  const cudaMemcpy3DParms same{.srcArray = what->srcArray,
                               .srcPos = what->srcPos,
                               .srcPtr = what->srcPtr,
                               .dstArray = what->dstArray,
                               .dstPos = what->dstPos,
                               .dstPtr = what->dstPtr,
                               .extent = what->extent,
                               .kind = cudaMemcpyDefault};
  copy_3d(runtime, &same, stream);
}

}  // namespace

cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  return guarded("cudaMemcpy2D", [&](Runtime& runtime) {
    copy_box(runtime, rows_at(to, to_pitch), rows_at(from, from_pitch), {width, height, 1}, kind,
             nullptr);
    runtime.synchronize(StreamId{0});
  });
}

cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                              std::size_t from_pitch, std::size_t width, std::size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream) {
  return guarded("cudaMemcpy2DAsync", [&](Runtime& runtime) {
    copy_box(runtime, rows_at(to, to_pitch), rows_at(from, from_pitch), {width, height, 1}, kind,
             stream);
  });
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* what) {
  return guarded("cudaMemcpy3D", [&](Runtime& runtime) {
    copy_3d(runtime, what, nullptr);
    runtime.synchronize(StreamId{0});
  });
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* what, cudaStream_t stream) {
  return guarded("cudaMemcpy3DAsync", [&](Runtime& runtime) { copy_3d(runtime, what, stream); });
}

cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms* what) {
  return guarded("cudaMemcpy3DPeer",
                 [&](Runtime& runtime) { copy_3d_peer(runtime, what, nullptr); });
}

cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms* what, cudaStream_t stream) {
  return guarded("cudaMemcpy3DPeerAsync",
                 [&](Runtime& runtime) { copy_3d_peer(runtime, what, stream); });
}

cudaError_t cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width,
                         std::size_t height) {
  return guarded("cudaMemset2D", [&](Runtime& runtime) {
    fill(runtime, rows_at(to, pitch), value, {width, height, 1}, nullptr);
  });
}

cudaError_t cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width,
                              std::size_t height, cudaStream_t stream) {
  return guarded("cudaMemset2DAsync", [&](Runtime& runtime) {
    fill(runtime, rows_at(to, pitch), value, {width, height, 1}, stream);
  });
}

cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent) {
  return guarded("cudaMemset3D",
                 [&](Runtime& runtime) { fill_3d(runtime, to, value, extent, nullptr); });
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent,
                              cudaStream_t stream) {
  return guarded("cudaMemset3DAsync",
                 [&](Runtime& runtime) { fill_3d(runtime, to, value, extent, stream); });
}
