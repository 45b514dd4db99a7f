// The memory of a graded call's arguments, as each kind of device keeps it between the call's
// begin and its end.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "common/shared_bytes.h"
#include "common/simulator/base/handles.h"
#include "common/simulator/device/device.h"

namespace gridstride::sim {

/// Before a graded call the L2 is emptied by writing so many times its size: whatever its replacement policy,
/// nothing of the inputs stays there. The host goes on meanwhile.
inline constexpr std::uint64_t caches_emptied = 4;

/// Bytes of a region with its guard bands. No sum wraps around: what is more than any device has
/// stays so.
std::uint64_t total_bytes(const CallRegion& region);

/// `bytes` bytes at `at` of the memory that judge and device share. Throws DeviceError
/// (cudaErrorInvalidValue) where there are not that many, or where nothing is shared (null).
std::span<std::byte> shared_bytes(SharedBytes* shared, std::uint64_t at, std::uint64_t bytes);

struct PlacedRegion {
  CallRegion region;
  DeviceAddress begin = 0;  ///< of the first guard band; 0 for a region of no bytes
};

class CallRegions {
 public:
  /// release(address) for what the call before left, place(region) for what the next one needs:
  /// memory with its bands and contents, or 0 for a region of no bytes. Returns where each region's
  /// own bytes begin, as Device::begin_call() does.
  template <class Release, class Place>
  std::vector<DeviceAddress> replace(const std::vector<CallRegion>& regions, Release&& release,
                                     Place&& place) {
    for (const PlacedRegion& old : std::exchange(placed_, {})) {
      if (old.begin != 0) release(old.begin);
    }
    std::vector<DeviceAddress> addresses;
    for (const CallRegion& region : regions) {
      const DeviceAddress begin = total_bytes(region) != 0 ? place(region) : 0;
      placed_.push_back({region, begin});
      addresses.push_back(begin != 0 ? begin + region.before : 0);
    }
    return addresses;
  }

  /// True when a region, with its band, begins there: nobody but replace() may release it.
  bool begins_at(DeviceAddress address) const {
    return std::ranges::any_of(placed_, [address](const PlacedRegion& placed) {
      return placed.begin == address && address != 0;
    });
  }

  const std::vector<PlacedRegion>& all() const { return placed_; }

 private:
  std::vector<PlacedRegion> placed_;
};

}  // namespace gridstride::sim
