// A real GPU: a call that is graded. Its inputs come and its clock starts in one step, its clock
// stops and its outputs are taken in another.
#include <cuda.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "common/simulator/base/cuda_error.h"
#include "common/simulator/base/device_error.h"
#include "common/simulator/device/call_regions.h"
#include "common/simulator/gpu/gpu_device.h"

namespace gridstride::sim {
namespace {

/// What a GPU writes before the first launch behind a wait, some microseconds: little, so that the L2
/// stays as the call left it.
constexpr std::uint64_t lead_bytes = 1 << 16;
constexpr int lead_writes = 4;

/// Of one copy through the staging memory, which is used in two halves.
constexpr std::uint64_t piece_bytes = Staging::capacity / 2;

}  // namespace

std::span<std::byte> GpuDevice::shared(std::uint64_t at, std::uint64_t bytes) {
  return shared_bytes(&shared_, at, bytes);
}

void GpuDevice::upload(DeviceAddress to, std::span<const std::byte> from) {
  const char* what = "copying an input to the GPU";
  const auto staged = staging_->all();
  // While the GPU takes one half, the next piece is put into the other.
  for (std::uint64_t at = 0, half = 0; at < from.size(); at += piece_bytes, half ^= 1) {
    const auto piece = from.subspan(at, std::min(piece_bytes, from.size() - at));
    std::byte* const place = staged.data() + half * piece_bytes;
    copies_.copy({place, piece.size()}, piece);
    if (at > 0) check(driver_.cuStreamSynchronize(judges_), what);
    check(driver_.cuMemcpyHtoDAsync(to + at, place, piece.size(), judges_), what);
  }
  check(driver_.cuStreamSynchronize(judges_), what);
}

template <class Use>
void GpuDevice::download(DeviceAddress from, std::uint64_t bytes, Use&& use) {
  const char* what = "copying an output from the GPU";
  const auto staged = staging_->all();
  const auto piece_at = [&](std::uint64_t at, std::uint64_t half) {
    return staged.subspan(half * piece_bytes, std::min(piece_bytes, bytes - at));
  };
  const auto begin = [&](std::uint64_t at, std::uint64_t half) {
    if (at >= bytes) return;
    const auto piece = piece_at(at, half);
    check(driver_.cuMemcpyDtoHAsync(piece.data(), from + at, piece.size(), judges_), what);
  };
  begin(0, 0);
  for (std::uint64_t at = 0, half = 0; at < bytes; at += piece_bytes, half ^= 1) {
    check(driver_.cuStreamSynchronize(judges_), what);
    begin(at + piece_bytes, half ^ 1);
    if (!use(at, std::span<const std::byte>(piece_at(at, half)))) break;
  }
  check(driver_.cuStreamSynchronize(judges_), what);
}

DeviceAddress GpuDevice::place(const CallRegion& region) {
  const std::uint64_t bytes = total_bytes(region);
  if (region.result) shared(*region.result, region.bytes);
  const DeviceAddress begin = memory_->allocate(bytes);
  const auto fill = [&](DeviceAddress at, std::uint64_t count) {
    if (count != 0) {
      check(driver_.cuMemsetD8Async(at, region.filler, count, judges_), "filling memory");
    }
  };
  if (!region.contents) {
    fill(begin, bytes);
    return begin;
  }
  fill(begin, region.before);
  fill(begin + region.before + region.bytes, region.after);
  upload(begin + region.before, shared(*region.contents, region.bytes));
  return begin;
}

void GpuDevice::prepare_to_empty_cache() {
  if (flushed_ == 0) {
    const int l2 = attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
    flushed_bytes_ = caches_emptied * static_cast<std::uint64_t>(l2);
    flushed_ = memory_->allocate(flushed_bytes_);
  }
  driver_.cuCtxResetPersistingL2Cache();  // an error says that nothing can persist
}

void GpuDevice::empty_cache(CUstream stream) {
  check(driver_.cuMemsetD8Async(flushed_, 0, flushed_bytes_, stream), "emptying the cache");
}

void GpuDevice::lead(CUstream stream, CallClock::Turn turn) {
  if (turn == CallClock::Turn::first) return empty_cache(stream);
  for (int i = 0; i < lead_writes; ++i) {
    check(driver_.cuMemsetD8Async(flushed_, 0, lead_bytes, stream), "work before a turn");
  }
}

std::vector<DeviceAddress> GpuDevice::begin_call(const std::vector<CallRegion>& regions) {
  check_health();
  wait_for({});
  auto addresses = regions_.replace(
      regions, [this](DeviceAddress old) { memory_->release(old); },
      [this](const CallRegion& region) { return place(region); });
  std::uint64_t of_calls = flushed_bytes_;
  for (const PlacedRegion& placed : regions_.all()) of_calls += total_bytes(placed.region);
  most_of_calls_ = std::max(most_of_calls_, of_calls);
  prepare_to_empty_cache();
  mark(/*cold=*/false);
  clock_->begin([this](CUstream stream, CallClock::Turn turn) { lead(stream, turn); });
  ended_ = false;
  return addresses;
}

void GpuDevice::mark(bool cold) {
  if (cold) {
    prepare_to_empty_cache();
    empty_cache(judges_);
  }
  check(driver_.cuCtxSynchronize(), "waiting for the GPU");
  printed_.take();
  asserted_.take();
  activity_ = {};
}

Activity GpuDevice::activity() {
  Activity activity = activity_;
  activity.error = error_;
  return activity;
}

RegionState GpuDevice::state_of(const PlacedRegion& placed) {
  RegionState state;
  const CallRegion& region = placed.region;
  if (placed.begin == 0) return state;
  const auto changed = [&](DeviceAddress begin, std::uint64_t bytes) {
    std::uint64_t count = 0;
    download(begin, bytes, [&](std::uint64_t, std::span<const std::byte> piece) {
      count += static_cast<std::uint64_t>(std::ranges::count_if(
          piece, [&region](std::byte byte) { return byte != std::byte{region.filler}; }));
      return true;
    });
    return count;
  };
  const DeviceAddress data = placed.begin + region.before;
  state.before = changed(placed.begin, region.before);
  state.after = changed(data + region.bytes, region.after);
  if (region.constant && region.contents) {
    const auto given = shared(*region.contents, region.bytes);
    download(data, region.bytes, [&](std::uint64_t at, std::span<const std::byte> piece) {
      const auto same = given.subspan(at, piece.size());
      if (std::memcmp(piece.data(), same.data(), piece.size()) == 0) return true;
      state.changed =
          at + static_cast<std::uint64_t>(std::ranges::mismatch(piece, same).in1 - piece.begin());
      return false;
    });
  }
  if (region.result) {
    const auto result = shared(*region.result, region.bytes);
    download(data, region.bytes, [&](std::uint64_t at, std::span<const std::byte> piece) {
      copies_.copy(result.subspan(at), piece);
      return true;
    });
  }
  return state;
}

void GpuDevice::program_thought(double seconds) { clock_->thought(CallClock::Seconds(seconds)); }

CallReport GpuDevice::end_call() {
  ended_ = true;
  CallReport report;
  try {
    const double seconds = clock_->end();
    printed();
    report.activity = activity();
    report.activity.seconds = seconds;
    for (const PlacedRegion& placed : regions_.all()) report.regions.push_back(state_of(placed));
  } catch (const DeviceError& error) {
    // A kernel failed: nothing more can be had from this GPU, and nothing is.
    if (error_ == 0) error_ = error.code(), error_message_ = error.what();
    printed();
    activity_.printed.add(shorter_assertions(asserted_.take()));
    report.activity = activity();
    report.regions.assign(regions_.all().size(), {});
  }
  return report;
}

}  // namespace gridstride::sim
