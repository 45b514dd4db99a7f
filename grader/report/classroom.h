// The results as GitHub Classroom's graders hand them on, for jobs of GitHub Actions.
#pragma once

#include <string>

#include "grader/report/results.h"

namespace gridstride {

/// Version 1 of the format: a test for each stage, with points. What a step gives on as `result`, in
/// base64.
std::string to_classroom(const Results& results);

/// Two workflow commands that make notices, "Autograding complete" for people and "Autograding report" with
/// {"totalPoints": …, "maxPoints": …} for programs: where points are collected, these are looked for.
std::string classroom_notices(const Results& results);

}  // namespace gridstride
