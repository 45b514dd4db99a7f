// One cold call at the timing size on the simulated device: what its modelled time, its counters
// and its limits come from.
#pragma once

#include <chrono>
#include <optional>

#include "common/simulator/device/device.h"
#include "grader/judge/correctness/outcome.h"
#include "grader/judge/runners/grading.h"

namespace gridstride {

enum class Who { stage, baseline };

/// A call and what came of it.
struct RecordedCall {
  CaseOutcome outcome;     ///< of the judge's look at the answer
  sim::Activity activity;  ///< up to where it failed, if it did
  bool is_idle = false;    ///< it did not end, and has launched nothing
};
/// Makes the timed call of a stage, or the same call of its baseline. `soon` is how long it may take
/// where that is less than otherwise; then it is looked at whether it is idle. Throws RunnerError (the
/// stage does not load), CannotGrade, SandboxError.
RecordedCall record_call(const Grading& grading, const StageTask& task, Who who,
                         std::optional<std::chrono::duration<double>> soon = std::nullopt);

/// Makes the timed call of a stage, or the same call of its baseline, and checks the answer. Throws
/// TimingFailure, RunnerError, CannotGrade.
sim::Activity simulated_call(const Grading& grading, const StageTask& task, Who who);

}  // namespace gridstride
