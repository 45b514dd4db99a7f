// What one representative call of a stage does on the simulated GPU: the material of `lab explain`.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "grader/judge/runners/grading.h"
#include "grader/judge/verdict/stage_result.h"

namespace gridstride {

/// Makes the timed call of a stage (its own seed, cold L2) and judges the answer, as grading does:
/// {"name", "source" (path), "verdict", "message", "report"}. The report is that of
/// common/simulator/report, as far as the call came; null when nothing ran. A stage that is decided
/// already keeps its verdict. Throws CannotGrade, SandboxError, sim::DeviceProcessError.
nlohmann::json record_stage(const Grading& grading, const StageState& stage);

}  // namespace gridstride
