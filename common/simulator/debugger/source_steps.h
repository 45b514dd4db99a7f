// A recording as lines of the source: where each thread comes to a new line, and what it does next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/simulator/playback/playback.h"

namespace gridstride::sim {

/// A thread: its warp, of all recorded blocks (TraceStep::warp), and its lane there.
struct Focus {
  std::uint32_t warp = 0, lane = 0;
  friend bool operator==(const Focus&, const Focus&) = default;
};

struct CodeLine {
  std::string file;  ///< as the compiler recorded it
  std::uint32_t line = 0;
};

/// Steps are numbered as they are shown (Playback::order()). `playback` must outlive this.
class SourceSteps {
 public:
  explicit SourceSteps(const Playback& playback);

  std::size_t size() const { return line_.size(); }
  /// Lines that ran, by number. Number 0 is of code whose line is not known.
  const std::vector<CodeLine>& lines() const { return lines_; }
  /// The line of a step. An instruction of no line belongs to the line before it.
  std::uint32_t line_of(std::size_t step) const { return line_[step]; }
  /// Lanes that come to another line, or into another function, by this step.
  std::uint32_t starts(std::size_t step) const { return starts_[step]; }
  /// The same without those that return into the line from which they called.
  std::uint32_t arrivals(std::size_t step) const { return arrivals_[step]; }

  /// The steps of a warp, in their order.
  const std::vector<std::size_t>& of_warp(std::uint32_t warp) const { return of_warp_[warp]; }
  /// The thread's first step from `from` on; nothing when it has ended.
  std::optional<std::size_t> next(Focus thread, std::size_t from) const;
  /// The thread's last step before `before`.
  std::optional<std::size_t> previous(Focus thread, std::size_t before) const;
  /// The same of a warp, whatever its lanes.
  std::optional<std::size_t> next_of_warp(std::uint32_t warp, std::size_t from) const;
  std::optional<std::size_t> previous_of_warp(std::uint32_t warp, std::size_t before) const;

  /// Whether the warp stands at a barrier that is not open yet when the steps before `position` are done.
  bool waits(std::uint32_t warp, std::size_t position) const;

 private:
  void number_lines(const Trace& trace);
  void follow_lanes();
  void find_openings();

  const Playback& playback_;
  std::vector<CodeLine> lines_;
  std::vector<std::uint32_t> line_of_op_;
  std::vector<std::uint32_t> line_, starts_, arrivals_;
  std::vector<std::vector<std::size_t>> of_warp_;
  std::map<std::size_t, std::size_t>
      opens_after_;  ///< by a barrier's step: the last one that arrives
};

}  // namespace gridstride::sim
