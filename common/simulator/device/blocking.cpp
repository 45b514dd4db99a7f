// Sends and receives whole messages, waiting as long as it takes or as it may.
#include "common/simulator/device/blocking.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gridstride::sim {
namespace {

/// Who waits busily, or patiently, does it for so long.
constexpr std::chrono::milliseconds most_busy{2}, most_patient{100};

void wait_for(int fd, short events, Deadline deadline, Waiting waiting) {
  if (waiting != Waiting::asleep) {
    const auto end =
        std::chrono::steady_clock::now() + (waiting == Waiting::busily ? most_busy : most_patient);
    do {
      pollfd polled{.fd = fd, .events = events, .revents = 0};
      if (poll(&polled, 1, 0) > 0) return;
    } while (std::chrono::steady_clock::now() < end);
  }
  for (;;) {
    int milliseconds = -1;
    if (deadline) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
          *deadline - std::chrono::steady_clock::now());
      milliseconds = static_cast<int>(std::clamp<long>(left.count() + 1, 0, 1'000'000'000));
    }
    pollfd polled{.fd = fd, .events = events, .revents = 0};
    const int ready = poll(&polled, 1, milliseconds);
    if (ready > 0) return;
    if (ready == 0) throw ConnectionTimeout("no answer in time");
    if (errno != EINTR) throw ConnectionLost("the socket cannot be waited for");
  }
}

void send_bytes(int fd, const void* data, std::size_t bytes, Deadline deadline) {
  const auto* at = static_cast<const std::byte*>(data);
  while (bytes > 0) {
    const ssize_t sent = send(fd, at, bytes, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent > 0) {
      at += sent;
      bytes -= static_cast<std::size_t>(sent);
    } else if (errno == EAGAIN) {
      wait_for(fd, POLLOUT, deadline, Waiting::asleep);
    } else if (errno != EINTR) {
      throw ConnectionLost("the connection has ended");
    }
  }
}

void receive_bytes(int fd, void* data, std::size_t bytes, Deadline deadline, Waiting waiting) {
  auto* at = static_cast<std::byte*>(data);
  while (bytes > 0) {
    const ssize_t got = recv(fd, at, bytes, MSG_DONTWAIT);
    if (got > 0) {
      at += got;
      bytes -= static_cast<std::size_t>(got);
    } else if (got < 0 && errno == EAGAIN) {
      wait_for(fd, POLLIN, deadline, waiting);
    } else if (got == 0 || errno != EINTR) {
      throw ConnectionLost("the connection has ended");
    }
  }
}

}  // namespace

void send_message(int fd, std::uint16_t operation, const std::vector<std::byte>& payload,
                  Deadline deadline) {
  wire::Header header{.bytes = static_cast<std::uint32_t>(payload.size()),
                      .operation = operation,
                      .protocol = wire::protocol_number()};
  // In one piece where there is room: whoever waits for it would be woken by each of two. What has not gone, for
  // whatever reason, goes as bytes do.
  std::array<iovec, 2> pieces{
      {{.iov_base = &header, .iov_len = sizeof header},
       {.iov_base = const_cast<std::byte*>(payload.data()), .iov_len = payload.size()}}};
  msghdr message{};
  message.msg_iov = pieces.data();
  message.msg_iovlen = pieces.size();
  const ssize_t count = sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
  const auto sent = static_cast<std::size_t>(std::max<ssize_t>(count, 0));
  const std::size_t of_header = std::min(sent, sizeof header);
  send_bytes(fd, reinterpret_cast<const std::byte*>(&header) + of_header, sizeof header - of_header,
             deadline);
  const std::size_t of_payload = sent - of_header;
  send_bytes(fd, payload.data() + of_payload, payload.size() - of_payload, deadline);
}

Message receive_message(int fd, std::size_t most_bytes, Deadline deadline, Waiting waiting) {
  wire::Header header;
  receive_bytes(fd, &header, sizeof header, deadline, waiting);
  if (header.bytes > most_bytes || header.protocol != wire::protocol_number())
    throw ConnectionLost("not a reply");
  Message message{.operation = header.operation, .payload = std::vector<std::byte>(header.bytes)};
  receive_bytes(fd, message.payload.data(), message.payload.size(), deadline, waiting);
  return message;
}

}  // namespace gridstride::sim
