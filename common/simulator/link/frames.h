// What the two ends of a link say to each other, over any pair of streams.
//
// A link stands between a judge and a device process on another host:
//
//     judge ─ control ┐                                       ┌ control ─ device process
//     runner ─ client ┤ near end ═ frames, over ssh ═ far end ┤ client
//     shared memory ──┘                                       └ shared memory
//
// The near end stands where the device process would, and the far end where judge and runner would, so that
// neither side knows of the other host. What is said on the two sockets goes through as it is. Of the memory that judge and
// device process share, what has changed goes before the request that makes use of it, and results before
// the answer that tells of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/simulator/device/wire.h"
#include "common/unique_fd.h"

namespace gridstride::sim::link {

/// Both ends must be of one version of the course: LinkHost sees to it.
enum class Kind : std::uint16_t {
  start = 1,      ///< to the far end, first: Start
  started,        ///< from it, once the device process runs
  memory,         ///< u64 offset, bytes: of the shared memory
  control,        ///< u16 operation, payload: a message of the judge's socket
  thought,        ///< f64 seconds, to a real GPU, before `client`: Device::program_thought()
  client,         ///< the same as `control`, of the runner's socket
  client_closed,  ///< the runner's socket has been closed
  ended,          ///< from the far end, last: i32 status of the device process, as waitpid has it
};

/// How the device program is started.
struct Start {
  std::string program;  ///< its file name: device_program or gpu_device_program
  std::string profile;
  std::uint64_t schedule_seed = 0, instruction_budget = 0;
};
std::vector<std::byte> pack(const Start& start);
/// Throws WireError.
Start unpack_start(std::span<const std::byte> bytes);

struct Frame {
  Kind kind{};
  std::vector<std::byte> payload;
};

/// One end of a link. Nothing of it waits.
class FrameStream {
 public:
  /// Bytes are read from `in` and written to `out`. Throws std::runtime_error.
  FrameStream(UniqueFd in, UniqueFd out);

  int in() const { return in_.get(); }
  int out() const { return out_.get(); }
  /// The other end has gone, or cannot be reached any more.
  bool ended() const { return ended_; }
  /// Bytes that are still to be written.
  std::size_t queued() const { return out_bytes_.size() - written_; }

  /// Reads what is there. Throws WireError on what is no frame.
  void receive();
  /// The next whole frame, once it is there.
  std::optional<Frame> next();
  /// Queues a frame whose payload is `head`, then `rest`.
  void send(Kind kind, std::span<const std::byte> head, std::span<const std::byte> rest = {});
  /// Writes what can be written.
  void flush();

 private:
  UniqueFd in_, out_;
  std::vector<std::byte> in_bytes_, out_bytes_;
  std::size_t read_ = 0, written_ = 0;  ///< of them, done
  bool ended_ = false;
};

}  // namespace gridstride::sim::link
