// The simulated GPU: a call that is graded. Its inputs come and its clock starts in one step, its
// clock stops and its outputs are taken in another.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/simulator/base/cuda_error.h"
#include "common/simulator/device/local_device.h"

namespace gridstride::sim {
namespace {

/// How many of the bytes are not `filler`.
std::uint64_t changed(std::span<const std::byte> bytes, std::uint8_t filler) {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(bytes, [filler](std::byte byte) { return byte != std::byte{filler}; }));
}

std::uint64_t total(const CallRegion& region) {
  // The judge's numbers: each is less than a device holds, or the sum is refused as too large.
  constexpr std::uint64_t most = std::uint64_t{1} << 60;
  return std::min(region.before, most) + std::min(region.bytes, most) +
         std::min(region.after, most);
}

}  // namespace

std::span<std::byte> LocalDevice::shared(std::uint64_t at, std::uint64_t bytes) const {
  try {
    if (options_.shared != nullptr && bytes <= ~at) {
      return options_.shared->view(at + bytes).subspan(at);
    }
  } catch (const std::exception&) {
    // It is not that long.
  }
  throw DeviceError(error_invalid_value, false, "no such memory is shared with the judge");
}

void LocalDevice::require_no_region(DeviceAddress address) const {
  const auto begins_here = [address](const PlacedRegion& placed) {
    return placed.begin == address && address != 0;
  };
  if (std::ranges::none_of(regions_, begins_here)) return;
  throw DeviceError(error_invalid_value, false, "this is the memory of an argument of the call");
}

DeviceAddress LocalDevice::place(const CallRegion& region) {
  const std::uint64_t bytes = total(region);
  if (bytes == 0) return 0;
  if (region.contents) shared(*region.contents, region.bytes);
  if (region.result) shared(*region.result, region.bytes);
  const DeviceAddress begin = allocate_for(bytes, region.maker);
  std::byte* const first = memory_.host(begin);
  std::byte* const data = first + region.before;
  const int filler = region.filler;
  if (!region.contents) {
    std::memset(first, filler, bytes);
    return begin;
  }
  std::memset(first, filler, region.before);
  if (region.bytes > 0) {
    std::memcpy(data, shared(*region.contents, region.bytes).data(), region.bytes);
  }
  std::memset(data + region.bytes, filler, region.after);
  memory_.initialised().set(begin + region.before - GlobalMemory::base, region.bytes);
  return begin;
}

std::vector<DeviceAddress> LocalDevice::begin_call(const std::vector<CallRegion>& regions) {
  check_health();
  timeline_.synchronize({});
  for (const PlacedRegion& old : std::exchange(regions_, {})) {
    if (old.begin != 0) release_async(old.begin);
  }
  std::vector<DeviceAddress> addresses;
  for (const CallRegion& region : regions) {
    const DeviceAddress begin = place(region);
    regions_.push_back({region, begin});
    addresses.push_back(begin != 0 ? begin + region.before : 0);
  }
  mark(/*cold=*/true);
  return addresses;
}

RegionState LocalDevice::state_of(const PlacedRegion& placed) {
  RegionState state;
  const CallRegion& region = placed.region;
  if (placed.begin == 0) return state;
  const std::span<const std::byte> all(memory_.host(placed.begin), total(region));
  const auto bytes = all.subspan(region.before, region.bytes);
  state.before = changed(all.first(region.before), region.filler);
  state.after = changed(all.last(region.after), region.filler);
  if (bytes.empty()) return state;
  if (region.constant && region.contents) {
    const auto given = shared(*region.contents, region.bytes);
    if (std::memcmp(bytes.data(), given.data(), bytes.size()) != 0) {
      state.changed =
          static_cast<std::uint64_t>(std::ranges::mismatch(bytes, given).in1 - bytes.begin());
    }
  }
  if (region.result) {
    std::memcpy(shared(*region.result, region.bytes).data(), bytes.data(), bytes.size());
  }
  return state;
}

CallReport LocalDevice::end_call() {
  timeline_.synchronize({});
  CallReport report;
  report.activity = activity();
  for (const PlacedRegion& placed : regions_) report.regions.push_back(state_of(placed));
  return report;
}

}  // namespace gridstride::sim
