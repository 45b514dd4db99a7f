// A real GPU: CUDA arrays, what reads and writes them, and copies of pitched regions.
#include <cuda.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "common/simulator/base/cuda_error.h"
#include "common/simulator/base/device_error.h"
#include "common/simulator/gpu/gpu_device.h"

namespace gridstride::sim {
namespace {

CUDA_MEMCPY3D copy_of(const RegionSize& size) {
  CUDA_MEMCPY3D copy{};
  copy.WidthInBytes = size.width;
  copy.Height = size.height;
  copy.Depth = size.depth;
  return copy;
}

void require_bytes(std::uint64_t there, const RegionSize& size) {
  const bool same = size.width <= there && size.height <= there && size.depth <= there &&
                    size.width * size.height * size.depth == there;
  if (!same) throw DeviceError(error_invalid_value, false, "a region of another size");
}

}  // namespace

ArrayId GpuDevice::create_array(const ArrayShape& shape) {
  check_health();
  clock_->open();
  return textures_.add_array(shape);
}

void GpuDevice::destroy_array(ArrayId array) {
  check_health();
  wait_for({});
  textures_.remove_array(array);
}

ObjectId GpuDevice::create_texture(const TextureDescription& how) {
  check_health();
  return textures_.add_texture(how);
}

void GpuDevice::destroy_texture(ObjectId texture) {
  check_health();
  clock_->open();
  textures_.remove_texture(texture);
}

ObjectId GpuDevice::create_surface(ArrayId array) {
  check_health();
  return textures_.add_surface(array);
}

void GpuDevice::destroy_surface(ObjectId surface) {
  check_health();
  clock_->open();
  textures_.remove_surface(surface);
}

void GpuDevice::copy_3d(const CUDA_MEMCPY3D& copy, StreamId stream) {
  check(driver_.cuMemcpy3DAsync(&copy, queued_on(stream)), "a copy of a region");
}

void GpuDevice::copy_3d_of_host(const CUDA_MEMCPY3D& copy, StreamId stream) {
  const QueuedOperation on = queued_on(stream);
  clock_->open();  // the driver may wait until it has taken or given the bytes
  check(driver_.cuMemcpy3DAsync(&copy, on), "a copy of a region between host and GPU");
  wait_for(stream);
}

void GpuDevice::write_region(const RegionPlace& to, const RegionSize& size,
                             std::span<const std::byte> from, StreamId stream) {
  check_health();
  if (size.empty()) return;
  require_bytes(from.size(), size);
  activity_.host_to_device_bytes += from.size();
  CUDA_MEMCPY3D copy = copy_of(size);
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = from.data();
  copy.srcPitch = size.width, copy.srcHeight = size.height;
  textures_.set_destination(copy, to, size);
  copy_3d_of_host(copy, stream);
}

void GpuDevice::read_region(std::span<std::byte> to, const RegionPlace& from,
                            const RegionSize& size, StreamId stream) {
  check_health();
  if (size.empty()) return;
  require_bytes(to.size(), size);
  count_to_host(to.size());
  CUDA_MEMCPY3D copy = copy_of(size);
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = to.data();
  copy.dstPitch = size.width, copy.dstHeight = size.height;
  textures_.set_source(copy, from, size);
  copy_3d_of_host(copy, stream);
}

void GpuDevice::copy_region(const RegionPlace& to, const RegionPlace& from, const RegionSize& size,
                            StreamId stream) {
  check_health();
  if (size.empty()) return;
  CUDA_MEMCPY3D copy = copy_of(size);
  textures_.set_source(copy, from, size);
  textures_.set_destination(copy, to, size);
  activity_.device_to_device_bytes += size.width * size.height * size.depth;
  copy_3d(copy, stream);
}

void GpuDevice::fill_region(const RegionPlace& to, const RegionSize& size, std::uint8_t value,
                            StreamId stream) {
  check_health();
  if (size.empty()) return;
  if (to.array != 0) {
    throw DeviceError(error_not_supported, false,
                      "filling an array is not supported when a GPU grades");
  }
  const std::uint64_t pitch = std::max(to.pitch, size.width);
  // Each slice is an operation of its own, so their number has to be that of something.
  const bool is_one = size.depth == 1 || size.depth <= memory_->used() / size.width;
  if (!is_device_address(to.address) || !is_one) {
    throw DeviceError(error_invalid_value, false, "a region that does not lie in memory");
  }
  const QueuedOperation on = queued_on(stream);
  for (std::uint64_t slice = 0; slice < size.depth; ++slice) {
    check(driver_.cuMemsetD2D8Async(to.address + slice * to.rows * pitch, pitch, value, size.width,
                                    size.height, on),
          "filling memory of the GPU");
  }
}

}  // namespace gridstride::sim
