// Copies and fills of pitched regions, executed: rows and slices of memory, parts of CUDA arrays.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "common/simulator/runtime/memory/arrays.h"
#include "common/simulator/runtime/runtime.h"

namespace gridstride::sim {
namespace {

bool on_device(const RegionEnd& end) {
  return end.array != nullptr || Runtime::is_device_pointer(end.memory);
}

/// An end that `kind` places on the device must be there; an array is nowhere else. Where it says
/// host, a device pointer serves as well, as it does on a GPU.
void check_direction(const RegionEnd& to, const RegionEnd& from, cudaMemcpyKind kind) {
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

void check_memory(const RegionEnd& end, const RegionSize& size) {
  if (end.array) return;
  if (end.memory == nullptr) invalid("a null pointer");
  if (size.width > end.pitch && (size.height > 1 || size.depth > 1 || end.pitch != 0)) {
    throw DeviceError(cudaErrorInvalidPitchValue, false, "a row is wider than the pitch");
  }
  if (size.depth > 1 && size.height > end.rows) invalid("a slice has fewer rows than the copy");
}

RegionPlace place_of(const RegionEnd& end) {
  RegionPlace place;
  if (end.array) {
    place.array = end.array->id;
    place.x = end.x, place.y = end.y, place.z = end.z;
  } else {
    place.address = address_of(end.memory);
    place.pitch = end.pitch, place.rows = end.rows;
  }
  return place;
}

/// Rows on the host, one after the other: row(bytes, offset in the dense region).
template <class Row>
void for_each_row(const RegionEnd& end, const RegionSize& size, Row&& row) {
  auto* first = static_cast<std::byte*>(end.memory);
  for (std::size_t z = 0; z < size.depth; ++z) {
    for (std::size_t y = 0; y < size.height; ++y) {
      row(first + (z * end.rows + y) * end.pitch, (z * size.height + y) * size.width);
    }
  }
}

bool is_dense(const RegionEnd& end, const RegionSize& size) {
  const bool rows = size.height == 1 && size.depth == 1;
  return rows || (end.pitch == size.width && (size.depth == 1 || end.rows == size.height));
}

std::size_t bytes_of(const RegionSize& size) {
  constexpr std::uint64_t most = std::uint64_t{1} << 46;
  if (size.width > most || size.height > most / size.width ||
      size.depth > most / size.width / size.height) {
    invalid("a copy of more bytes than there are");
  }
  return size.width * size.height * size.depth;
}

void write(Device& device, const RegionEnd& to, const RegionEnd& from, const RegionSize& size,
           StreamId stream) {
  const std::size_t bytes = bytes_of(size);
  if (is_dense(from, size)) {
    device.write_region(place_of(to), size, {static_cast<const std::byte*>(from.memory), bytes},
                        stream);
    return;
  }
  std::vector<std::byte> dense(bytes);
  for_each_row(from, size, [&](const std::byte* row, std::size_t at) {
    std::memcpy(dense.data() + at, row, size.width);
  });
  device.write_region(place_of(to), size, dense, stream);
}

void read(Device& device, const RegionEnd& to, const RegionEnd& from, const RegionSize& size,
          StreamId stream) {
  const std::size_t bytes = bytes_of(size);
  if (is_dense(to, size)) {
    device.read_region({static_cast<std::byte*>(to.memory), bytes}, place_of(from), size, stream);
    return;
  }
  std::vector<std::byte> dense(bytes);
  device.read_region(dense, place_of(from), size, stream);
  for_each_row(to, size, [&](std::byte* row, std::size_t at) {
    std::memcpy(row, dense.data() + at, size.width);
  });
}

void move_on_host(const RegionEnd& to, const RegionEnd& from, const RegionSize& size) {
  std::vector<std::byte> dense(bytes_of(size));
  for_each_row(from, size, [&](const std::byte* row, std::size_t at) {
    std::memcpy(dense.data() + at, row, size.width);
  });
  for_each_row(to, size, [&](std::byte* row, std::size_t at) {
    std::memcpy(row, dense.data() + at, size.width);
  });
}

RegionEnd pitched(const cudaPitchedPtr& pointer) {
  RegionEnd end;
  end.memory = pointer.ptr;
  end.pitch = pointer.pitch, end.rows = pointer.ysize;
  return end;
}

/// One end of cudaMemcpy3D: positions are in texels for arrays, in bytes for memory.
RegionEnd end_of(Runtime& runtime, cudaArray_const_t array, const cudaPitchedPtr& pointer,
                 const cudaPos& position) {
  if ((array != nullptr) == (pointer.ptr != nullptr)) {
    invalid("each end of a copy is either an array or a pointer");
  }
  if (array != nullptr) {
    RegionEnd end;
    end.array = &runtime.arrays.find(array);
    end.x = position.x * end.array->texel_bytes();
    end.y = position.y, end.z = position.z;
    return end;
  }
  RegionEnd end = pitched(pointer);
  const std::size_t rows = position.z * pointer.ysize + position.y;
  end.memory = static_cast<std::byte*>(end.memory) + rows * pointer.pitch + position.x;
  return end;
}

}  // namespace

void copy_region(Runtime& runtime, RegionEnd to, RegionEnd from, const RegionSize& size,
                 cudaMemcpyKind kind, StreamId id) {
  Device& device = runtime.device();
  if (size.empty()) return;
  for (RegionEnd* end : {&to, &from}) {
    if (end->array != nullptr) continue;
    end->memory = runtime.pinned.host_pointer(end->memory);
    runtime.give_managed(end->memory, id);
  }
  check_memory(to, size);
  check_memory(from, size);
  check_direction(to, from, kind);
  if (on_device(to) && on_device(from)) {
    device.copy_region(place_of(to), place_of(from), size, id);
  } else if (on_device(to)) {
    write(device, to, from, size, id);
  } else if (on_device(from)) {
    read(device, to, from, size, id);
  } else {
    move_on_host(to, from, size);
  }
}

void copy_region(Runtime& runtime, const cudaMemcpy3DParms& what, StreamId stream) {
  const RegionEnd to = end_of(runtime, what.dstArray, what.dstPtr, what.dstPos);
  const RegionEnd from = end_of(runtime, what.srcArray, what.srcPtr, what.srcPos);
  std::size_t unit = 1;
  if (to.array) unit = to.array->texel_bytes();
  if (from.array) unit = from.array->texel_bytes();
  if (to.array && unit != to.array->texel_bytes()) invalid("arrays of texels of different sizes");
  constexpr std::size_t most = std::size_t{1} << 40;
  if (what.extent.width > most) invalid("a copy of more bytes than there are");
  const RegionSize size{what.extent.width * unit, what.extent.height, what.extent.depth};
  copy_region(runtime, to, from, size, what.kind, stream);
}

void fill_region(Runtime& runtime, const RegionEnd& to, std::uint8_t value, const RegionSize& size,
                 StreamId stream) {
  if (size.empty()) return;
  check_memory(to, size);
  if (!on_device(to)) invalid("the destination is a host pointer");
  runtime.give_managed(to.memory, stream);
  runtime.device().fill_region(place_of(to), size, value, stream);
}

}  // namespace gridstride::sim
