// Where the stages are that are graded.
#pragma once

#include <filesystem>
#include <string>

#include "grader/cli/command.h"

namespace gridstride::cli {

/// Where a student's stages of `lab` are in `from`: there, or in its folder of that name. What stands
/// there may be anything, so a link is not followed.
std::filesystem::path handed_in_for(const std::string& lab, const std::filesystem::path& from);

/// The folder of the stages that `options` ask for: the student's in `tree`, what was handed in, or
/// the solutions.
std::filesystem::path stages_folder(const std::string& lab, const GradeOptions& options,
                                    const std::filesystem::path& tree);

}  // namespace gridstride::cli
