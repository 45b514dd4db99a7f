// One end of a socket that never blocks: messages come in whole, replies go out when they can.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "common/simulator/device/wire.h"
#include "common/unique_fd.h"

namespace gridstride::sim {

struct Message {
  std::uint16_t operation = 0;
  std::vector<std::byte> payload;
};

/// Holds at most one incoming message and the unsent rest of one reply, so a peer that sends
/// without reading, or reads without sending, costs a bounded amount of memory and no time.
class Connection {
 public:
  /// A longer message than `most_bytes` is impossible.
  explicit Connection(UniqueFd fd, std::size_t most_bytes = wire::max_message_bytes)
      : fd_(std::move(fd)), most_bytes_(most_bytes) {}

  bool open() const { return static_cast<bool>(fd_); }
  int fd() const { return fd_.get(); }
  void close() { fd_.reset(); }
  /// POLLIN or POLLOUT: what to wait for.
  short wants() const;

  /// Reads what is there without waiting; closes at the end of the stream and on errors. Throws
  /// WireError on an impossible header.
  void receive();
  /// The message, once it is complete.
  std::optional<Message> next();

  void send(std::uint16_t operation, std::vector<std::byte> payload);
  /// Writes what the peer takes without waiting; closes on errors.
  void flush();

 private:
  wire::Header header() const;

  UniqueFd fd_;
  std::size_t most_bytes_;
  std::vector<std::byte> in_, out_;
  std::size_t received_ = 0, sent_ = 0;
};

}  // namespace gridstride::sim
