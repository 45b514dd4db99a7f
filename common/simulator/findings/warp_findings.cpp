// What the user is told about shuffles, votes and warp barriers that not the right threads take
// part in.
#include <fmt/core.h>

#include <bit>
#include <cstdint>
#include <string>
#include <utility>

#include "common/simulator/findings/diagnostic_text.h"
#include "common/simulator/findings/finding_log.h"

namespace gridstride::sim {
void FindingLog::wrong_mask(const ThreadId& thread, std::uint32_t instruction, LaneMask members) {
  auto result = new_finding(FindingKind::wrong_mask, instruction, instruction);
  if (!result) return;
  result->other = {};
  std::string who = names_.thread(thread);
  who[0] = 'T';
  result->message = fmt::format(
      "{} executes {} with the mask {}, in which it, lane {}, is missing. What comes of it is not "
      "defined: a mask names every thread that gets there. Take it with __ballot_sync() before the "
      "branch.",
      who, names_.operation(instruction), mask_text(members), thread.thread % warp_size);
  findings_.push_back(std::move(*result));
}

void FindingLog::inactive_lane(const ThreadId& thread, std::uint32_t instruction,
                               std::uint32_t from, const WarpLanes& lanes) {
  if (!uses_result(instruction)) return;
  auto result = new_finding(FindingKind::inactive_lane, instruction, instruction);
  if (!result) return;
  result->other = {};
  std::string why;
  if (!(lanes.present >> from & 1)) {
    why = fmt::format("which the block does not have: its last warp has {} threads",
                      std::popcount(lanes.present));
  } else if (!(lanes.live >> from & 1)) {
    why = "which has ended";
  } else if (!(lanes.members >> from & 1)) {
    why = "which the mask " + mask_text(lanes.members) + " does not name";
  } else {
    why = "which has not come";
  }
  std::string who = names_.thread(thread);
  who[0] = 'T';
  result->message = fmt::format(
      "{} takes a value from lane {} of its warp by {}, {}. What it gets is not defined: all lanes "
      "that are read must take part, or the width must keep the others out.",
      who, from, names_.operation(instruction), why);
  findings_.push_back(std::move(*result));
}

}  // namespace gridstride::sim
