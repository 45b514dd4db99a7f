// What the user is told about shuffles, votes and warp barriers that not the right threads take
// part in.
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
  result->message = who + " executes " + names_.operation(instruction) + " with the mask " +
                    mask_text(members) + ", in which it, lane " +
                    std::to_string(thread.thread % warp_size) +
                    ", is missing. What comes of it is not defined: a mask names every thread that "
                    "gets there. Take it with __ballot_sync() before the branch.";
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
    why = "which the block does not have: its last warp has " +
          std::to_string(std::popcount(lanes.present)) + " threads";
  } else if (!(lanes.live >> from & 1)) {
    why = "which has ended";
  } else if (!(lanes.members >> from & 1)) {
    why = "which the mask " + mask_text(lanes.members) + " does not name";
  } else {
    why = "which has not come";
  }
  std::string who = names_.thread(thread);
  who[0] = 'T';
  result->message = who + " takes a value from lane " + std::to_string(from) + " of its warp by " +
                    names_.operation(instruction) + ", " + why +
                    ". What it gets is not defined: all lanes that are read must take part, or the "
                    "width must keep the others out.";
  findings_.push_back(std::move(*result));
}

}  // namespace gridstride::sim
