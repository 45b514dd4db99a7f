#include "common/simulator/device/call_regions.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>

#include "common/shared_bytes.h"
#include "common/simulator/base/cuda_error.h"
#include "common/simulator/base/device_error.h"

namespace gridstride::sim {

std::uint64_t total_bytes(const CallRegion& region) {
  constexpr std::uint64_t most = std::uint64_t{1} << 60;
  return std::min(region.before, most) + std::min(region.bytes, most) +
         std::min(region.after, most);
}

std::span<std::byte> shared_bytes(SharedBytes* shared, std::uint64_t at, std::uint64_t bytes) {
  try {
    if (shared != nullptr && bytes <= ~at) return shared->view(at + bytes).subspan(at);
  } catch (const std::exception&) {
    // It is not that long.
  }
  throw DeviceError(error_invalid_value, false, "no such memory is shared with the judge");
}

}  // namespace gridstride::sim
