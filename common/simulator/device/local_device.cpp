// The simulated GPU: memory, transfers, streams. Modules and launches: local_launch.cpp.
#include "common/simulator/device/local_device.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "common/simulator/base/cuda_error.h"
#include "common/simulator/findings/diagnostic_text.h"
#include "common/text.h"

namespace gridstride::sim {

LocalDevice::LocalDevice(LocalDeviceOptions options)
    : options_(std::move(options)),
      memory_(options_.profile.properties.global_memory),
      textures_(memory_),
      l2_(options_.profile.l2_held_bytes) {}

LocalDevice::~LocalDevice() = default;

void LocalDevice::check_health() const {
  if (error_ != 0) throw DeviceError(error_, true, error_message_);
}

void LocalDevice::stick(int code, const std::string& message) {
  if (error_ != 0) return;
  error_ = code;
  error_message_ = message;
}

void LocalDevice::refuse(const std::string& what, bool sticky) {
  log_.refuse(what);
  if (sticky) stick(error_not_supported, what);
  throw DeviceError(error_not_supported, sticky, what);
}

DeviceAddress LocalDevice::allocate(std::uint64_t bytes) {
  check_health();
  return made(memory_.allocate(bytes), bytes);
}

DeviceAddress LocalDevice::allocate_shared(std::uint64_t bytes, SharedMemory kind) {
  check_health();
  const bool pinned = kind == SharedMemory::pinned;
  if (!pinned && kind != SharedMemory::managed) {
    throw DeviceError(error_invalid_value, false, "no such kind of memory");
  }
  using Origin = Allocation::Origin;
  return made(memory_.allocate_pages(bytes, pinned ? Origin::pinned : Origin::managed), bytes);
}

void LocalDevice::note_maker(DeviceAddress address, const std::string& maker) {
  check_health();
  require_no_region(address);
  const Allocation* allocation = find_for_host(address);
  if (!allocation || allocation->begin != address) {
    throw DeviceError(error_invalid_value, false,
                      hexadecimal(address) + " is not the start of an allocation");
  }
  constexpr std::size_t most = 200;
  memory_.set_made_in(address,
                      [text = clean_text(maker.substr(0, most))]() -> std::string { return text; });
}

DeviceAddress LocalDevice::made(DeviceAddress address, std::uint64_t bytes) {
  if (address == 0) fail_allocation(bytes);
  if (options_.call_site) memory_.set_made_in(address, options_.call_site());
  return address;
}

void LocalDevice::fail_allocation(std::uint64_t bytes) const {
  throw DeviceError(
      error_memory_allocation, false,
      fmt::format("{} bytes do not fit: {} of {} bytes of the simulated GPU are in use", bytes,
                  used_by_host(), memory_.capacity()));
}

void LocalDevice::release(DeviceAddress address) {
  check_health();
  wait_for({});
  release_async(address);
}

void LocalDevice::release_async(DeviceAddress address) {
  check_health();
  require_no_region(address);
  using Origin = Allocation::Origin;
  if (!memory_.release(address) && !memory_.release(address, Origin::managed) &&
      !memory_.release(address, Origin::pinned) && !memory_.release(address, Origin::condition)) {
    fail_release(address);
  }
}

void LocalDevice::fail_release(DeviceAddress address) {
  const Allocation* known = memory_.nearest(address);
  if (!known || known->begin != address || known->live ||
      known->origin == Allocation::Origin::heap) {
    throw DeviceError(error_invalid_value, false,
                      hexadecimal(address) + " is not the start of an allocation");
  }
  Finding finding{
      .kind = FindingKind::double_free, .kernel = {}, .where = {}, .other = {}, .message = {}};
  const std::string site = options_.call_site ? options_.call_site()() : std::string();
  finding.message = hexadecimal(address) + ", " + allocation_title(*known) +
                    ", has been freed already and is freed again" +
                    (site.empty() ? "" : " " + site);
  const DeviceError error(error_invalid_value, false, finding.message);
  if (options_.checks.looks_for(finding.kind)) log_.add(std::move(finding));
  throw error;
}

DeviceAddress LocalDevice::create_condition() {
  check_health();
  const DeviceAddress address =
      memory_.allocate_as(sizeof(std::uint32_t), Allocation::Origin::condition);
  if (address == 0) fail_allocation(sizeof(std::uint32_t));
  return address;
}

std::byte* LocalDevice::condition_word(DeviceAddress handle) const {
  const Allocation* allocation = memory_.find(handle);
  if (!allocation || allocation->origin != Allocation::Origin::condition) {
    throw DeviceError(error_invalid_value, false, "this is not the handle of a condition");
  }
  return memory_.host(allocation->begin);
}

std::uint32_t LocalDevice::condition(DeviceAddress handle, StreamId stream) {
  check_health();
  timeline_.check(stream);
  std::uint32_t value = 0;
  std::memcpy(&value, condition_word(handle), sizeof value);
  timeline_.place(stream, Engine::compute, options_.profile.launch_seconds);
  log_.activity().device_to_host_bytes += sizeof value;
  return value;
}

void LocalDevice::set_condition(DeviceAddress handle, std::uint32_t value) {
  check_health();
  std::memcpy(condition_word(handle), &value, sizeof value);
}

std::pair<std::uint64_t, std::uint64_t> LocalDevice::memory() {
  check_health();
  return {memory_.capacity() - used_by_host(), memory_.capacity()};
}

bool LocalDevice::is_device_address(DeviceAddress address) {
  check_health();
  return find_for_host(address) != nullptr ||
         (is_absent_ && address >= memory_.end() && address < GlobalMemory::base + next_absent_);
}

/// As on hardware, where no call of the host takes an address that malloc() gave to a kernel. What
/// a kernel has allocated is a result of its work like any other: were the host told which
/// addresses are live, that would be a copy that nobody counts.
const Allocation* LocalDevice::find_for_host(DeviceAddress address) const {
  const Allocation* found = memory_.find(address);
  return found && found->origin != Allocation::Origin::heap ? found : nullptr;
}

void LocalDevice::check_range(DeviceAddress address, std::uint64_t bytes, const char* what) const {
  if (memory_.contains(address, bytes) && find_for_host(address)) return;
  throw DeviceError(error_invalid_value, false,
                    fmt::format("{} {} bytes at {}, which do not lie in one live allocation", what,
                                bytes, hexadecimal(address)));
}

void LocalDevice::touch(DeviceAddress address, std::uint64_t bytes, bool write) {
  constexpr std::uint64_t line = 128, all_sectors = 0xf;
  for (DeviceAddress at = address / line * line; at < address + bytes; at += line) {
    l2_.access(at, all_sectors, write);
  }
}

void LocalDevice::write(DeviceAddress to, std::span<const std::byte> from, StreamId stream) {
  check_health();
  timeline_.check(stream);
  if (from.empty() || is_absent_) return;
  check_range(to, from.size(), "a copy to the device writes");
  keep_order(stream, "A copy from the host to the device");
  std::memcpy(memory_.host(to), from.data(), from.size());
  memory_.initialised().set(to - GlobalMemory::base, from.size());
  touch(to, from.size(), true);
  const double bytes = static_cast<double>(from.size());
  timeline_.place(
      stream, Engine::to_device,
      options_.profile.transfer_seconds + bytes / options_.profile.throughput.host_copy);
  log_.activity().host_to_device_bytes += from.size();
}

void LocalDevice::read(std::span<std::byte> to, DeviceAddress from, StreamId stream) {
  check_health();
  timeline_.check(stream);
  if (is_absent_) std::ranges::fill(to, std::byte{0});
  if (to.empty() || is_absent_) return;
  check_range(from, to.size(), "a copy from the device reads");
  keep_order(stream, "A copy from the device to the host");
  std::memcpy(to.data(), memory_.host(from), to.size());
  touch(from, to.size(), false);
  find_unwritten(from, to.size(), /*whole=*/true);
  place_to_host(stream, to.size());
}

void LocalDevice::place_to_host(StreamId stream, std::uint64_t bytes) {
  timeline_.place(stream, Engine::to_host,
                  options_.profile.transfer_seconds +
                      static_cast<double>(bytes) / options_.profile.throughput.host_copy);
  log_.activity().device_to_host_bytes += bytes;
}

void LocalDevice::copy(DeviceAddress to, DeviceAddress from, std::uint64_t bytes, StreamId stream) {
  check_health();
  timeline_.check(stream);
  if (bytes == 0 || is_absent_) return;
  check_range(from, bytes, "a copy within the device reads");
  check_range(to, bytes, "a copy within the device writes");
  keep_order(stream, "A copy within the device");
  std::memmove(memory_.host(to), memory_.host(from), bytes);
  memory_.initialised().copy(to - GlobalMemory::base, from - GlobalMemory::base, bytes);
  touch(from, bytes, false);
  touch(to, bytes, true);
  const Throughputs& rate = options_.profile.throughput;
  timeline_.place(stream, Engine::compute,
                  options_.profile.launch_seconds +
                      static_cast<double>(bytes) * (1 / rate.dram_read + 1 / rate.dram_write));
  log_.activity().device_to_device_bytes += bytes;
}

void LocalDevice::fill(DeviceAddress to, std::uint32_t value, std::uint32_t width,
                       std::uint64_t count, StreamId stream) {
  check_health();
  timeline_.check(stream);
  if (count == 0 || is_absent_) return;
  const bool known_width = width == 1 || width == 2 || width == 4;
  if (!known_width || to % width != 0 || count > memory_.capacity() / width) {
    throw DeviceError(error_invalid_value, false,
                      fmt::format("{} elements of {} bytes at {} cannot be filled", count, width,
                                  hexadecimal(to)));
  }
  const std::uint64_t bytes = count * width;
  check_range(to, bytes, "a fill writes");
  keep_order(stream, "A memset");
  if (width == 1) {
    std::memset(memory_.host(to), static_cast<int>(value & 0xff), bytes);
  } else {
    for (std::uint64_t i = 0; i < count; ++i) {
      std::memcpy(memory_.host(to) + i * width, &value, width);
    }
  }
  memory_.initialised().set(to - GlobalMemory::base, bytes);
  touch(to, bytes, true);
  timeline_.place(stream, Engine::compute,
                  options_.profile.launch_seconds +
                      static_cast<double>(bytes) / options_.profile.throughput.dram_write);
}

void LocalDevice::forget(DeviceAddress address, std::uint64_t bytes) {
  check_health();
  if (is_absent_) return;
  check_range(address, bytes, "forgotten are");
  memory_.initialised().clear(address - GlobalMemory::base, bytes);
}

void LocalDevice::wait_for(std::optional<StreamId> stream) {
  timeline_.synchronize(stream);
  order_.synchronize(stream);
}

void LocalDevice::keep_order(StreamId stream, const std::string& what) {
  found_unordered(order_.add(stream, what));
}

void LocalDevice::found_unordered(const std::string& message) {
  if (message.empty() || !options_.checks.looks_for(FindingKind::stream_race)) return;
  Finding finding{
      .kind = FindingKind::stream_race, .kernel = {}, .where = {}, .other = {}, .message = message};
  log_.add(std::move(finding));
}

void LocalDevice::set_role(StreamId stream, StreamRole role) {
  check_health();
  timeline_.check(stream);
  if (role == StreamRole::given) order_.give(stream);
  if (role == StreamRole::migrations) order_.exempt(stream);
}

StreamId LocalDevice::create_stream(bool non_blocking) {
  check_health();
  const StreamId stream = timeline_.create_stream(non_blocking);
  order_.create_stream(stream, non_blocking);
  return stream;
}

void LocalDevice::destroy_stream(StreamId stream) {
  check_health();
  timeline_.destroy_stream(stream);
  order_.destroy_stream(stream);
}

EventId LocalDevice::create_event() {
  check_health();
  return timeline_.create_event();
}

void LocalDevice::destroy_event(EventId event) {
  check_health();
  timeline_.destroy_event(event);
  order_.destroy_event(event);
}

void LocalDevice::record(EventId event, StreamId stream) {
  check_health();
  timeline_.record(event, stream);
  order_.record(event, stream);
}

void LocalDevice::wait(StreamId stream, EventId event) {
  check_health();
  timeline_.wait(stream, event);
  order_.wait(stream, event);
}

double LocalDevice::elapsed(EventId from, EventId to) {
  check_health();
  return timeline_.elapsed(from, to);
}

std::string LocalDevice::synchronize(std::optional<StreamId> stream) {
  check_health();
  wait_for(stream);
  return printed_to_host(stream.value_or(0));
}

std::string LocalDevice::take_printed() { return printed_to_host(0); }

std::string LocalDevice::printed_to_host(StreamId stream) {
  if (const std::uint64_t bytes = printed_.used(); bytes != 0) {
    place_to_host(stream, bytes);
    timeline_.synchronize(stream);
  }
  std::string text = printed_.take();
  log_.activity().printed.add(text);
  return text;
}

void LocalDevice::set_limit(DeviceLimit limit, std::uint64_t value) {
  check_health();
  switch (limit) {
    case DeviceLimit::heap_bytes:
      if (value > memory_.capacity()) fail_allocation(value);
      heap_.set_limit(value);
      return;
    case DeviceLimit::pending_launches:
      if (in_call_ && order_.knows_given()) {
        throw DeviceError(
            error_not_supported, false,
            "a call that is graded leaves it at " + std::to_string(default_pending_launches));
      }
      pending_launches_ = value;
      return;
    case DeviceLimit::printed_bytes:
      if (value > PrintBuffer::most_bytes) {
        throw DeviceError(error_memory_allocation, false,
                          fmt::format("the simulated GPU has at most {} bytes for what is printed",
                                      PrintBuffer::most_bytes));
      }
      printed_.set_capacity(value);
      return;
  }
  throw DeviceError(error_invalid_value, false, "this limit does not exist");
}

void LocalDevice::mark(bool cold) {
  timeline_.synchronize({});
  marked_ = timeline_.mark();
  log_.clear();
  for (UnwrittenCopy& copy : unwritten_copies_) copy.launch.reset();
  noted_.clear();
  if (cold) l2_.clear();
}

Activity LocalDevice::activity() {
  Activity activity = log_.activity();
  activity.seconds = timeline_.seconds_since(marked_);
  activity.error = error_;
  return activity;
}

}  // namespace gridstride::sim
