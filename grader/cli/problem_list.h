// `--format`: the list of problems behind the table.
#pragma once

#include <string>

#include "grader/cli/command.h"
#include "grader/report/results.h"

namespace gridstride::cli {

/// The list in the form that is asked for, or that GitHub's runner understands where it is what runs
/// the command; empty for the table alone. Paths are relative to the working folder, for GitHub to its
/// workspace.
std::string problem_list(const Results& results, const GradeOptions& options, const Places& places);

}  // namespace gridstride::cli
