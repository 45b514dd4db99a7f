// What lies beside the stages' files and is none of them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grader/course/lab_config.h"

namespace gridstride {

/// Names in `folder` that are no stage's of `lab`, escaped and sorted, the first hundred. In the
/// course's own folder, where handouts and headers lie too, only those that end in .cu.
std::vector<std::string> ignored_files(const std::filesystem::path& folder, const LabConfig& lab,
                                       bool courses_own);

}  // namespace gridstride
