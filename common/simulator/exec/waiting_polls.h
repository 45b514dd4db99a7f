// Who polls a word of global memory and waits for it to change.
//
// A thread that polls reads whatever stands there when its turn comes, which may be much more than it
// waits for: of a barrier of the grid not only that all have come, but that some have come to the next
// one. Had it been faster it would have gone on earlier. What it may count on is what the first value
// carried that would have let it go, and that is looked for whenever somebody is about to change the
// word: the instructions behind the load are computed with the value that stands there, on a copy of
// the thread's registers. It is only done where the value decides nothing but how the loop goes on
// (waiting_loads.h), for a thread that polls alone in its warp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/simulator/check/happens_before.h"
#include "common/simulator/program/instruction.h"

namespace gridstride::sim {

class Block;
class GridRun;
struct Frame;

class WaitingPolls {
 public:
  explicit WaitingPolls(GridRun& grid) : grid_(grid) {}

  bool empty() const { return polls_.empty(); }
  /// Somebody is about to change the `bytes` at `address`.
  void before_change(std::uint64_t address, std::uint32_t bytes);
  /// One lane of `warp` polls at `address`. What it learns by that instead of what stands there now,
  /// if that is something else: nothing as long as it has to go on.
  std::optional<FlagMessage> poll(Warp& warp, const Inst& inst, std::uint32_t lane,
                                  std::uint64_t address);
  void end_block(std::uint64_t block);

 private:
  struct Poll {
    Warp* warp = nullptr;
    std::uint64_t block = 0;
    std::uint32_t lane = 0;
    std::uint32_t instruction = 0;
    const Frame* frame = nullptr;
    std::uint64_t address = 0;
    std::uint64_t way = 0;  ///< out of the loop, by a value that has been replaced since; 0: none
    FlagMessage message;    ///< what that carried
  };
  /// A number for the way by which the lane leaves its loop with what stands at `address` now; 0: it
  /// polls again.
  std::uint64_t way_out(const Poll& poll) const;

  GridRun& grid_;
  std::vector<Poll> polls_;
  mutable std::vector<std::byte> registers_;  ///< of the frame that is tried
};

}  // namespace gridstride::sim
