// How far a class is, while it is graded: a bar with the time that is left, and in a pipe a line for each
// task that is finished.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "common/terminal.h"
#include "grader/gradebook/gradebook.h"

namespace gridstride {

/// "[=====>    ] 37 of 300, 12 %, 5 min left", `width` columns at most. `seconds` have gone by, in which
/// `finished` of the done ones were finished.
std::string progress_line(const ClassProgress& progress, std::int64_t finished, double seconds,
                          std::size_t width);

class ProgressReport {
 public:
  /// What was finished before is not told.
  explicit ProgressReport(Gradebook& book);
  /// Shows what is new; once a second at most, unless it `must`.
  void tell(bool must = false);
  /// Makes room for a line.
  void clear() { status_.clear(); }
  /// Tasks that were finished since this began.
  std::int64_t finished() const { return finished_; }

 private:
  Gradebook& book_;
  std::int64_t place_ = 0, finished_ = 0;
  std::chrono::steady_clock::time_point begun_, told_;
  StatusLine status_{stderr};
};

}  // namespace gridstride
