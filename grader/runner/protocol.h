// What judge and runner say to each other, over one socket.
//
// The judge asks, the runner answers, one at a time. The runner is a server of device memory that
// can also call a function: it knows no size of a case, no expected value and no verdict. A request
// carries a number that cannot be guessed and the answer repeats it, so that bytes which student
// code wrote into the socket beforehand are not taken for an answer.
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

using sim::wire::max_bulk_bytes;
using sim::wire::Reader;
using sim::wire::WireError;
using sim::wire::Writer;

/// On the simulated device the runner is told to `call_with`: it gets addresses and scalars, and
/// never bytes of inputs, nor the time; the judge has those from the device process. On a real GPU
/// it makes, fills and reads the arguments' memory and measures the time, as it is told by the rest.
enum class Operation : std::uint16_t {
  describe = 1,  ///< -> DeviceInfo
  load,          ///< library path, function name -> argument kinds
  allocate,      ///< count, then Allocation of each argument; frees what was there before
  fill,          ///< u32 argument, u8 byte: the whole allocation, guard bands included
  write,         ///< u32 argument, u64 byte offset into the allocation, bytes (max_bulk_bytes)
  read,          ///< u32 argument, u64 byte offset, u64 count (max_bulk_bytes) -> bytes
  call,          ///< once, then waits for the stream
  time,          ///< u64 flush bytes, u32 launches -> Timing
  start,         ///< starts CUDA and makes the stream that calls go to
  call_with,     ///< count, then each Argument: calls once, then waits for the stream
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

struct DeviceInfo {
  std::string name;
  std::int32_t driver_version = 0, runtime_version = 0;  ///< 13000 is 13.0
  std::uint64_t l2_bytes = 0, free_bytes = 0, total_bytes = 0;
  double bytes_per_second = 0;  ///< of the memory's pins; 0 when the runtime does not say
};

/// Device memory of one argument, or the value of a scalar. The allocation is
/// `guard_bytes`, `offset_bytes`, `bytes`, `guard_bytes` long; the stage gets the address of the
/// third part, so an offset that is not a multiple of 256 gives an unaligned pointer.
struct Allocation {
  ArgumentKind kind{};
  std::uint64_t bytes = 0, offset_bytes = 0, guard_bytes = 0;
  std::vector<std::byte> value;  ///< of a scalar
  std::string name;              ///< of the argument, for messages

  std::uint64_t data_begin() const { return guard_bytes + offset_bytes; }
  std::uint64_t total() const { return data_begin() + bytes + guard_bytes; }
};

/// What the function is called with, where the judge knows.
struct Argument {
  ArgumentKind kind{};
  std::uint64_t address = 0;     ///< on the device, of what is no scalar; 0 for none
  std::uint64_t bytes = 0;       ///< behind the address
  std::vector<std::byte> value;  ///< of a scalar
};

/// What the runner claims about a batch of launches.
struct Timing {
  double seconds = 0;  ///< between an event before the first launch and one after the last
  /// The GPU had already passed the first event when the second was queued, so that time of the
  /// host may be in `seconds`.
  bool exposed_host = false;
};

void put(Writer& writer, const Status& status);
void put(Writer& writer, const DeviceInfo& info);
void put(Writer& writer, const Allocation& allocation);
void put(Writer& writer, const Argument& argument);
void put(Writer& writer, const Timing& timing);
Status get_status(Reader& reader);
DeviceInfo get_device_info(Reader& reader);
Allocation get_allocation(Reader& reader);
Argument get_argument(Reader& reader);
Timing get_timing(Reader& reader);

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
  /// Throws Closed, TimedOut, WireError (header of nonsense, or a payload over `limit`).
  Message receive(Deadline deadline, std::size_t limit);

 private:
  void transfer(bool out, std::byte* data, std::size_t bytes, Deadline deadline);

  UniqueFd socket_;
};

/// A connected pair of sockets, both close-on-exec. Throws std::runtime_error.
std::pair<UniqueFd, UniqueFd> connected_pair();

}  // namespace gridstride::protocol
