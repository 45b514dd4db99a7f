// The simulated GPU: a call that is graded. Its inputs come and its clock starts in one step, its
// clock stops and its outputs are taken in another.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "common/simulator/base/cuda_error.h"
#include "common/simulator/device/call_regions.h"
#include "common/simulator/device/local_device.h"
#include "common/simulator/device/trace_file.h"
#include "common/simulator/index_width/narrow_indices.h"

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

DeviceAddress LocalDevice::place_absent(const CallRegion& region) {
  // Above all that can be allocated, and in the range that the host takes for the device's.
  constexpr std::uint64_t first = std::uint64_t{1} << 38, behind = std::uint64_t{1} << 40;
  constexpr std::uint64_t apart = std::uint64_t{1} << 30;
  const std::uint64_t bytes = total_bytes(region), at = std::max(next_absent_, first);
  if (bytes > behind - at)
    throw DeviceError(error_memory_allocation, false, "too large to look at");
  next_absent_ = (at + bytes + 2 * apart - 1) / apart * apart;
  return GlobalMemory::base + at;
}

DeviceAddress LocalDevice::place(const CallRegion& region) {
  if (region.absent) return place_absent(region);
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
  is_absent_ = std::ranges::any_of(regions, &CallRegion::absent);
  next_absent_ = 0;
  looked_at_.clear();
  auto addresses = regions_.replace(
      regions,
      [this](DeviceAddress old) {
        if (memory_.find(old)) release_async(old);
      },
      [this](const CallRegion& region) { return place(region); });
  if (options_.trace) options_.trace->begin_call(addresses);
  unwritten_copies_.clear();
  mark(/*cold=*/true);
  // As where a real GPU is timed: the host goes on while the GPU empties its cache (gpu_call.cpp).
  timeline_.begin_behind(
      static_cast<double>(caches_emptied * options_.profile.properties.l2_bytes) /
      options_.profile.throughput.dram_write);
  order_.begin_call();
  in_call_ = true;
  pending_launches_ = default_pending_launches;
  return addresses;
}

void LocalDevice::look_at(const Kernel& used, const LaunchRequest& request) {
  constexpr int most_launches = 8;  // of one kernel; others are like them
  if (looked_at_[request.kernel]++ >= most_launches) return;
  const KernelCode& code = used.program->kernels.at(used.index);
  LaunchedKernel launched;
  launched.function = code.kernel;
  launched.grid = request.grid;
  launched.block = request.block;
  launched.arguments = request.arguments;
  for (const ParamSlot& slot : code.parameters) launched.offsets.push_back(slot.offset);
  std::vector<std::uint64_t> elements;
  for (const PlacedRegion& placed : regions_.all()) {
    if (placed.region.absent) elements.push_back(placed.region.elements);
  }
  const PlaceNames names(*used.program, code, memory_, request.grid, request.block, 0);
  auto finding = cut_parameter(launched, code, elements);
  if (!finding) finding = narrow_index(launched, code, names);
  if (finding && options_.checks.looks_for(finding->kind)) log_.add(*std::move(finding));
}

RegionState LocalDevice::state_of(const PlacedRegion& placed) {
  RegionState state;
  const CallRegion& region = placed.region;
  if (placed.begin == 0 || region.absent) return state;
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

void LocalDevice::keep(std::vector<UnwrittenCopy> copies, std::size_t launch) {
  constexpr std::size_t most_copies = 4096;
  for (UnwrittenCopy& copy : copies) {
    if (unwritten_copies_.size() >= most_copies) return;
    copy.launch = launch;
    unwritten_copies_.push_back(std::move(copy));
  }
}

void LocalDevice::find_unwritten(DeviceAddress begin, std::uint64_t bytes, bool whole) {
  if (unwritten_copies_.empty()) return;
  for (UnwrittenCopy& copy :
       take_unwritten(unwritten_copies_, memory_.initialised(), begin, bytes, whole)) {
    if (options_.on_late_finding) options_.on_late_finding(copy.finding);
    log_.add_late(copy.launch, std::move(copy.finding));
  }
}

CallReport LocalDevice::end_call() {
  timeline_.synchronize({});
  found_unordered(order_.end_call());
  in_call_ = false;
  // What nobody has fetched goes to the judge alone.
  log_.activity().printed.add(printed_.take());
  for (const PlacedRegion& placed : regions_.all()) {
    const CallRegion& region = placed.region;
    if (region.result && !region.absent)
      find_unwritten(placed.begin + region.before, region.bytes, /*whole=*/false);
  }
  CallReport report;
  report.activity = activity();
  for (const PlacedRegion& placed : regions_.all()) report.regions.push_back(state_of(placed));
  return report;
}

}  // namespace gridstride::sim
