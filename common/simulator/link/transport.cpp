// See the header.
#include "common/simulator/link/transport.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "common/simulator/device/blocking.h"
#include "common/simulator/device/request_server.h"
#include "common/simulator/device/wire.h"
#include "common/unique_fd.h"

namespace gridstride::sim {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr std::size_t payload_bytes = 64, exchanges = 501;

/// Two ends of a socket, none where there is no more to be had.
std::optional<std::pair<UniqueFd, UniqueFd>> socket_pair() {
  std::array<int, 2> fds{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds.data()) != 0) return {};
  return std::pair(UniqueFd(fds[0]), UniqueFd(fds[1]));
}

/// The client: asks again as soon as it has an answer.
void ask_and_ask(int fd) {
  const std::vector<std::byte> payload(payload_bytes);
  try {
    for (std::size_t round = 0; round <= exchanges; ++round) {
      send_message(fd, 1, payload, {});
      receive_message(fd, payload_bytes, {}, Waiting::busily);
    }
  } catch (const ConnectionLost&) {
    // What was seen until then is enough, or there is nothing.
  }
}

}  // namespace

std::chrono::duration<double> transport_seconds(const std::function<void()>& work,
                                                Waiting waiting) {
  auto requests = socket_pair(), control = socket_pair();
  if (!requests || !control) return {};
  std::vector<Seconds> seen;
  std::optional<Clock::time_point> answered;
  const auto reply = [&](std::uint16_t, wire::Reader&) {
    if (answered) seen.emplace_back(Clock::now() - *answered);
    work();
    answered = Clock::now();
    return std::vector<std::byte>(payload_bytes);
  };
  {
    const std::jthread client([&requests, &control] {
      ask_and_ask(requests->first.get());
      control->first.reset();  // which ends the server
    });
    RequestServer server(std::move(requests->second), std::move(control->second),
                         {.client = reply, .judge = reply, .serves_clients = {}}, waiting);
    server.run();
  }
  if (seen.empty()) return {};
  const auto middle = seen.begin() + static_cast<std::ptrdiff_t>(seen.size() / 2);
  std::ranges::nth_element(seen, middle);
  return *middle;
}

}  // namespace gridstride::sim
