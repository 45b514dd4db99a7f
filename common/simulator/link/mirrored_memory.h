// The memory that judge and device process share, kept alike at both ends of a link.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "common/shared_bytes.h"
#include "common/simulator/device/device.h"
#include "common/simulator/link/frames.h"

namespace gridstride::sim::link {

/// One end's view. What goes out is sent in pieces, a few at a time, so that no end holds all of it twice.
class MirroredMemory {
 public:
  explicit MirroredMemory(SharedBytes& shared) : shared_(shared) {}

  /// Before a call: where its regions have contents, what differs from what the other end has is to be sent.
  void queue_contents(const std::vector<CallRegion>& regions);
  /// Makes room for all that the regions of a call refer to. Throws std::system_error.
  void make_room(const std::vector<CallRegion>& regions);
  /// After a call: its results are to be sent.
  void queue_results(const std::vector<CallRegion>& regions);
  bool queue_is_empty() const { return pieces_.empty(); }
  /// Sends pieces until there are none, or the stream has enough to write.
  void send(FrameStream& stream);
  /// What came from the other end. Throws WireError, std::system_error.
  void take(std::span<const std::byte> payload);

 private:
  struct Piece {
    std::uint64_t at = 0, bytes = 0;
    bool remember = false;
  };
  void queue(std::uint64_t at, std::uint64_t bytes);
  void forget(std::uint64_t at, std::uint64_t bytes);

  SharedBytes& shared_;
  std::vector<std::byte> known_;  ///< what the other end has, in pages that are known
  std::vector<bool> is_known_;    ///< by page, of those that were sent whole
  std::deque<Piece> pieces_;
};

}  // namespace gridstride::sim::link
