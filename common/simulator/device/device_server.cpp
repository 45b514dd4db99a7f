// The device process's loop: takes requests, asks the device, answers.
#include "common/simulator/device/device_server.h"

#include <poll.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "common/simulator/base/cuda_error.h"

namespace gridstride::sim {
namespace {

using wire::Operation;
using wire::packed;

std::vector<std::byte> failure(int code, bool sticky, const std::string& message) {
  wire::Writer writer;
  writer.put(std::int32_t{code});
  writer.put(std::uint8_t{sticky});
  writer.put_text(message);
  return writer.take();
}

std::vector<std::byte> packed_text(const std::string& text) {
  wire::Writer writer;
  writer.put_text(text);
  return writer.take();
}

std::string get_site(wire::Reader& reader) {
  std::string site = reader.get_text();
  if (site.size() > wire::most_site_bytes) throw wire::WireError("too many words for a place");
  return site;
}

/// `address`, which the host's call at `site` has got.
DeviceAddress made(Device& device, DeviceAddress address, const std::string& site) {
  if (!site.empty()) device.note_maker(address, site);
  return address;
}

std::optional<StreamId> get_optional_stream(wire::Reader& reader) {
  const bool one = reader.get_flag();
  const auto stream = reader.get<StreamId>();
  return one ? std::optional<StreamId>(stream) : std::nullopt;
}

}  // namespace

void DeviceServer::run() {
  while (control_.open()) {
    std::array<pollfd, 2> polled{
        {{.fd = control_.fd(), .events = control_.wants(), .revents = 0},
         {.fd = client_.open() ? client_.fd() : -1, .events = client_.wants(), .revents = 0}}};
    if (poll(polled.data(), polled.size(), -1) < 0) {
      if (errno == EINTR) continue;
      throw std::runtime_error("the device process cannot wait for its sockets");
    }
    if (polled[0].revents != 0) serve_control();
    if (polled[1].revents != 0) serve_client();
  }
}

template <class Handler>
void DeviceServer::answer(Connection& connection, Handler&& handle) {
  if (connection.wants() == POLLOUT) {
    connection.flush();
    return;
  }
  try {
    connection.receive();
    const std::optional<Message> message = connection.next();
    if (!message) return;
    Operation kind = Operation::ok;
    Bytes reply;
    try {
      wire::Reader reader(message->payload);
      reply = handle(static_cast<Operation>(message->operation), reader);
    } catch (const DeviceError& error) {
      kind = Operation::failed;
      reply = failure(error.code(), error.sticky(), error.what());
    } catch (const wire::WireError&) {
      throw;
    } catch (const std::bad_alloc&) {
      kind = Operation::failed;
      reply = failure(error_memory_allocation, false, "the simulated GPU ran out of host memory");
    } catch (const std::exception& error) {
      kind = Operation::failed;
      reply = failure(error_unknown, false, error.what());
    }
    connection.send(static_cast<std::uint16_t>(kind), std::move(reply));
  } catch (const wire::WireError&) {
    connection.close();
  } catch (const std::bad_alloc&) {
    connection.close();
  }
}

void DeviceServer::serve_client() {
  answer(client_, [this](Operation operation, wire::Reader& reader) {
    return client_request(operation, reader);
  });
}

void DeviceServer::serve_control() {
  answer(control_, [this](Operation operation, wire::Reader& reader) {
    return control_request(operation, reader);
  });
}

DeviceServer::Bytes DeviceServer::control_request(Operation operation, wire::Reader& reader) {
  wire::Writer writer;
  switch (operation) {
    case Operation::properties:
      reader.finish();
      wire::put(writer, device_.properties());
      return writer.take();
    case Operation::mark: {
      const bool cold = reader.get_flag();
      reader.finish();
      device_.mark(cold);
      return {};
    }
    case Operation::activity: {
      reader.finish();
      wire::put(writer, device_.activity());
      Bytes bytes = writer.take();
      if (bytes.size() > wire::max_activity_bytes) {
        throw DeviceError(error_unknown, false, "the program did more than a report can hold");
      }
      return bytes;
    }
    default:
      throw wire::WireError("not a control operation");
  }
}

DeviceServer::Bytes DeviceServer::client_request(Operation operation, wire::Reader& reader) {
  wire::Writer writer;
  switch (operation) {
    case Operation::properties:
      reader.finish();
      wire::put(writer, device_.properties());
      return writer.take();
    case Operation::load_module: {
      const auto containers = wire::get_containers(reader);
      reader.finish();
      wire::put(writer, device_.load_module(containers));
      return writer.take();
    }
    case Operation::allocate: {
      const auto bytes = reader.get<std::uint64_t>();
      const std::string site = get_site(reader);
      reader.finish();
      return packed(made(device_, device_.allocate(bytes), site));
    }
    case Operation::allocate_shared: {
      const auto bytes = reader.get<std::uint64_t>();
      const auto kind = static_cast<SharedMemory>(reader.get<std::uint8_t>());
      const std::string site = get_site(reader);
      reader.finish();
      return packed(made(device_, device_.allocate_shared(bytes, kind), site));
    }
    case Operation::note_maker: {
      const auto address = reader.get<DeviceAddress>();
      const std::string maker = get_site(reader);
      reader.finish();
      device_.note_maker(address, maker);
      return {};
    }
    case Operation::release: {
      const auto address = reader.get<DeviceAddress>();
      reader.finish();
      device_.release(address);
      return {};
    }
    case Operation::release_async: {
      const auto address = reader.get<DeviceAddress>();
      reader.finish();
      device_.release_async(address);
      return {};
    }
    case Operation::memory: {
      reader.finish();
      const auto [free_bytes, total] = device_.memory();
      return packed(free_bytes, total);
    }
    case Operation::is_device_address: {
      const auto address = reader.get<DeviceAddress>();
      reader.finish();
      return packed(std::uint8_t{device_.is_device_address(address)});
    }
    case Operation::write: {
      const auto to = reader.get<DeviceAddress>();
      const auto stream = reader.get<StreamId>();
      const auto bytes = reader.get_bytes();
      reader.finish();
      device_.write(to, bytes, stream);
      return {};
    }
    case Operation::read: {
      const auto from = reader.get<DeviceAddress>();
      const auto stream = reader.get<StreamId>();
      const auto count = reader.get<std::uint64_t>();
      reader.finish();
      if (count > wire::max_bulk_bytes) throw wire::WireError("a read of too many bytes");
      Bytes bytes(count);
      device_.read(bytes, from, stream);
      return bytes;
    }
    case Operation::copy: {
      const auto to = reader.get<DeviceAddress>(), from = reader.get<DeviceAddress>();
      const auto bytes = reader.get<std::uint64_t>();
      const auto stream = reader.get<StreamId>();
      reader.finish();
      device_.copy(to, from, bytes, stream);
      return {};
    }
    case Operation::forget: {
      const auto address = reader.get<DeviceAddress>();
      const auto bytes = reader.get<std::uint64_t>();
      reader.finish();
      device_.forget(address, bytes);
      return {};
    }
    case Operation::fill: {
      const auto to = reader.get<DeviceAddress>();
      const auto value = reader.get<std::uint32_t>(), width = reader.get<std::uint32_t>();
      const auto count = reader.get<std::uint64_t>();
      const auto stream = reader.get<StreamId>();
      reader.finish();
      device_.fill(to, value, width, count, stream);
      return {};
    }
    case Operation::create_array:
    case Operation::destroy_array:
    case Operation::create_texture:
    case Operation::destroy_texture:
    case Operation::create_surface:
    case Operation::destroy_surface:
      return array_request(operation, reader);
    case Operation::write_box:
    case Operation::read_box:
    case Operation::copy_box:
    case Operation::fill_box:
      return box_request(operation, reader);
    case Operation::launch: {
      const LaunchRequest request = wire::get_launch_request(reader);
      reader.finish();
      device_.launch(request);
      return {};
    }
    case Operation::check_launch: {
      const LaunchRequest request = wire::get_launch_request(reader);
      reader.finish();
      device_.check_launch(request);
      return {};
    }
    case Operation::resident_blocks: {
      const auto kernel = reader.get<KernelId>();
      const auto threads = reader.get<std::uint32_t>();
      const auto shared = reader.get<std::uint64_t>();
      reader.finish();
      return packed(device_.resident_blocks(kernel, threads, shared));
    }
    case Operation::allow_dynamic_shared: {
      const auto kernel = reader.get<KernelId>();
      const auto bytes = reader.get<std::uint64_t>();
      reader.finish();
      device_.allow_dynamic_shared(kernel, bytes);
      return {};
    }
    case Operation::create_condition:
      reader.finish();
      return packed(device_.create_condition());
    case Operation::condition: {
      const auto handle = reader.get<DeviceAddress>();
      reader.finish();
      return packed(device_.condition(handle));
    }
    case Operation::set_condition: {
      const auto handle = reader.get<DeviceAddress>();
      const auto value = reader.get<std::uint32_t>();
      reader.finish();
      device_.set_condition(handle, value);
      return {};
    }
    case Operation::set_limit: {
      const auto limit = static_cast<DeviceLimit>(reader.get<std::uint8_t>());
      const auto value = reader.get<std::uint64_t>();
      reader.finish();
      device_.set_limit(limit, value);
      return {};
    }
    case Operation::create_stream: {
      const bool non_blocking = reader.get_flag();
      reader.finish();
      return packed(device_.create_stream(non_blocking));
    }
    case Operation::destroy_stream: {
      const auto stream = reader.get<StreamId>();
      reader.finish();
      device_.destroy_stream(stream);
      return {};
    }
    case Operation::create_event:
      reader.finish();
      return packed(device_.create_event());
    case Operation::destroy_event: {
      const auto event = reader.get<EventId>();
      reader.finish();
      device_.destroy_event(event);
      return {};
    }
    case Operation::record: {
      const auto event = reader.get<EventId>();
      const auto stream = reader.get<StreamId>();
      reader.finish();
      device_.record(event, stream);
      return {};
    }
    case Operation::wait: {
      const auto stream = reader.get<StreamId>();
      const auto event = reader.get<EventId>();
      reader.finish();
      device_.wait(stream, event);
      return {};
    }
    case Operation::elapsed: {
      const auto from = reader.get<EventId>(), to = reader.get<EventId>();
      reader.finish();
      return packed(device_.elapsed(from, to));
    }
    case Operation::synchronize: {
      const std::optional<StreamId> stream = get_optional_stream(reader);
      reader.finish();
      return packed_text(device_.synchronize(stream));
    }
    case Operation::take_printed:
      reader.finish();
      return packed_text(device_.take_printed());
    default:
      throw wire::WireError("not an operation of the client");
  }
}

}  // namespace gridstride::sim
