// What judge and runner say to each other, over one socket.
//
// The judge asks, the runner answers, one at a time. The runner loads a stage and calls its function
// with addresses and scalars: it gets no bytes of inputs, no expected value, no time and no verdict.
// A request carries a number that cannot be guessed and the answer repeats it, so that bytes which
// student code wrote into the socket beforehand are not taken for an answer.
//
// A message is a header {u32 payload bytes, u16 operation, u16 zero} and its payload (wire.h). Both
// sides check every length. A request's payload begins with the u64 number, an answer's with the
// number, a Status and the result as one run of bytes.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "common/simulator/device/wire.h"
#include "common/unique_fd.h"
#include "grader/runner/arguments.h"

namespace gridstride::protocol {

using sim::wire::Reader;
using sim::wire::WireError;
using sim::wire::Writer;

enum class Operation : std::uint16_t {
  load = 1,  ///< library path, function name -> argument kinds
  start,     ///< starts CUDA and makes the stream that calls go to
  call,      ///< count, then each Argument: calls once, then waits for the stream
};

/// How a request ended, as the runner tells it.
struct Status {
  enum class Kind : std::uint8_t {
    ok,
    cuda_error,  ///< of the stage's call or of the work it queued
    exception,   ///< thrown by the stage
    not_loaded,  ///< dlopen or the function's lookup failed
    refused,     ///< the request makes no sense, or the runner's own work failed
  };
  Kind kind = Kind::ok;
  std::int32_t code = 0;  ///< cudaError_t
  std::string name;       ///< "cudaErrorIllegalAddress"
  std::string text;       ///< in the runtime's, dlopen's or the exception's words; untrusted

  bool ok() const { return kind == Kind::ok; }
};

/// What the function is called with.
struct Argument {
  ArgumentKind kind{};
  std::uint64_t address = 0;     ///< on the device, of what is no scalar; 0 for none
  std::uint64_t bytes = 0;       ///< behind the address
  std::vector<std::byte> value;  ///< of a scalar
};

void put(Writer& writer, const Status& status);
void put(Writer& writer, const Argument& argument);
Status get_status(Reader& reader);
Argument get_argument(Reader& reader);
ArgumentKind get_kind(Reader& reader);

/// A request or an answer: the number and what follows it.
std::vector<std::byte> numbered(std::uint64_t number, std::span<const std::byte> payload);

/// A whole answer: number, status and result, which is empty when the status is not ok.
std::vector<std::byte> answer_to(std::uint64_t number, const Status& status,
                                 std::span<const std::byte> result);

/// The other side is gone.
class Closed : public std::runtime_error {
 public:
  Closed() : std::runtime_error("the connection was closed") {}
};

/// The other side did not answer, or did not take what was sent, in time.
class TimedOut : public std::runtime_error {
 public:
  TimedOut() : std::runtime_error("no answer in time") {}
};

struct Message {
  Operation operation{};
  std::vector<std::byte> payload;
};

using Deadline = std::optional<std::chrono::steady_clock::time_point>;  ///< nullopt: no limit

/// One end of the socket. Never blocks past a deadline, in either direction.
class Channel {
 public:
  explicit Channel(UniqueFd socket);

  /// Throws Closed, TimedOut.
  void send(Operation operation, std::span<const std::byte> payload, Deadline deadline);
  /// Whether something is there to be received, or the peer has closed its end; false at the deadline.
  bool has_answer(Deadline deadline);
  /// Throws Closed, TimedOut, WireError (header of nonsense, or a payload over `limit`).
  Message receive(Deadline deadline, std::size_t limit);

 private:
  void transfer(bool out, std::byte* data, std::size_t bytes, Deadline deadline);

  UniqueFd socket_;
};

/// A connected pair of sockets, both close-on-exec. Throws std::runtime_error.
std::pair<UniqueFd, UniqueFd> connected_pair();

}  // namespace gridstride::protocol
