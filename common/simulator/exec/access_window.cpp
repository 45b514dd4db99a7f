// See the header.
#include "common/simulator/exec/access_window.h"

#include <algorithm>
#include <cstdint>

namespace gridstride::sim {

/// Bytes that one lane accesses at most.
constexpr std::uint64_t widest_access = 16;

bool AccessWindow::look_up(DeviceAddress address, std::uint64_t bytes, bool writes) {
  const bool bounds = checks_.looks_for(FindingKind::out_of_bounds);
  const bool freed = checks_.looks_for(FindingKind::use_after_free);
  const Allocation* allocation = bounds || freed ? memory_.find(address) : nullptr;
  if ((bounds || freed) && !allocation) {
    // Between live allocations, where one of the two mistakes may be none.
    const Allocation* nearest = memory_.nearest(address);
    const bool was_one = nearest && address - nearest->begin < nearest->size;
    if (was_one ? freed : bounds) return false;
    if (was_one) allocation = nearest;
  }
  read_only_ = allocation && allocation->read_only && bounds;
  if (allocation) {
    begin_ = allocation->begin;
    end_ = allocation->begin + allocation->size;
  } else if (freed) {
    // Nothing beyond what one lane accesses, for that may have been freed.
    if (bytes > widest_access) return false;
    begin_ = std::max(address, GlobalMemory::base);
    end_ = std::min(address + bytes, memory_.end());
  } else {
    begin_ = GlobalMemory::base;
    end_ = memory_.end();
  }
  return address >= begin_ && address < end_ && bytes <= end_ - address && !(writes && read_only_);
}

}  // namespace gridstride::sim
