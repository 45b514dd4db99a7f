// Copies and fills of pitched regions: rows and slices of memory, parts of CUDA arrays.
#include <cstddef>

#include "common/simulator/runtime/runtime.h"
#include "common/simulator/runtime/work.h"

using namespace gridstride::sim;

namespace {

void fill(Runtime& runtime, const cudaPitchedPtr& to, int value, const cudaExtent& extent,
          cudaStream_t stream) {
  FillWork work;
  work.params.dst = to.ptr;
  work.params.pitch = to.pitch;
  work.params.value = static_cast<unsigned>(value) & 0xff;
  work.params.elementSize = 1;
  work.params.width = extent.width;
  work.params.height = extent.height;
  work.depth = extent.depth;
  work.slice_rows = to.ysize;
  submit(runtime, stream, work);
}

void copy_3d(Runtime& runtime, const cudaMemcpy3DParms* what, cudaStream_t stream) {
  if (what == nullptr) invalid("no description of the copy");
  submit(runtime, stream, CopyWork{.what = *what, .plain = false});
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
    runtime.captures.forbid_unsafe();
    submit(runtime, nullptr, row_copy(to, to_pitch, from, from_pitch, width, height, kind));
    runtime.synchronize(runtime.stream(nullptr));
  });
}

cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                              std::size_t from_pitch, std::size_t width, std::size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream) {
  return guarded("cudaMemcpy2DAsync", [&](Runtime& runtime) {
    submit(runtime, stream, row_copy(to, to_pitch, from, from_pitch, width, height, kind));
  });
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* what) {
  return guarded("cudaMemcpy3D", [&](Runtime& runtime) {
    copy_3d(runtime, what, nullptr);
    runtime.synchronize(runtime.stream(nullptr));
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
    fill(runtime, {to, pitch, width, height}, value, {width, height, 1}, nullptr);
  });
}

cudaError_t cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width,
                              std::size_t height, cudaStream_t stream) {
  return guarded("cudaMemset2DAsync", [&](Runtime& runtime) {
    fill(runtime, {to, pitch, width, height}, value, {width, height, 1}, stream);
  });
}

cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent) {
  return guarded("cudaMemset3D",
                 [&](Runtime& runtime) { fill(runtime, to, value, extent, nullptr); });
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent,
                              cudaStream_t stream) {
  return guarded("cudaMemset3DAsync",
                 [&](Runtime& runtime) { fill(runtime, to, value, extent, stream); });
}
