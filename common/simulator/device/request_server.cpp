// See the header.
#include "common/simulator/device/request_server.h"

#include <poll.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "common/simulator/base/cuda_error.h"
#include "common/simulator/base/device_error.h"
#include "common/simulator/device/packing.h"
#include "common/simulator/device/protocol.h"

namespace gridstride::sim {
namespace {

/// Who waits busily, or patiently, does it for so long after a request: the next one follows soon, or not at all.
constexpr std::chrono::milliseconds busy_after_request{5}, patient_after_request{100};

std::vector<std::byte> packed(const wire::Failure& failure) {
  wire::Writer writer;
  wire::Out out{writer};
  travel(out, failure);
  return writer.take();
}

}  // namespace

std::uint16_t wire::protocol_number() {
  constexpr std::uint32_t shape = mixed(ClientRequests::shape(), JudgeRequests::shape());
  return static_cast<std::uint16_t>(shape ^ (shape >> 16));
}

RequestServer::RequestServer(UniqueFd client, UniqueFd control, Handlers handlers, Waiting waiting)
    : client_(std::move(client)),
      control_(std::move(control)),
      handlers_(std::move(handlers)),
      waiting_(waiting) {}

void RequestServer::answer(Connection& connection, const Handler& handle) {
  if (connection.wants() == POLLOUT) {
    connection.flush();
    return;
  }
  try {
    connection.receive();
    const std::optional<Message> message = connection.next();
    if (!message) return;
    auto kind = wire::Reply::ok;
    std::vector<std::byte> reply;
    try {
      wire::Reader reader(message->payload);
      reply = handle(message->operation, reader);
    } catch (const DeviceError& error) {
      kind = wire::Reply::failed;
      reply = packed({error.code(), error.sticky(), error.what()});
    } catch (const wire::WireError&) {
      throw;
    } catch (const std::bad_alloc&) {
      kind = wire::Reply::failed;
      reply = packed({error_memory_allocation, false, "the simulated GPU ran out of host memory"});
    } catch (const std::exception& error) {
      kind = wire::Reply::failed;
      reply = packed({error_unknown, false, error.what()});
    }
    connection.send(static_cast<std::uint16_t>(kind), std::move(reply));
  } catch (const wire::WireError&) {
    connection.close();
  } catch (const std::bad_alloc&) {
    connection.close();
  }
}

void RequestServer::run() {
  using Clock = std::chrono::steady_clock;
  auto busy_until = Clock::now();
  while (control_.open()) {
    const bool serves = client_.open() && (!handlers_.serves_clients || handlers_.serves_clients());
    std::array<pollfd, 2> polled{
        {{.fd = control_.fd(), .events = control_.wants(), .revents = 0},
         {.fd = serves ? client_.fd() : -1, .events = client_.wants(), .revents = 0}}};
    const bool busily = waiting_ != Waiting::asleep && Clock::now() < busy_until;
    const int ready = poll(polled.data(), polled.size(), busily ? 0 : -1);
    if (ready == 0) continue;
    if (ready < 0) {
      if (errno == EINTR) continue;
      throw std::runtime_error("the device process cannot wait for its sockets");
    }
    if (polled[0].revents != 0) answer(control_, handlers_.judge);
    if (polled[1].revents != 0) answer(client_, handlers_.client);
    busy_until = Clock::now() +
                 (waiting_ == Waiting::patiently ? patient_after_request : busy_after_request);
  }
}

}  // namespace gridstride::sim
