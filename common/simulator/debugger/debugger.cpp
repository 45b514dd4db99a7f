// See the header.
#include "common/simulator/debugger/debugger.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/text.h"

namespace gridstride::sim {
namespace {

std::uint32_t lowest(std::uint32_t lanes) {
  return lanes == 0 ? 0 : static_cast<std::uint32_t>(std::countr_zero(lanes));
}

Stop at_breakpoints(std::vector<int> numbers) {
  std::string text;
  for (const int number : numbers)
    text += (text.empty() ? "Breakpoint " : ", ") + std::to_string(number);
  return {.reason = StopReason::breakpoint, .breakpoints = std::move(numbers), .text = text};
}

}  // namespace

Debugger::Debugger(const Playback& playback)
    : playback_(playback),
      steps_(playback),
      inspector_(playback, steps_),
      breakpoints_(playback, steps_) {
  const auto& findings = playback.trace().findings;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    if (const auto accused = playback.accused(findings[i]); accused.step >= 0)
      findings_.emplace(static_cast<std::size_t>(accused.step), static_cast<int>(i));
  }
}

Focus Debugger::thread_named(const Dim3& block, const Dim3& thread) const {
  const Dim3& size = playback_.trace().block;
  if (thread.x >= size.x || thread.y >= size.y || thread.z >= size.z)
    throw DebugError("there is no thread " + text_of(thread) + ": a block has " + text_of(size));
  return thread_named(
      block, thread.x + std::uint64_t{size.x} * (thread.y + std::uint64_t{size.y} * thread.z));
}

Focus Debugger::thread_named(const Dim3& block, std::uint64_t thread) const {
  const Trace& trace = playback_.trace();
  const auto found = std::ranges::find(trace.blocks, block);
  if (found == trace.blocks.end()) {
    std::vector<std::string> blocks;
    for (const Dim3& one : trace.blocks) blocks.push_back(text_of(one));
    throw DebugError("block " + text_of(block) + " is not recorded; recorded is " + listed(blocks));
  }
  if (thread >= trace.block.count())
    throw DebugError(fmt::format("there is no thread {}: a block has threads 0 to {}", thread,
                                 trace.block.count() - 1));
  const auto number = static_cast<std::uint32_t>(found - trace.blocks.begin());
  return {number * trace.warps_in_block() + static_cast<std::uint32_t>(thread / 32),
          static_cast<std::uint32_t>(thread % 32)};
}

Focus Debugger::lane_of(std::uint32_t warp) const {
  if (warp == moment_.focus.warp) return moment_.focus;
  const auto next = steps_.next_of_warp(warp, moment_.position);
  if (!next) return {warp, 0};
  return {warp, lowest(playback_.step(*next).here)};
}

std::uint32_t Debugger::lanes_where(const std::string& condition, std::size_t step) const {
  std::uint32_t lanes = 0;
  for (std::uint32_t rest = steps_.arrivals(step); rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    const Moment there{step, {playback_.step(step).warp, lane}};
    const std::vector<StackFrame> frames = inspector_.frames(there);
    try {
      const Value value = evaluate(condition, inspector_, &frames.front(), there);
      const auto number = inspector_.number(value, there);
      if (number && number->truth()) lanes |= 1u << lane;
    } catch (const DebugError&) {
      // What has no value there is not true there.
    }
  }
  return lanes;
}

std::string Debugger::doubt_about(const Breakpoint& breakpoint) const {
  if (breakpoint.condition.empty()) return {};
  for (std::size_t step = 0; step < end(); ++step) {
    if (steps_.arrivals(step) == 0 ||
        std::ranges::find(breakpoint.lines, steps_.line_of(step)) == breakpoint.lines.end())
      continue;
    const Moment there{step, {playback_.step(step).warp, lowest(steps_.arrivals(step))}};
    const std::vector<StackFrame> frames = inspector_.frames(there);
    try {
      const Value value = evaluate(breakpoint.condition, inspector_, &frames.front(), there);
      if (inspector_.number(value, there)) return {};
      return "the condition is no number there: " + inspector_.text(value, there, 1);
    } catch (const DebugError& error) {
      return std::string("the condition has no value there: ") + error.what();
    }
  }
  return {};
}

Debugger::Hit Debugger::hit_at(std::size_t step) const {
  Hit hit;
  if (steps_.arrivals(step) == 0 || breakpoints_.all().empty()) return hit;
  for (const Breakpoint* one : breakpoints_.at(steps_.line_of(step))) {
    const std::uint32_t lanes =
        one->condition.empty() ? steps_.arrivals(step) : lanes_where(one->condition, step);
    if (lanes == 0) continue;
    hit.lanes |= lanes;
    hit.breakpoints.push_back(one->number);
  }
  return hit;
}

std::optional<Stop> Debugger::finding_among(std::size_t from, std::size_t to) {
  const auto found = findings_.lower_bound(from);
  if (!at_findings_ || found == findings_.end() || found->first >= to) return std::nullopt;
  const TraceFinding& finding = playback_.trace().findings[static_cast<std::size_t>(found->second)];
  const TraceStep& step = playback_.step(found->first);
  const Playback::Accused accused = playback_.accused(finding);
  moment_ = {found->first,
             {step.warp, accused.lanes.empty() ? lowest(step.here) : accused.lanes.front()}};
  return Stop{.reason = StopReason::finding,
              .finding = found->second,
              .text = "Finding: " + finding.message};
}

std::optional<Stop> Debugger::stop_at(std::size_t step) {
  if (auto stop = finding_among(step, step + 1)) return stop;
  Hit hit = hit_at(step);
  if (hit.lanes == 0) return std::nullopt;
  const std::uint32_t warp = playback_.step(step).warp;
  const bool stays = warp == moment_.focus.warp && (hit.lanes >> moment_.focus.lane & 1);
  moment_ = {step, stays ? moment_.focus : Focus{warp, lowest(hit.lanes)}};
  return at_breakpoints(std::move(hit.breakpoints));
}

const char* Debugger::end_of_thread() const {
  if (playback_.trace().cut) return "recorded no further";
  return playback_.trace().reason.empty() ? "ended" : "no longer running";
}

Stop Debugger::at_end() {
  moment_.position = end();
  const Trace& trace = playback_.trace();
  Stop stop{.reason = StopReason::end, .text = "The recorded blocks have ended."};
  if (trace.cut) {
    stop.text = fmt::format(
        "The recording ends here, after {} steps: the launch went on, but no more was kept.",
        end());
  } else if (!trace.reason.empty()) {
    stop.text = "The launch ended with an error: " + trace.reason;
  }
  return stop;
}

Stop Debugger::at_thread_begin() {
  moment_.position = 0;
  return {.reason = StopReason::begin, .text = "The thread begins here."};
}

Stop Debugger::restart() {
  moment_.position = 0;
  return {.reason = StopReason::begin, .text = "The beginning of the recording."};
}

Stop Debugger::go_on(std::size_t from) {
  for (std::size_t i = from; i < end(); ++i) {
    if (auto stop = stop_at(i)) return *std::move(stop);
  }
  return at_end();
}

Stop Debugger::run() {
  moment_.position = 0;
  return go_on(0);
}

Stop Debugger::resume() { return go_on(std::min(moment_.position + 1, end())); }

Stop Debugger::reverse_resume() {
  for (std::size_t i = moment_.position; i-- > 0;) {
    if (auto stop = stop_at(i)) return *std::move(stop);
  }
  return restart();
}

std::optional<std::size_t> Debugger::line_start(std::size_t from) const {
  auto at = steps_.next(moment_.focus, from);
  while (at && !(steps_.starts(*at) >> moment_.focus.lane & 1))
    at = steps_.next(moment_.focus, *at + 1);
  return at;
}

Stop Debugger::undoable(std::optional<std::size_t> target, bool past_breakpoints) {
  const Moment before = moment_;
  if (!motions_.empty() && motions_.back().after != before) motions_.clear();
  Stop stop = forward_to(target, past_breakpoints);
  motions_.push_back({before, moment_});
  return stop;
}

Stop Debugger::forward_to(std::optional<std::size_t> target, bool past_breakpoints) {
  const std::size_t from = moment_.position + 1;
  if (!target) return go_on(std::min(from, end()));
  const auto own_hit = [&](std::size_t step) {
    const bool own = playback_.step(step).warp == moment_.focus.warp;
    Hit hit = own ? hit_at(step) : Hit{};
    if (!(hit.lanes >> moment_.focus.lane & 1)) hit.breakpoints.clear();
    return hit.breakpoints;
  };
  std::size_t to = *target;
  if (past_breakpoints) {
    for (auto at = steps_.next(moment_.focus, from); at && *at < to;
         at = steps_.next(moment_.focus, *at + 1)) {
      if (!own_hit(*at).empty()) to = *at;
    }
  }
  if (auto stop = finding_among(from, to + 1)) return *std::move(stop);
  moment_.position = to;
  if (std::vector<int> numbers = own_hit(to); !numbers.empty())
    return at_breakpoints(std::move(numbers));
  return {.reason = StopReason::step};
}

bool Debugger::is_entry(std::size_t step) const {
  return playback_.step(step).depth > 0 && playback_.op(step).at == 0;
}

Stop Debugger::step() {
  const auto now = steps_.next(moment_.focus, moment_.position);
  if (!now) return at_end();
  auto target = line_start(*now + 1);
  // Where a function is entered its parameters are not in place yet: the line behind is the first of its own.
  if (target && playback_.step(*target).depth > playback_.step(*now).depth && is_entry(*target)) {
    const auto first = line_start(*target + 1);
    if (first && playback_.step(*first).depth == playback_.step(*target).depth) target = first;
  }
  return undoable(target, false);
}

Stop Debugger::next() {
  const auto now = steps_.next(moment_.focus, moment_.position);
  if (!now) return at_end();
  const std::uint32_t depth = playback_.step(*now).depth;
  auto at = line_start(*now + 1);
  // Where a call returns into its line, that line goes on.
  while (at &&
         (playback_.step(*at).depth > depth || (playback_.step(*at).depth == depth &&
                                                !(steps_.arrivals(*at) >> moment_.focus.lane & 1))))
    at = line_start(*at + 1);
  return undoable(at, true);
}

Stop Debugger::finish() {
  const auto now = steps_.next(moment_.focus, moment_.position);
  if (!now) return at_end();
  const std::uint32_t depth = playback_.step(*now).depth;
  auto at = steps_.next(moment_.focus, *now + 1);
  while (at && playback_.step(*at).depth >= depth) at = steps_.next(moment_.focus, *at + 1);
  return undoable(at, true);
}

Stop Debugger::back() {
  if (!motions_.empty() && motions_.back().after == moment_) {
    moment_ = motions_.back().before;
    motions_.pop_back();
    return {.reason = StopReason::step};
  }
  motions_.clear();
  const auto now = steps_.next(moment_.focus, moment_.position);
  const auto start_before = [&](std::size_t before) {
    auto at = steps_.previous(moment_.focus, before);
    while (at && !(steps_.starts(*at) >> moment_.focus.lane & 1))
      at = steps_.previous(moment_.focus, *at);
    return at;
  };
  auto at = start_before(now.value_or(end()));
  // step() does not stop where a function is entered.
  if (at && is_entry(*at)) at = start_before(*at);
  if (!at) return at_thread_begin();
  moment_.position = *at;
  return {.reason = StopReason::step};
}

Stop Debugger::step_instruction() {
  const auto now = steps_.next(moment_.focus, moment_.position);
  if (!now) return at_end();
  return undoable(steps_.next(moment_.focus, *now + 1), false);
}

Stop Debugger::back_instruction() {
  const auto now = steps_.next(moment_.focus, moment_.position);
  const auto at = steps_.previous(moment_.focus, now.value_or(end()));
  if (!at) return at_thread_begin();
  moment_.position = *at;
  return {.reason = StopReason::step};
}

Stop Debugger::step_block() {
  const std::uint32_t warps = playback_.trace().warps_in_block();
  const std::uint32_t first = moment_.focus.warp / warps * warps;
  struct InLine {
    std::uint32_t lanes = 0;  ///< that stand at the line; 0: it is left
    std::size_t step = 0;     ///< of these
  };
  std::vector<InLine> all(warps);
  for (std::uint32_t warp = 0; warp < warps; ++warp) {
    if (const auto now = steps_.next_of_warp(first + warp, moment_.position))
      all[warp] = {playback_.step(*now).here, *now};
  }
  for (std::size_t at = moment_.position + 1; at < end(); ++at) {
    bool done = true;
    for (std::uint32_t warp = 0; warp < warps; ++warp) {
      InLine& one = all[warp];
      if (one.lanes == 0) continue;
      const auto next = steps_.next_of_warp(first + warp, at);
      const bool left = !next || (*next > one.step && (steps_.starts(*next) & one.lanes) != 0);
      if (left) one.lanes = 0;
      done = done && (left || steps_.waits(first + warp, at));
    }
    if (done) return undoable(at, false);
  }
  return undoable(std::nullopt, false);
}

}  // namespace gridstride::sim
