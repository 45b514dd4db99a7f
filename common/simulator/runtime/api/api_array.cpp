// CUDA arrays: allocation, questions, and copies to and from them.
#include <algorithm>
#include <cstddef>
#include <string>

#include "common/simulator/runtime/memory/arrays.h"
#include "common/simulator/runtime/runtime.h"
#include "common/simulator/runtime/work.h"

using namespace gridstride::sim;

namespace {

void allocate(Runtime& runtime, cudaArray_t* place, const cudaChannelFormatDesc* channels,
              const cudaExtent& extent, unsigned flags) {
  constexpr unsigned known =
      cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap | cudaArrayTextureGather;
  cudaArray_t& out = required(place);
  if (channels == nullptr) invalid("no channel descriptor");
  if ((flags & ~known) != 0) {
    throw DeviceError(cudaErrorNotSupported, false,
                      "arrays for colour attachments, sparse or deferred ones are not supported by "
                      "the simulated GPU");
  }
  ArrayShape shape;
  shape.format = format_of(*channels);
  shape.width = extent.width, shape.height = extent.height, shape.depth = extent.depth;
  shape.layered = (flags & cudaArrayLayered) != 0;
  shape.cubemap = (flags & cudaArrayCubemap) != 0;
  shape.surface = (flags & cudaArraySurfaceLoadStore) != 0;
  shape.gather = (flags & cudaArrayTextureGather) != 0;
  const ArrayId id = runtime.device().create_array(shape);
  out = runtime.arrays.add({.id = id, .format = *channels, .extent = extent, .flags = flags});
}

/// Copies between rows of an array are in whole texels.
void check_texels(const ArrayRecord& array, std::size_t x, std::size_t width) {
  if (x % array.texel_bytes() == 0 && width % array.texel_bytes() == 0) return;
  invalid("a copy of parts of texels, which have " + std::to_string(array.texel_bytes()) +
          " bytes");
}

struct Rows {
  const void* memory;
  std::size_t pitch, width, height;
};

void copy_rows(Runtime& runtime, cudaArray_const_t handle, std::size_t x, std::size_t y,
               const Rows& rows, bool to_array, cudaMemcpyKind kind, cudaStream_t stream) {
  const ArrayRecord& array = runtime.arrays.find(handle);
  check_texels(array, x, rows.width);
  const std::size_t texel = array.texel_bytes();
  cudaMemcpy3DParms what{};
  const cudaPitchedPtr memory{const_cast<void*>(rows.memory), rows.pitch, rows.width, rows.height};
  const cudaPos position{x / texel, y, 0};
  if (to_array) {
    what.dstArray = const_cast<cudaArray_t>(handle);
    what.dstPos = position;
    what.srcPtr = memory;
  } else {
    what.srcArray = const_cast<cudaArray_t>(handle);
    what.srcPos = position;
    what.dstPtr = memory;
  }
  what.extent = {rows.width / texel, rows.height, 1};
  what.kind = kind;
  submit(runtime, stream, CopyWork{.what = what, .plain = false});
}

/// `bytes` that fill an array row by row from (x, y): the rest of a row, whole rows, a part of one.
void copy_run(Runtime& runtime, cudaArray_const_t handle, std::size_t x, std::size_t y,
              const void* memory, std::size_t bytes, bool to_array, cudaMemcpyKind kind,
              cudaStream_t stream) {
  const ArrayRecord& array = runtime.arrays.find(handle);
  const std::size_t row = array.extent.width * array.texel_bytes();
  const std::size_t rows = std::max<std::size_t>(array.extent.height, 1);
  if (x > row || y > rows || bytes > (rows - y) * row - std::min(x, (rows - y) * row)) {
    invalid("a copy beyond the end of the array");
  }
  auto* next = static_cast<const std::byte*>(memory);
  while (bytes > 0) {
    const bool whole = x == 0 && bytes >= row;
    const std::size_t width = whole ? row : std::min(bytes, row - x);
    const std::size_t height = whole ? bytes / row : 1;
    if (width > 0) {
      copy_rows(runtime, handle, x, y, {next, width, width, height}, to_array, kind, stream);
    }
    next += width * height;
    bytes -= width * height;
    y += height;
    x = 0;
  }
}

void copy_between(Runtime& runtime, cudaArray_t to, std::size_t to_x, std::size_t to_y,
                  cudaArray_const_t from, std::size_t from_x, std::size_t from_y, std::size_t width,
                  std::size_t height, cudaMemcpyKind kind) {
  const ArrayRecord &target = runtime.arrays.find(to), &source = runtime.arrays.find(from);
  check_texels(target, to_x, width);
  check_texels(source, from_x, width);
  cudaMemcpy3DParms what{};
  what.dstArray = to, what.dstPos = {to_x / target.texel_bytes(), to_y, 0};
  what.srcArray = const_cast<cudaArray_t>(from);
  what.srcPos = {from_x / source.texel_bytes(), from_y, 0};
  what.extent = {width / source.texel_bytes(), height, 1};
  what.kind = kind;
  submit(runtime, nullptr, CopyWork{.what = what, .plain = false});
}

}  // namespace

cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* channels,
                            std::size_t width, std::size_t height, unsigned flags) {
  return guarded("cudaMallocArray", [&](Runtime& runtime) {
    allocate(runtime, array, channels, {width, height, 0}, flags);
  });
}

cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* channels,
                              cudaExtent extent, unsigned flags) {
  return guarded("cudaMalloc3DArray",
                 [&](Runtime& runtime) { allocate(runtime, array, channels, extent, flags); });
}

cudaError_t cudaFreeArray(cudaArray_t array) {
  return guarded("cudaFreeArray", [&](Runtime& runtime) {
    if (array == nullptr) return;
    runtime.device().destroy_array(runtime.arrays.find(array).id);
    runtime.arrays.remove(array);
  });
}

cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* channels, cudaExtent* extent, unsigned* flags,
                             cudaArray_t array) {
  return guarded("cudaArrayGetInfo", [&](Runtime& runtime) {
    const ArrayRecord& record = runtime.arrays.find(array);
    if (channels != nullptr) *channels = record.format;
    if (extent != nullptr) *extent = record.extent;
    if (flags != nullptr) *flags = record.flags;
  });
}

cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* channels, cudaArray_const_t array) {
  return guarded("cudaGetChannelDesc",
                 [&](Runtime& runtime) { required(channels) = runtime.arrays.find(array).format; });
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                                std::size_t pitch, std::size_t width, std::size_t height,
                                cudaMemcpyKind kind) {
  return guarded("cudaMemcpy2DToArray", [&](Runtime& runtime) {
    copy_rows(runtime, to, x, y, {from, pitch, width, height}, true, kind, nullptr);
    runtime.synchronize(runtime.stream(nullptr));
  });
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                                     std::size_t pitch, std::size_t width, std::size_t height,
                                     cudaMemcpyKind kind, cudaStream_t stream) {
  return guarded("cudaMemcpy2DToArrayAsync", [&](Runtime& runtime) {
    copy_rows(runtime, to, x, y, {from, pitch, width, height}, true, kind, stream);
  });
}

cudaError_t cudaMemcpy2DFromArray(void* to, std::size_t pitch, cudaArray_const_t from,
                                  std::size_t x, std::size_t y, std::size_t width,
                                  std::size_t height, cudaMemcpyKind kind) {
  return guarded("cudaMemcpy2DFromArray", [&](Runtime& runtime) {
    copy_rows(runtime, from, x, y, {to, pitch, width, height}, false, kind, nullptr);
    runtime.synchronize(runtime.stream(nullptr));
  });
}

cudaError_t cudaMemcpy2DFromArrayAsync(void* to, std::size_t pitch, cudaArray_const_t from,
                                       std::size_t x, std::size_t y, std::size_t width,
                                       std::size_t height, cudaMemcpyKind kind,
                                       cudaStream_t stream) {
  return guarded("cudaMemcpy2DFromArrayAsync", [&](Runtime& runtime) {
    copy_rows(runtime, from, x, y, {to, pitch, width, height}, false, kind, stream);
  });
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, std::size_t to_x, std::size_t to_y,
                                     cudaArray_const_t from, std::size_t from_x, std::size_t from_y,
                                     std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  return guarded("cudaMemcpy2DArrayToArray", [&](Runtime& runtime) {
    copy_between(runtime, to, to_x, to_y, from, from_x, from_y, width, height, kind);
  });
}

// The following are deprecated, and programs use them all the same.

cudaError_t cudaMemcpyToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                              std::size_t bytes, cudaMemcpyKind kind) {
  return guarded("cudaMemcpyToArray", [&](Runtime& runtime) {
    copy_run(runtime, to, x, y, from, bytes, true, kind, nullptr);
    runtime.synchronize(runtime.stream(nullptr));
  });
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                                   std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  return guarded("cudaMemcpyToArrayAsync", [&](Runtime& runtime) {
    copy_run(runtime, to, x, y, from, bytes, true, kind, stream);
  });
}

cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, std::size_t x, std::size_t y,
                                std::size_t bytes, cudaMemcpyKind kind) {
  return guarded("cudaMemcpyFromArray", [&](Runtime& runtime) {
    copy_run(runtime, from, x, y, to, bytes, false, kind, nullptr);
    runtime.synchronize(runtime.stream(nullptr));
  });
}

cudaError_t cudaMemcpyFromArrayAsync(void* to, cudaArray_const_t from, std::size_t x, std::size_t y,
                                     std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  return guarded("cudaMemcpyFromArrayAsync", [&](Runtime& runtime) {
    copy_run(runtime, from, x, y, to, bytes, false, kind, stream);
  });
}
