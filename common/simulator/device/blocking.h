// Whole messages over a blocking socket: the client's and the judge's side.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <vector>

#include "common/simulator/device/connection.h"

namespace gridstride::sim {

/// The other side has closed the connection, or it broke.
class ConnectionLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
/// Nothing came in time.
class ConnectionTimeout : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// How to wait for something: giving the core away, or looking again and again for a while, because
/// it comes sooner than a core is given back. Patiently is busily over a network: a core that slept for the
/// milliseconds that it takes would take long to wake up, and that would be in what a GPU's clock is told.
enum class Waiting : std::uint8_t { asleep, busily, patiently };

using Deadline = std::optional<std::chrono::steady_clock::time_point>;

/// Both throw ConnectionLost, and ConnectionTimeout past the deadline if there is one.
void send_message(int fd, std::uint16_t operation, const std::vector<std::byte>& payload,
                  Deadline deadline);
/// A longer payload than `most_bytes` is a broken connection.
Message receive_message(int fd, std::size_t most_bytes, Deadline deadline,
                        Waiting waiting = Waiting::asleep);

}  // namespace gridstride::sim
