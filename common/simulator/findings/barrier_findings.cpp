// What the user is told about barriers that some threads went round, and what races have to do with
// that.
#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/simulator/findings/finding_log.h"

namespace gridstride::sim {

void FindingLog::skipped_barrier(std::uint64_t block, const SkippedBarrier& which,
                                 const Threads& waiting, const Threads& others, bool ended) {
  auto result = new_finding(FindingKind::skipped_barrier, which.in_condition, which.in_condition);
  if (!result) return;
  result->other = {};
  const std::uint32_t line = names_.line_of(which.barrier).line;
  const std::string called = which.in_condition != which.barrier
                                 ? fmt::format(", which line {} calls", result->where.line)
                                 : std::string();
  const std::string why = ended ? "those have ended meanwhile"
                                : fmt::format("those wait at another one, in line {}",
                                              names_.line_of(which.other).line);
  result->message = fmt::format(
      "In block {}, {} at the barrier in line {}{}, round which {}. It opens only because {}. All "
      "threads of a block must reach the same __syncthreads(): move it out of the condition or the "
      "loop.",
      names_.block(block), PlaceNames::threads(waiting, "waits", "wait"), line, called,
      PlaceNames::threads(others, "has gone", "have gone"), why);
  missed_barriers_.push_back({which.barrier, others, findings_.size()});
  findings_.push_back(std::move(*result));
}

void FindingLog::missed_barrier(std::uint32_t instruction, Threads others) {
  missed_barriers_.push_back({instruction, std::move(others), std::nullopt});
}

std::vector<bool> FindingLog::blame_barriers() {
  std::vector<bool> explained(findings_.size());
  std::vector<bool> told(findings_.size() + 1);
  for (const RaceInBlock& race : races_in_blocks_) {
    const auto to_blame = std::ranges::find_if(missed_barriers_, [&](const MissedBarrier& barrier) {
      const auto missed_by = [&](const RacingAccess& access) {
        return std::ranges::find(barrier.others, access.thread) != barrier.others.end();
      };
      return barrier.instruction < race.now.instruction &&
             (missed_by(race.earlier) || missed_by(race.now));
    });
    if (to_blame == missed_barriers_.end()) continue;
    explained[race.finding] = true;
    const std::size_t number = to_blame->finding.value_or(findings_.size());
    if (told[number]) continue;
    told[number] = true;
    Finding& finding = to_blame->finding ? findings_[number] : end_.value();
    finding.message += " As it is, there is a race in " + race.what + ".";
  }
  return explained;
}

}  // namespace gridstride::sim
