// Each call of Device as one request and one reply.
#include "common/simulator/device/remote_device.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/simulator/device/blocking.h"
#include "common/simulator/base/cuda_error.h"
#include "common/simulator/memory/global_memory.h"
#include "common/simulator/texture/box_parts.h"

namespace gridstride::sim {
namespace {

using wire::Operation;

constexpr std::uint64_t addresses_per_byte = 8;  // GlobalMemory spreads its allocations that far

}  // namespace

RemoteDevice::RemoteDevice(UniqueFd socket, std::function<std::string()> call_site)
    : socket_(std::move(socket)), call_site_(std::move(call_site)) {
  const auto reply = call(Operation::properties, std::vector<std::byte>{});
  wire::Reader reader(reply);
  properties_ = wire::get_properties(reader);
  const std::uint64_t range = properties_.global_memory * addresses_per_byte;
  void* wanted = reinterpret_cast<void*>(GlobalMemory::base);
  void* got = mmap(wanted, range, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (got == wanted) {
    reserved_bytes_ = range;
  } else if (got != MAP_FAILED) {
    munmap(got, range);
  }
}

RemoteDevice::~RemoteDevice() {
  if (reserved_bytes_ != 0) munmap(reinterpret_cast<void*>(GlobalMemory::base), reserved_bytes_);
}

std::vector<std::byte> RemoteDevice::call(Operation operation, std::vector<std::byte> payload) {
  if (payload.size() > wire::max_message_bytes) {
    throw DeviceError(error_invalid_value, false, "more than 64 MiB in one request");
  }
  try {
    send_message(socket_.get(), static_cast<std::uint16_t>(operation), payload, {});
    Message reply = receive_message(socket_.get(), wire::max_message_bytes, {});
    if (reply.operation == static_cast<std::uint16_t>(Operation::ok)) {
      return std::move(reply.payload);
    }
    wire::Reader reader(reply.payload);
    const auto code = reader.get<std::int32_t>();
    const bool sticky = reader.get_flag();
    throw DeviceError(code, sticky, reader.get_text());
  } catch (const ConnectionLost&) {
    throw DeviceError(error_devices_unavailable, true, "the simulated GPU's process has ended");
  } catch (const wire::WireError&) {
    throw DeviceError(error_devices_unavailable, true, "the simulated GPU answered nonsense");
  }
}

template <class... Arguments>
std::vector<std::byte> RemoteDevice::call(Operation operation, Arguments... arguments) {
  wire::Writer writer;
  (writer.put(arguments), ...);
  return call(operation, writer.take());
}

template <class Result>
Result RemoteDevice::reply_to(Operation operation, std::vector<std::byte> payload) {
  const auto reply = call(operation, std::move(payload));
  wire::Reader reader(reply);
  return reader.get<Result>();
}

template <class Result, class... Arguments>
Result RemoteDevice::ask(Operation operation, Arguments... arguments) {
  wire::Writer writer;
  (writer.put(arguments), ...);
  return reply_to<Result>(operation, writer.take());
}

ModuleInfo RemoteDevice::load_module(const std::vector<std::vector<std::byte>>& containers) {
  wire::Writer writer;
  wire::put(writer, containers);
  const auto reply = call(Operation::load_module, writer.take());
  wire::Reader reader(reply);
  return wire::get_module_info(reader);
}

DeviceAddress RemoteDevice::allocate(std::uint64_t bytes) {
  wire::Writer writer;
  writer.put(bytes);
  writer.put_text(site());
  return reply_to<DeviceAddress>(Operation::allocate, writer.take());
}

DeviceAddress RemoteDevice::allocate_shared(std::uint64_t bytes, SharedMemory kind) {
  wire::Writer writer;
  writer.put(bytes);
  writer.put(kind);
  writer.put_text(site());
  return reply_to<DeviceAddress>(Operation::allocate_shared, writer.take());
}

std::string RemoteDevice::site() const {
  return call_site_ ? call_site_().substr(0, wire::most_site_bytes) : std::string();
}

void RemoteDevice::note_maker(DeviceAddress address, const std::string& maker) {
  wire::Writer writer;
  writer.put(address);
  writer.put_text(maker.substr(0, wire::most_site_bytes));
  call(Operation::note_maker, writer.take());
}

void RemoteDevice::release(DeviceAddress address) { call(Operation::release, address); }

void RemoteDevice::release_async(DeviceAddress address) { call(Operation::release_async, address); }

DeviceAddress RemoteDevice::create_condition() {
  return ask<DeviceAddress>(Operation::create_condition);
}

std::uint32_t RemoteDevice::condition(DeviceAddress handle) {
  return ask<std::uint32_t>(Operation::condition, handle);
}

void RemoteDevice::set_condition(DeviceAddress handle, std::uint32_t value) {
  call(Operation::set_condition, handle, value);
}

std::pair<std::uint64_t, std::uint64_t> RemoteDevice::memory() {
  const auto reply = call(Operation::memory, std::vector<std::byte>{});
  wire::Reader reader(reply);
  const auto free_bytes = reader.get<std::uint64_t>();
  return {free_bytes, reader.get<std::uint64_t>()};
}

bool RemoteDevice::is_device_address(DeviceAddress address) {
  return ask<std::uint8_t>(Operation::is_device_address, address) != 0;
}

void RemoteDevice::write(DeviceAddress to, std::span<const std::byte> from, StreamId stream) {
  do {
    const auto piece = from.first(std::min(from.size(), wire::max_bulk_bytes));
    wire::Writer writer;
    writer.put(to);
    writer.put(stream);
    writer.put_bytes(piece);
    call(Operation::write, writer.take());
    from = from.subspan(piece.size());
    to += piece.size();
  } while (!from.empty());
}

void RemoteDevice::read(std::span<std::byte> to, DeviceAddress from, StreamId stream) {
  do {
    const auto piece = to.first(std::min(to.size(), wire::max_bulk_bytes));
    const auto bytes = call(Operation::read, from, stream, std::uint64_t{piece.size()});
    if (bytes.size() != piece.size()) {
      throw DeviceError(error_devices_unavailable, true, "the simulated GPU answered nonsense");
    }
    std::copy(bytes.begin(), bytes.end(), piece.begin());
    to = to.subspan(piece.size());
    from += piece.size();
  } while (!to.empty());
}

void RemoteDevice::copy(DeviceAddress to, DeviceAddress from, std::uint64_t bytes,
                        StreamId stream) {
  call(Operation::copy, to, from, bytes, stream);
}

void RemoteDevice::forget(DeviceAddress address, std::uint64_t bytes) {
  call(Operation::forget, address, bytes);
}

void RemoteDevice::fill(DeviceAddress to, std::uint32_t value, std::uint32_t width,
                        std::uint64_t count, StreamId stream) {
  call(Operation::fill, to, value, width, count, stream);
}

ArrayId RemoteDevice::create_array(const ArrayShape& shape) {
  wire::Writer writer;
  wire::put(writer, shape);
  const auto reply = call(Operation::create_array, writer.take());
  return wire::Reader(reply).get<ArrayId>();
}

void RemoteDevice::destroy_array(ArrayId array) { call(Operation::destroy_array, array); }

ObjectId RemoteDevice::create_texture(const TextureDescription& how) {
  wire::Writer writer;
  wire::put(writer, how);
  const auto reply = call(Operation::create_texture, writer.take());
  return wire::Reader(reply).get<ObjectId>();
}

void RemoteDevice::destroy_texture(ObjectId texture) { call(Operation::destroy_texture, texture); }

ObjectId RemoteDevice::create_surface(ArrayId array) {
  return ask<ObjectId>(Operation::create_surface, array);
}

void RemoteDevice::destroy_surface(ObjectId surface) { call(Operation::destroy_surface, surface); }

void RemoteDevice::write_box(const BoxPlace& to, const BoxSize& size,
                             std::span<const std::byte> from, StreamId stream) {
  for_each_part(size, wire::max_bulk_bytes, [&](const BoxPart& part) {
    wire::Writer writer;
    wire::put(writer, moved(to, part));
    wire::put(writer, part.size);
    writer.put(stream);
    writer.put_bytes(from.subspan(part.at, part.bytes()));
    call(Operation::write_box, writer.take());
  });
}

void RemoteDevice::read_box(std::span<std::byte> to, const BoxPlace& from, const BoxSize& size,
                            StreamId stream) {
  for_each_part(size, wire::max_bulk_bytes, [&](const BoxPart& part) {
    wire::Writer writer;
    wire::put(writer, moved(from, part));
    wire::put(writer, part.size);
    writer.put(stream);
    writer.put(part.bytes());
    const auto bytes = call(Operation::read_box, writer.take());
    if (bytes.size() != part.bytes()) {
      throw DeviceError(error_devices_unavailable, true, "the simulated GPU answered nonsense");
    }
    std::copy(bytes.begin(), bytes.end(), to.begin() + static_cast<std::ptrdiff_t>(part.at));
  });
}

void RemoteDevice::copy_box(const BoxPlace& to, const BoxPlace& from, const BoxSize& size,
                            StreamId stream) {
  wire::Writer writer;
  wire::put(writer, to);
  wire::put(writer, size);
  writer.put(stream);
  wire::put(writer, from);
  call(Operation::copy_box, writer.take());
}

void RemoteDevice::fill_box(const BoxPlace& to, const BoxSize& size, std::uint8_t value,
                            StreamId stream) {
  wire::Writer writer;
  wire::put(writer, to);
  wire::put(writer, size);
  writer.put(stream);
  writer.put(value);
  call(Operation::fill_box, writer.take());
}

void RemoteDevice::launch(const LaunchRequest& request) {
  wire::Writer writer;
  wire::put(writer, request);
  call(Operation::launch, writer.take());
}

void RemoteDevice::check_launch(const LaunchRequest& request) {
  wire::Writer writer;
  wire::put(writer, request);
  call(Operation::check_launch, writer.take());
}

std::uint32_t RemoteDevice::resident_blocks(KernelId kernel, std::uint32_t block_threads,
                                            std::uint64_t dynamic_shared) {
  return ask<std::uint32_t>(Operation::resident_blocks, kernel, block_threads, dynamic_shared);
}

void RemoteDevice::allow_dynamic_shared(KernelId kernel, std::uint64_t bytes) {
  call(Operation::allow_dynamic_shared, kernel, bytes);
}

void RemoteDevice::set_limit(DeviceLimit limit, std::uint64_t value) {
  call(Operation::set_limit, static_cast<std::uint8_t>(limit), value);
}

StreamId RemoteDevice::create_stream(bool non_blocking) {
  return ask<StreamId>(Operation::create_stream, std::uint8_t{non_blocking});
}

void RemoteDevice::destroy_stream(StreamId stream) { call(Operation::destroy_stream, stream); }

EventId RemoteDevice::create_event() { return ask<EventId>(Operation::create_event); }

void RemoteDevice::destroy_event(EventId event) { call(Operation::destroy_event, event); }

void RemoteDevice::record(EventId event, StreamId stream) {
  call(Operation::record, event, stream);
}

void RemoteDevice::wait(StreamId stream, EventId event) { call(Operation::wait, stream, event); }

double RemoteDevice::elapsed(EventId from, EventId to) {
  return ask<double>(Operation::elapsed, from, to);
}

std::string RemoteDevice::synchronize(std::optional<StreamId> stream) {
  const auto reply =
      call(Operation::synchronize, std::uint8_t{stream.has_value()}, stream.value_or(0));
  wire::Reader reader(reply);
  return reader.get_text();
}

std::string RemoteDevice::take_printed() {
  try {
    const auto reply = call(Operation::take_printed, std::vector<std::byte>{});
    wire::Reader reader(reply);
    return reader.get_text();
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

}  // namespace gridstride::sim
