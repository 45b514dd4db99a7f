// The driver for tests: memory and copies.
//
// Addresses are the simulated GPU's: the first range that is reserved is one allocation of it, and
// what is mapped there is there already.
#include <cuda.h>

#include <cstddef>
#include <cstdlib>
#include <span>

#include "common/simulator/gpu/testdriver/context.h"

using gridstride::testdriver::Context;
using gridstride::testdriver::memory_bytes;

namespace {

std::size_t created_bytes = 0;

}  // namespace

CUresult cuDeviceTotalMem(std::size_t* bytes, CUdevice) {
  *bytes = memory_bytes;
  return CUDA_SUCCESS;
}

CUresult cuMemGetInfo(std::size_t* free, std::size_t* total) {
  *total = memory_bytes;
  *free = memory_bytes - created_bytes;
  return CUDA_SUCCESS;
}

CUresult cuMemGetAllocationGranularity(std::size_t* bytes, const CUmemAllocationProp*,
                                       CUmemAllocationGranularity_flags) {
  *bytes = std::size_t{2} << 20;
  return CUDA_SUCCESS;
}

CUresult cuMemAddressReserve(CUdeviceptr* address, std::size_t bytes, std::size_t, CUdeviceptr,
                             unsigned long long) {
  return Context::get().guarded([&] { *address = Context::get().device.allocate(bytes); });
}

CUresult cuMemAddressFree(CUdeviceptr address, std::size_t) {
  return Context::get().guarded([&] { Context::get().device.release(address); });
}

CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, std::size_t bytes,
                     const CUmemAllocationProp*, unsigned long long) {
  if (bytes > memory_bytes - created_bytes) return CUDA_ERROR_OUT_OF_MEMORY;
  created_bytes += bytes;
  *handle = bytes;
  return CUDA_SUCCESS;
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  created_bytes -= handle;
  return CUDA_SUCCESS;
}

CUresult cuMemMap(CUdeviceptr, std::size_t, std::size_t, CUmemGenericAllocationHandle,
                  unsigned long long) {
  return CUDA_SUCCESS;
}
CUresult cuMemUnmap(CUdeviceptr, std::size_t) { return CUDA_SUCCESS; }
CUresult cuMemSetAccess(CUdeviceptr, std::size_t, const CUmemAccessDesc*, std::size_t) {
  return CUDA_SUCCESS;
}

CUresult cuMemHostAlloc(void** memory, std::size_t bytes, unsigned) {
  *memory = std::calloc(bytes, 1);
  Context::get().pinned[static_cast<std::byte*>(*memory)] = bytes;
  return CUDA_SUCCESS;
}

CUresult cuMemFreeHost(void* memory) {
  Context::get().pinned.erase(static_cast<std::byte*>(memory));
  std::free(memory);
  return CUDA_SUCCESS;
}

CUresult cuMemHostGetDevicePointer(CUdeviceptr* address, void* memory, unsigned) {
  *address = reinterpret_cast<CUdeviceptr>(memory);
  return CUDA_SUCCESS;
}

/// From and to memory that is not pinned the driver copies itself, when all before is done.
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, std::size_t bytes, CUstream stream) {
  Context& context = Context::get();
  const std::span bytes_there(static_cast<const std::byte*>(from), bytes);
  const CUresult queued = context.queue(
      stream, [&context, to, bytes_there] { context.device.write(to, bytes_there, 0); });
  return context.is_pinned(from) ? queued : context.wait(context.streams.find(stream));
}

CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  Context& context = Context::get();
  const std::span room(static_cast<std::byte*>(to), bytes);
  const CUresult queued =
      context.queue(stream, [&context, room, from] { context.device.read(room, from, 0); });
  return context.is_pinned(to) ? queued : context.wait(context.streams.find(stream));
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  Context& context = Context::get();
  return context.queue(stream, [=, &context] { context.device.copy(to, from, bytes, 0); });
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t count, CUstream stream) {
  Context& context = Context::get();
  return context.queue(stream, [=, &context] { context.device.fill(to, value, 1, count, 0); });
}

CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, std::size_t count,
                          CUstream stream) {
  Context& context = Context::get();
  return context.queue(stream, [=, &context] { context.device.fill(to, value, 2, count, 0); });
}

CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, std::size_t count, CUstream stream) {
  Context& context = Context::get();
  return context.queue(stream, [=, &context] { context.device.fill(to, value, 4, count, 0); });
}

CUresult cuMemsetD2D8Async(CUdeviceptr to, std::size_t pitch, unsigned char value,
                           std::size_t width, std::size_t height, CUstream stream) {
  Context& context = Context::get();
  return context.queue(stream, [=, &context] {
    for (std::size_t row = 0; row < height; ++row) {
      context.device.fill(to + row * pitch, value, 1, width, 0);
    }
  });
}
