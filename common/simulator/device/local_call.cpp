// The simulated GPU: a call that is graded. Its inputs come and its clock starts in one step, its
// clock stops and its outputs are taken in another.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "common/simulator/base/cuda_error.h"
#include "common/simulator/device/call_regions.h"
#include "common/simulator/device/local_device.h"

namespace gridstride::sim {
namespace {

/// How many of the bytes are not `filler`.
std::uint64_t changed(std::span<const std::byte> bytes, std::uint8_t filler) {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(bytes, [filler](std::byte byte) { return byte != std::byte{filler}; }));
}

}  // namespace

std::span<std::byte> LocalDevice::shared(std::uint64_t at, std::uint64_t bytes) const {
  return shared_bytes(options_.shared, at, bytes);
}

void LocalDevice::require_no_region(DeviceAddress address) const {
  if (!regions_.begins_at(address)) return;
  throw DeviceError(error_invalid_value, false, "this is the memory of an argument of the call");
}

DeviceAddress LocalDevice::place(const CallRegion& region) {
  const std::uint64_t bytes = total_bytes(region);
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
  auto addresses = regions_.replace(
      regions, [this](DeviceAddress old) { release_async(old); },
      [this](const CallRegion& region) { return place(region); });
  mark(/*cold=*/true);
  return addresses;
}

RegionState LocalDevice::state_of(const PlacedRegion& placed) {
  RegionState state;
  const CallRegion& region = placed.region;
  if (placed.begin == 0) return state;
  const std::span<const std::byte> all(memory_.host(placed.begin), total_bytes(region));
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
  for (const PlacedRegion& placed : regions_.all()) report.regions.push_back(state_of(placed));
  return report;
}

}  // namespace gridstride::sim
