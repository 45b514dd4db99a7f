// Whether a kernel may access a place in global memory.
#pragma once

#include <cstdint>

#include "common/simulator/base/handles.h"
#include "common/simulator/check/check_options.h"
#include "common/simulator/memory/global_memory.h"

namespace gridstride::sim {

/// Remembers the allocation that was hit last: most accesses hit it again.
class AccessWindow {
 public:
  /// What is given lives longer than this.
  AccessWindow(const GlobalMemory& memory, const CheckOptions& checks)
      : memory_(memory), checks_(checks) {}

  /// True when [address, address + bytes) lies in one allocation that may be read, or written, as
  /// far as that is looked for.
  bool allows(DeviceAddress address, std::uint64_t bytes, bool writes) {
    if (address >= begin_ && address < end_ && bytes <= end_ - address && !(writes && read_only_)) {
      return true;
    }
    return look_up(address, bytes, writes);
  }
  /// Allocations may have changed.
  void forget() { begin_ = end_ = 0; }

 private:
  bool look_up(DeviceAddress address, std::uint64_t bytes, bool writes);

  const GlobalMemory& memory_;
  const CheckOptions& checks_;
  DeviceAddress begin_ = 0, end_ = 0;
  bool read_only_ = false;
};

}  // namespace gridstride::sim
