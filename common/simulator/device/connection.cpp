// Non-blocking messages.
#include "common/simulator/device/connection.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

namespace gridstride::sim {

short Connection::wants() const { return sent_ < out_.size() ? POLLOUT : POLLIN; }

wire::Header Connection::header() const {
  wire::Header header;
  std::memcpy(&header, in_.data(), sizeof header);
  if (header.protocol != wire::protocol_number())
    throw wire::WireError("a message of another protocol: were all programs built together?");
  if (header.bytes > most_bytes_) throw wire::WireError("an impossible header");
  return header;
}

void Connection::receive() {
  // First the header alone, then as much as it announces: what follows is the next message's.
  for (;;) {
    const bool has_header = received_ >= sizeof(wire::Header);
    const std::size_t whole = sizeof(wire::Header) + (has_header ? header().bytes : 0);
    if (received_ == whole && has_header) return;
    // Grows with what has arrived, not with what is announced.
    constexpr std::size_t step = std::size_t{1} << 20;
    in_.resize(std::min(whole, received_ + step));
    const ssize_t got =
        recv(fd_.get(), in_.data() + received_, in_.size() - received_, MSG_DONTWAIT);
    if (got <= 0) {
      const bool later = got < 0 && (errno == EAGAIN || errno == EINTR);
      if (!later) close();
      return;
    }
    received_ += static_cast<std::size_t>(got);
  }
}

std::optional<Message> Connection::next() {
  if (received_ < sizeof(wire::Header)) return std::nullopt;
  const wire::Header announced = header();
  if (received_ < sizeof announced + announced.bytes) return std::nullopt;
  Message message{.operation = announced.operation,
                  .payload = {in_.begin() + sizeof announced,
                              in_.begin() + static_cast<std::ptrdiff_t>(received_)}};
  in_.clear();
  received_ = 0;
  return message;
}

void Connection::send(std::uint16_t operation, std::vector<std::byte> payload) {
  const wire::Header header{.bytes = static_cast<std::uint32_t>(payload.size()),
                            .operation = operation,
                            .protocol = wire::protocol_number()};
  const auto* bytes = reinterpret_cast<const std::byte*>(&header);
  out_.assign(bytes, bytes + sizeof header);
  out_.insert(out_.end(), payload.begin(), payload.end());
  sent_ = 0;
  flush();
}

void Connection::flush() {
  while (open() && sent_ < out_.size()) {
    const ssize_t put =
        ::send(fd_.get(), out_.data() + sent_, out_.size() - sent_, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (put > 0) {
      sent_ += static_cast<std::size_t>(put);
    } else if (put < 0 && errno == EAGAIN) {
      return;
    } else if (put >= 0 || errno != EINTR) {
      close();
    }
  }
  out_.clear();
  sent_ = 0;
}

}  // namespace gridstride::sim
