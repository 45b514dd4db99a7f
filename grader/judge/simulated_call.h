// One cold call at the timing size on the simulated device: what its modelled time, its counters
// and its limits come from.
#pragma once

#include <filesystem>
#include <string>

#include "grader/judge/grading.h"
#include "grader/judge/session.h"

namespace gridstride {

/// Makes the timed call of `task` with `library` in its place (the stage's or the baseline's), and
/// checks its answer. Throws TimingFailure, with `who` at the beginning of the message,
/// RunnerError, CannotGrade.
sim::Activity simulated_call(const Grading& grading, const StageTask& task,
                             const std::filesystem::path& library, const std::string& who);

}  // namespace gridstride
