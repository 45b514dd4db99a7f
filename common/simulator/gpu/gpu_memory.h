// The memory of a real GPU, at addresses of our own choice.
//
// A client's process must be able to tell device addresses from its own, and has a device's memory
// at the same addresses where both share it. So memory is mapped where programs have nothing, at
// whole terabytes far below their stacks and libraries, by the driver's virtual memory management,
// in large pieces as it is needed; of these, allocations are cut.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <map>
#include <vector>

#include "common/simulator/base/handles.h"
#include "common/simulator/gpu/driver.h"

namespace gridstride::sim {

/// Not thread-safe. Needs the context that is current.
class GpuMemory {
 public:
  /// `capacity`: bytes that the GPU has. Throws DeviceError.
  GpuMemory(const Driver& driver, CUdevice device, std::uint64_t capacity);
  ~GpuMemory();
  GpuMemory(const GpuMemory&) = delete;
  GpuMemory& operator=(const GpuMemory&) = delete;

  /// At a multiple of 512 bytes, or of `alignment`, a power of two. Throws DeviceError
  /// (cudaErrorMemoryAllocation). Of 0 bytes: as of 1.
  DeviceAddress allocate(std::uint64_t bytes, std::uint64_t alignment = 512);
  /// False when no allocation begins there.
  bool release(DeviceAddress address);
  /// True when an allocation begins there, or when one holds it.
  bool begins(DeviceAddress address) const { return live_.contains(address); }
  bool holds(DeviceAddress address) const;

  /// Of the range in which all addresses are.
  DeviceAddress first_address() const { return begin_; }
  std::uint64_t used() const { return used_; }
  /// Taken from the driver, which gets nothing back before the end.
  std::uint64_t mapped() const { return end_ - begin_; }
  /// True when the next allocation of so many bytes takes new memory from the driver.
  bool must_map(std::uint64_t bytes, std::uint64_t alignment = 512) const;

 private:
  using Pieces = std::map<DeviceAddress, std::uint64_t>;  ///< bytes, by where they begin
  Pieces::const_iterator find_free(std::uint64_t bytes, std::uint64_t alignment) const;
  void map_more(std::uint64_t bytes);
  void give_back(DeviceAddress begin, std::uint64_t bytes);

  struct Mapping {
    DeviceAddress begin = 0;
    std::uint64_t bytes = 0;
    CUmemGenericAllocationHandle handle = 0;
  };

  const Driver& driver_;
  CUmemAllocationProp properties_{};
  std::uint64_t range_bytes_ = 0, granularity_ = 0;
  DeviceAddress begin_ = 0, end_ = 0;  ///< of the range, and of what is mapped of it
  std::vector<Mapping> mappings_;
  Pieces free_, live_;
  std::uint64_t used_ = 0;
};

}  // namespace gridstride::sim
