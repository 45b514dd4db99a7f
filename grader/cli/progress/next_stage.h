// Which stage comes next, and what a student has reached so far.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "grader/cli/progress/progress.h"

namespace gridstride::cli {

struct CourseStage {
  std::string lab, name, title;
  std::string short_name;  ///< as commands take it: "reduction/2"

  std::string full_name() const { return lab + "/" + name; }
  std::string file() const { return "labs/" + lab + "/" + name + ".cu"; }
};

/// All stages of `labs` as they are taught. A lab whose lab.toml cannot be read is left out: it must
/// not keep anybody from the others.
std::vector<CourseStage> course_stages(const std::vector<std::string>& labs,
                                       const std::filesystem::path& tree);

/// The first stage that has not passed, looked for from the one behind `after` ("reduction/1_first")
/// to the end, and then from the beginning; from there where `after` is no stage. Nothing when all
/// have passed.
std::optional<CourseStage> next_stage(const std::vector<CourseStage>& stages,
                                      const Progress& progress, const std::string& after);

/// The stage that passed last, or empty.
std::string latest_pass(const Progress& progress);

/// What is remembered of `tree`, for commands that only show it: where that cannot be read, it is
/// said once on standard error, and nothing has passed.
Progress known_progress(const std::filesystem::path& tree);

/// "Next: labs/reduction/2_strided.cu, …" and on a second line its command; or that all have passed.
std::string words_about_next(const std::optional<CourseStage>& next);

}  // namespace gridstride::cli
