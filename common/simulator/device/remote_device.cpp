// How requests reach the device process, and the calls that are more than one request.
#include "common/simulator/device/remote_device.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/simulator/base/cuda_error.h"
#include "common/simulator/device/blocking.h"
#include "common/simulator/texture/region_parts.h"

namespace gridstride::sim {
namespace {

/// GlobalMemory spreads its allocations that far; a real GPU's come up to the same limit.
constexpr std::uint64_t addresses_per_byte = 8, most_addresses = std::uint64_t{1} << 40;

}  // namespace

RemoteDevice::RemoteDevice(UniqueFd socket, std::function<std::string()> call_site)
    : socket_(std::move(socket)), call_site_(std::move(call_site)) {
  properties_ = call<&Device::properties>();
  const std::uint64_t range =
      std::min(properties_.global_memory * addresses_per_byte, most_addresses);
  void* wanted = reinterpret_cast<void*>(properties_.first_address);
  void* got = mmap(wanted, range, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (got == wanted) {
    reserved_bytes_ = range;
  } else if (got != MAP_FAILED) {
    munmap(got, range);
  }
}

RemoteDevice::~RemoteDevice() {
  void* const begin = reinterpret_cast<void*>(properties_.first_address);
  if (reserved_bytes_ != 0) munmap(begin, reserved_bytes_);
}

std::vector<std::byte> RemoteDevice::ask(std::uint16_t number,
                                         const std::vector<std::byte>& payload) {
  if (payload.size() > wire::max_message_bytes) {
    throw DeviceError(error_invalid_value, false, "more than 64 MiB in one request");
  }
  try {
    send_message(socket_.get(), number, payload, {});
    const Waiting waiting = !properties_.hardware   ? Waiting::asleep
                            : properties_.elsewhere ? Waiting::patiently
                                                    : Waiting::busily;
    Message reply = receive_message(socket_.get(), wire::max_message_bytes, {}, waiting);
    if (reply.operation == static_cast<std::uint16_t>(wire::Reply::ok)) {
      return std::move(reply.payload);
    }
    wire::Reader reader(reply.payload);
    wire::In in{reader};
    wire::Failure failure;
    travel(in, failure);
    throw DeviceError(failure.code, failure.sticky, failure.message);
  } catch (const ConnectionLost&) {
    throw DeviceError(error_devices_unavailable, true, "the process that drives the GPU has ended");
  } catch (const wire::WireError&) {
    fail_for_nonsense();
  }
}

void RemoteDevice::fail_for_nonsense() {
  throw DeviceError(error_devices_unavailable, true,
                    "the process that drives the GPU answered nonsense");
}

std::string RemoteDevice::site() const {
  return call_site_ ? call_site_().substr(0, wire::most_text_bytes) : std::string();
}

ModuleInfo RemoteDevice::load_module(const std::vector<std::vector<std::byte>>& containers,
                                     const std::vector<std::string>& variables) {
  std::vector<std::string> names = variables;
  std::erase_if(names, [](const std::string& name) { return name.size() > wire::most_text_bytes; });
  return call<&Device::load_module>(containers, names);
}

void RemoteDevice::write(DeviceAddress to, std::span<const std::byte> from, StreamId stream) {
  do {
    const auto piece = from.first(std::min(from.size(), wire::max_bulk_bytes));
    call<&Device::write>(to, piece, stream);
    from = from.subspan(piece.size());
    to += piece.size();
  } while (!from.empty());
}

void RemoteDevice::read(std::span<std::byte> to, DeviceAddress from, StreamId stream) {
  do {
    const auto piece = to.first(std::min(to.size(), wire::max_bulk_bytes));
    call<&Device::read>(piece, from, stream);
    to = to.subspan(piece.size());
    from += piece.size();
  } while (!to.empty());
}

void RemoteDevice::write_region(const RegionPlace& to, const RegionSize& size,
                                std::span<const std::byte> from, StreamId stream) {
  for_each_part(size, wire::max_bulk_bytes, [&](const RegionPart& part) {
    call<&Device::write_region>(moved(to, part), part.size, from.subspan(part.at, part.bytes()),
                                stream);
  });
}

void RemoteDevice::read_region(std::span<std::byte> to, const RegionPlace& from,
                               const RegionSize& size, StreamId stream) {
  for_each_part(size, wire::max_bulk_bytes, [&](const RegionPart& part) {
    call<&Device::read_region>(to.subspan(part.at, part.bytes()), moved(from, part), part.size,
                               stream);
  });
}

std::string RemoteDevice::take_printed() {
  try {
    return call<&Device::take_printed>();
  } catch (const DeviceError&) {
    return {};
  }
}

void RemoteDevice::mark(bool) {
  throw DeviceError(error_not_supported, false, "only the judge marks a device process");
}

Activity RemoteDevice::activity() {
  throw DeviceError(error_not_supported, false, "only the judge reads a device process's activity");
}

std::vector<DeviceAddress> RemoteDevice::begin_call(const std::vector<CallRegion>&) {
  throw DeviceError(error_not_supported, false, "only the judge begins a call");
}

CallReport RemoteDevice::end_call() {
  throw DeviceError(error_not_supported, false, "only the judge ends a call");
}

}  // namespace gridstride::sim
