// A lab's own grader, grade-<lab>, built and run.
#pragma once

#include "common/subprocess.h"
#include "grader/cli/command.h"
#include "grader/course/course.h"
#include "grader/report/results.h"

namespace gridstride::cli {

/// Builds the grader, the stages that are selected and the baseline. Throws std::runtime_error.
void build_for(const Selection& selection, const GradeOptions& options, const Places& places);

/// The lab's grader with what is the same whatever it is to do.
Subprocess grader_of(const Selection& selection, const GradeOptions& options, const Places& places);

/// Runs it. Where it ends without results every stage asked for is `infrastructure`. Throws
/// std::runtime_error.
Results grade_lab(const Selection& selection, const GradeOptions& options, const Places& places);

}  // namespace gridstride::cli
