// A stage's way to its verdict: what its files say, its cases, its times, its limits.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "grader/course/lab_config.h"
#include "grader/judge/correctness/correctness.h"
#include "grader/judge/runners/grading.h"
#include "grader/judge/sources/unbuilt.h"
#include "grader/judge/timing/google_benchmarks.h"
#include "grader/report/results.h"

namespace gridstride {

/// One stage while it is being graded.
struct StageState {
  StageTask task;
  StageResult result;
  std::optional<LibraryFile> built;  ///< what is graded; nothing before the files are looked at
  std::string note;      ///< what could not be checked; stands behind the verdict's message
  bool decided = false;  ///< `result` holds the verdict
  std::unique_ptr<Correctness> correctness;
};

/// What the stage's files alone decide: no library, a compile error, a forbidden header.
void decide_by_files(const Grading& grading, StageState& state);

/// After its cases have run: wrong, todo, crash …; undecided when all is right.
void decide_by_cases(StageState& state);

/// Whether something is left to be measured once all cases pass.
bool needs_timing(const StageState& state);

struct RequiredSpeedup {
  double value = 0;        ///< 0 when none is
  bool estimated = false;  ///< measured on another kind of GPU
};
/// Before anything runs: sets grading.thresholds of a real device. Throws CannotGrade as the next.
void choose_required_speedups(Grading& grading,
                              const std::vector<std::unique_ptr<StageState>>& stages);
/// On the device. Throws CannotGrade where a real one has no bound for a stage with points for speed.
RequiredSpeedup required_speedup(const Grading& grading, const StageConfig& config);

/// After timing: pass, slow, over_limit, inconclusive …; limits are checked here, on the simulated
/// device when the timed one is real. `timed` is null when nothing was to be timed.
void decide_by_times(const Grading& grading, StageState& state, const TimedStage* timed);

}  // namespace gridstride
