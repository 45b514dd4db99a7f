// Framing and the encoding of the values in messages.
#include "grader/runner/protocol.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace gridstride::protocol {
namespace {

using sim::wire::Header;

/// Longest text of any message; what is longer comes from somebody who wants to fill memory.
constexpr std::size_t max_text_bytes = 16u << 10;

std::string get_short_text(Reader& reader) {
  std::string text = reader.get_text();
  if (text.size() > max_text_bytes) throw WireError("a text that is too long");
  return text;
}

/// Milliseconds that poll() may wait; -1 for ever, 0 behind the deadline.
int time_left(const Deadline& deadline) {
  if (!deadline) return -1;
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(*deadline - std::chrono::steady_clock::now());
  return static_cast<int>(std::clamp<long long>(left.count(), 0, INT_MAX));
}

/// The same; throws TimedOut behind the deadline.
int poll_timeout(const Deadline& deadline) {
  const int left = time_left(deadline);
  if (left == 0) throw TimedOut();
  return left;
}

}  // namespace

void put(Writer& writer, const Status& status) {
  writer.put(status.kind);
  writer.put(status.code);
  writer.put_text(status.name.substr(0, max_text_bytes));
  writer.put_text(status.text.substr(0, max_text_bytes));
}

Status get_status(Reader& reader) {
  Status status;
  const auto kind = reader.get<std::uint8_t>();
  if (kind > static_cast<std::uint8_t>(Status::Kind::refused)) throw WireError("an unknown status");
  status.kind = static_cast<Status::Kind>(kind);
  status.code = reader.get<std::int32_t>();
  status.name = get_short_text(reader);
  status.text = get_short_text(reader);
  return status;
}

ArgumentKind get_kind(Reader& reader) {
  const auto kind = reader.get<std::uint32_t>();
  if (kind < static_cast<std::uint32_t>(ArgumentKind::input) ||
      kind > static_cast<std::uint32_t>(ArgumentKind::stream))
    throw WireError("an unknown kind of argument");
  return static_cast<ArgumentKind>(kind);
}

void put(Writer& writer, const Argument& argument) {
  writer.put(argument.kind);
  writer.put(argument.address);
  writer.put(argument.bytes);
  writer.put_bytes(argument.value);
}

Argument get_argument(Reader& reader) {
  Argument argument;
  argument.kind = get_kind(reader);
  argument.address = reader.get<std::uint64_t>();
  argument.bytes = reader.get<std::uint64_t>();
  const auto value = reader.get_bytes();
  argument.value.assign(value.begin(), value.end());
  return argument;
}

std::vector<std::byte> numbered(std::uint64_t number, std::span<const std::byte> payload) {
  std::vector<std::byte> message(sizeof number + payload.size());
  std::memcpy(message.data(), &number, sizeof number);
  std::ranges::copy(payload, message.begin() + sizeof number);
  return message;
}

std::vector<std::byte> answer_to(std::uint64_t number, const Status& status,
                                 std::span<const std::byte> result) {
  Writer writer;
  put(writer, status);
  writer.put_bytes(status.ok() ? result : std::span<const std::byte>());
  return numbered(number, writer.take());
}

Channel::Channel(UniqueFd socket) : socket_(std::move(socket)) {}

void Channel::transfer(bool out, std::byte* data, std::size_t bytes, Deadline deadline) {
  while (bytes != 0) {
    const ssize_t moved = out ? ::send(socket_.get(), data, bytes, MSG_DONTWAIT | MSG_NOSIGNAL)
                              : ::recv(socket_.get(), data, bytes, MSG_DONTWAIT);
    if (moved > 0) {
      data += moved;
      bytes -= static_cast<std::size_t>(moved);
      // A peer that sends one byte at a time must not outlast the deadline either.
      if (deadline) poll_timeout(deadline);
      continue;
    }
    if (moved == 0 && !out) throw Closed();
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) throw Closed();
    pollfd watched{socket_.get(), static_cast<short>(out ? POLLOUT : POLLIN), 0};
    ::poll(&watched, 1, poll_timeout(deadline));
  }
}

bool Channel::has_answer(Deadline deadline) {
  pollfd watched{socket_.get(), POLLIN, 0};
  for (;;) {
    const int ready = ::poll(&watched, 1, time_left(deadline));
    if (ready >= 0 || errno != EINTR) return ready > 0;
  }
}

void Channel::send(Operation operation, std::span<const std::byte> payload, Deadline deadline) {
  if (payload.size() > sim::wire::max_message_bytes) throw WireError("a message that is too long");
  Header header;
  header.bytes = static_cast<std::uint32_t>(payload.size());
  header.operation = static_cast<std::uint16_t>(operation);
  std::array<std::byte, sizeof header> head;
  std::memcpy(head.data(), &header, sizeof header);
  transfer(true, head.data(), head.size(), deadline);
  transfer(true, const_cast<std::byte*>(payload.data()), payload.size(), deadline);
}

Message Channel::receive(Deadline deadline, std::size_t limit) {
  std::array<std::byte, sizeof(Header)> head;
  transfer(false, head.data(), head.size(), deadline);
  Header header;
  std::memcpy(&header, head.data(), sizeof header);
  if (header.protocol != 0) throw WireError("a header that is none");
  if (header.bytes > limit) throw WireError("a message that is too long");
  Message message;
  message.operation = static_cast<Operation>(header.operation);
  message.payload.resize(header.bytes);
  transfer(false, message.payload.data(), message.payload.size(), deadline);
  return message;
}

std::pair<UniqueFd, UniqueFd> connected_pair() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw std::runtime_error(std::string("cannot make a socket: ") + std::strerror(errno));
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

}  // namespace gridstride::protocol
