// The heap that kernels allocate from: malloc, new and the device-side cudaMalloc.
//
// Every block is an allocation of its own, so that one past its end is nobody's. Freed blocks wait
// in a queue before their addresses are given out again, which shows who still uses them.
#pragma once

#include <cstdint>
#include <deque>
#include <map>

#include "common/simulator/memory/global_memory.h"

namespace gridstride::sim {

class DeviceHeap {
 public:
  /// What cudaLimitMallocHeapSize is until somebody sets it.
  static constexpr std::uint64_t default_limit = std::uint64_t{8} << 20;

  explicit DeviceHeap(GlobalMemory& memory) : memory_(memory) {}

  /// 0 for no bytes, and when they do not fit: as with malloc in a kernel.
  DeviceAddress allocate(std::uint64_t bytes);
  /// False when `address` is not the start of a live block of this heap.
  bool release(DeviceAddress address);

  /// In bytes, of all live blocks; each takes a multiple of 16.
  void set_limit(std::uint64_t bytes) { limit_ = bytes; }
  std::uint64_t limit() const { return limit_; }
  std::uint64_t used() const { return used_; }
  /// What was asked for of it, without the rounding.
  std::uint64_t live_bytes() const { return live_bytes_; }

 private:
  GlobalMemory& memory_;
  std::uint64_t limit_ = default_limit, used_ = 0, live_bytes_ = 0;
  std::map<std::uint64_t, std::deque<DeviceAddress>> freed_;  ///< by span of addresses
};

}  // namespace gridstride::sim
