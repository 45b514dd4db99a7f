// See the header.
#include "common/simulator/gpu/transport.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

#include "common/simulator/device/blocking.h"
#include "common/unique_fd.h"

namespace gridstride::sim {

CallClock::Seconds transport_seconds() {
  std::array<int, 2> fds{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds.data()) != 0) return {};
  UniqueFd ours(fds[0]);
  const UniqueFd theirs(fds[1]);
  constexpr std::size_t bytes = 64, rounds = 501;
  const std::vector<std::byte> payload(bytes);
  std::thread other([&theirs, &payload] {
    try {
      for (;;) {
        const Message message = receive_message(theirs.get(), bytes, {}, Waiting::busily);
        send_message(theirs.get(), message.operation, payload, {});
      }
    } catch (const ConnectionLost&) {
      // All rounds are over.
    }
  });
  std::vector<CallClock::Seconds> seen;
  try {
    while (seen.size() < rounds) {
      const auto begin = std::chrono::steady_clock::now();
      send_message(ours.get(), 1, payload, {});
      receive_message(ours.get(), bytes, {}, Waiting::busily);
      seen.emplace_back(std::chrono::steady_clock::now() - begin);
    }
  } catch (const std::exception&) {
    seen.assign(1, CallClock::Seconds(0));
  }
  ours.reset();
  other.join();
  const auto middle = seen.begin() + static_cast<std::ptrdiff_t>(seen.size() / 2);
  std::ranges::nth_element(seen, middle);
  return *middle;
}

}  // namespace gridstride::sim
