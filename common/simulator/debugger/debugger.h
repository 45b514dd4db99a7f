// A debugger's habits over a recording: where it stands, and how it goes on and back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/simulator/debugger/breakpoints.h"
#include "common/simulator/debugger/expression.h"
#include "common/simulator/debugger/inspector.h"
#include "common/simulator/debugger/source_steps.h"

namespace gridstride::sim {

enum class StopReason { step, breakpoint, finding, end, begin };

/// Why it stands where it stands.
struct Stop {
  StopReason reason = StopReason::begin;
  std::vector<int> breakpoints{};  ///< those that were come to
  int finding = -1;                ///< in Trace::findings
  std::string text{};              ///< a sentence; empty after a plain step
};

/// The recording does not change, so each way back is exact. A position is the number of steps that are done, in
/// the order in which they are shown; the thread in focus is about to make its next step. `playback` must outlive
/// it.
class Debugger {
 public:
  explicit Debugger(const Playback& playback);

  const Playback& playback() const { return playback_; }
  const SourceSteps& steps() const { return steps_; }
  const Inspector& inspector() const { return inspector_; }
  Breakpoints& breakpoints() { return breakpoints_; }
  const Breakpoints& breakpoints() const { return breakpoints_; }

  Moment moment() const { return moment_; }
  void set_focus(Focus focus) { moment_.focus = focus; }
  /// The thread of a recorded block. Throws DebugError with what there is.
  Focus thread_named(const Dim3& block, const Dim3& thread) const;
  /// The number-th thread of a block, as threadIdx.x + blockDim.x * (…) counts.
  Focus thread_named(const Dim3& block, std::uint64_t thread) const;
  /// A lane of the warp: the focused one, else the first that has steps to do, else lane 0.
  Focus lane_of(std::uint32_t warp) const;
  bool has_ended(Focus thread) const { return !steps_.next(thread, moment_.position); }
  /// What a thread is of which there are no more steps: "ended", or that no more is recorded.
  const char* end_of_thread() const;
  /// The number of steps of all recorded blocks.
  std::size_t end() const { return steps_.size(); }

  /// What keeps a breakpoint's condition from having a value where a thread comes to it first; else empty.
  std::string doubt_about(const Breakpoint& breakpoint) const;
  /// Whether to stop where a finding was made; on at first.
  void stop_at_findings(bool stop) { at_findings_ = stop; }

  Stop restart();         ///< to the beginning
  Stop run();             ///< from the beginning to the first stop
  Stop resume();          ///< to the next breakpoint, finding or the end
  Stop reverse_resume();  ///< to the one before, or the beginning
  Stop step();            ///< the thread's next line, into calls
  Stop next();            ///< over calls
  Stop finish();          ///< out of the function
  /// Undoes the last of these, if nothing else has moved since; else to the thread's line before.
  Stop back();
  Stop step_instruction();
  Stop back_instruction();
  /// Until each warp of the focused block has left its line, waits at a barrier or has ended.
  Stop step_block();

 private:
  /// Lanes that come to breakpoints by a step, and to which.
  struct Hit {
    std::uint32_t lanes = 0;
    std::vector<int> breakpoints;
  };
  Hit hit_at(std::size_t step) const;
  std::uint32_t lanes_where(const std::string& condition, std::size_t step) const;
  /// Stands at the first finding of steps `from` to `to - 1`, if there is one.
  std::optional<Stop> finding_among(std::size_t from, std::size_t to);
  /// Stands at `step` if there is something to stop for.
  std::optional<Stop> stop_at(std::size_t step);
  Stop go_on(std::size_t from);
  /// The thread's own way to `target`; where that is nothing the others go on.
  Stop forward_to(std::optional<std::size_t> target, bool past_breakpoints);
  Stop at_end();
  Stop at_thread_begin();
  /// A motion that back() undoes.
  Stop undoable(std::optional<std::size_t> target, bool past_breakpoints);
  /// Whether a function that was called begins with this step.
  bool is_entry(std::size_t step) const;
  /// The thread's first step from `from` on that begins a line.
  std::optional<std::size_t> line_start(std::size_t from) const;

  const Playback& playback_;
  SourceSteps steps_;
  Inspector inspector_;
  Breakpoints breakpoints_;
  std::multimap<std::size_t, int> findings_;  ///< by step: in Trace::findings
  Moment moment_;
  struct Motion {
    Moment before, after;
  };
  std::vector<Motion> motions_;  ///< that can be undone, the last one first
  bool at_findings_ = true;
};

}  // namespace gridstride::sim
