// See the header.
#include "common/simulator/debugger/source_steps.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gridstride::sim {
namespace {

/// Where a lane stands.
struct LanePlace {
  bool known = false;
  std::uint32_t depth = 0, function = 0, line = 0;
  std::vector<std::uint32_t> lines;  ///< by depth: its own, and those from which was called
};

}  // namespace

SourceSteps::SourceSteps(const Playback& playback) : playback_(playback) {
  const Trace& trace = playback.trace();
  const std::size_t count = playback.order().size();
  number_lines(trace);
  of_warp_.resize(trace.blocks.size() * trace.warps_in_block());
  for (std::size_t i = 0; i < count; ++i) of_warp_[playback.step(i).warp].push_back(i);
  follow_lanes();
  find_openings();
}

void SourceSteps::number_lines(const Trace& trace) {
  std::map<std::pair<std::string, std::uint32_t>, std::uint32_t> numbers;
  lines_.emplace_back();
  for (const TraceOp& op : trace.ops) {
    if (op.line == 0 || op.file.empty()) {
      line_of_op_.push_back(0);
      continue;
    }
    const auto [found, is_new] =
        numbers.try_emplace({op.file, op.line}, static_cast<std::uint32_t>(lines_.size()));
    if (is_new) lines_.push_back({op.file, op.line});
    line_of_op_.push_back(found->second);
  }
}

void SourceSteps::follow_lanes() {
  const std::size_t count = playback_.order().size();
  line_.assign(count, 0);
  starts_.assign(count, 0);
  arrivals_.assign(count, 0);
  std::vector<LanePlace> lanes(of_warp_.size() * 32);
  for (std::size_t i = 0; i < count; ++i) {
    const TraceStep& step = playback_.step(i);
    const std::uint32_t line = line_of_op_[step.op], function = playback_.op(i).function;
    line_[i] = line;
    for (std::uint32_t rest = step.here; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
      LanePlace& place = lanes[std::size_t{step.warp} * 32 + lane];
      if (line == 0) {
        if (line_[i] == 0) line_[i] = place.line;
        continue;
      }
      if (place.known && place.depth == step.depth && place.line == line &&
          place.function == function)
        continue;
      starts_[i] |= 1u << lane;
      const bool returns = place.known && step.depth < place.depth &&
                           step.depth < place.lines.size() && place.lines[step.depth] == line;
      if (!returns) arrivals_[i] |= 1u << lane;
      place.known = true;
      place.depth = step.depth;
      place.function = function;
      place.line = line;
      place.lines.resize(std::size_t{step.depth} + 1, 0);
      place.lines[step.depth] = line;
    }
  }
}

void SourceSteps::find_openings() {
  const Trace& trace = playback_.trace();
  for (const TraceOpening& opening : trace.openings) {
    const std::uint32_t first = opening.block * trace.warps_in_block();
    std::vector<std::size_t> arrived;
    for (std::uint32_t warp = 0; warp < trace.warps_in_block(); ++warp) {
      if (!(opening.warps >> warp & 1)) continue;
      // A warp's steps keep their order, so the last one that was recorded before is its arrival.
      const auto& steps = of_warp_[first + warp];
      const auto behind = std::ranges::partition_point(
          steps, [&](std::size_t step) { return playback_.order()[step] < opening.before; });
      if (behind != steps.begin()) arrived.push_back(*(behind - 1));
    }
    if (arrived.empty()) continue;
    const std::size_t last = *std::ranges::max_element(arrived);
    for (const std::size_t step : arrived) opens_after_[step] = last;
  }
}

std::optional<std::size_t> SourceSteps::next(Focus thread, std::size_t from) const {
  const auto& steps = of_warp_[thread.warp];
  for (auto at = std::ranges::lower_bound(steps, from); at != steps.end(); ++at) {
    if (playback_.step(*at).here >> thread.lane & 1) return *at;
  }
  return std::nullopt;
}

std::optional<std::size_t> SourceSteps::previous(Focus thread, std::size_t before) const {
  const auto& steps = of_warp_[thread.warp];
  for (auto at = std::ranges::lower_bound(steps, before); at != steps.begin();) {
    --at;
    if (playback_.step(*at).here >> thread.lane & 1) return *at;
  }
  return std::nullopt;
}

std::optional<std::size_t> SourceSteps::next_of_warp(std::uint32_t warp, std::size_t from) const {
  const auto& steps = of_warp_[warp];
  const auto at = std::ranges::lower_bound(steps, from);
  return at == steps.end() ? std::nullopt : std::optional(*at);
}

std::optional<std::size_t> SourceSteps::previous_of_warp(std::uint32_t warp,
                                                         std::size_t before) const {
  const auto& steps = of_warp_[warp];
  const auto at = std::ranges::lower_bound(steps, before);
  return at == steps.begin() ? std::nullopt : std::optional(*(at - 1));
}

bool SourceSteps::waits(std::uint32_t warp, std::size_t position) const {
  const auto last = previous_of_warp(warp, position);
  if (!last) return false;
  const auto opening = opens_after_.find(*last);
  if (opening != opens_after_.end()) return opening->second >= position;
  return playback_.op(*last).kind == TraceKind::barrier && !next_of_warp(warp, position);
}

}  // namespace gridstride::sim
