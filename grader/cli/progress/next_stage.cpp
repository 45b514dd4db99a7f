// The order of the course, and what is done of it.
#include "grader/cli/progress/next_stage.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/terminal.h"
#include "common/text.h"
#include "grader/cli/progress/state.h"
#include "grader/course/course.h"

namespace gridstride::cli {
namespace fs = std::filesystem;

std::vector<CourseStage> course_stages(const std::vector<std::string>& labs, const fs::path& tree) {
  std::vector<CourseStage> stages;
  for (const std::string& name : labs) {
    try {
      const LabConfig lab = load_lab_config(tree / "labs" / name);
      for (const StageConfig& stage : lab.stages)
        stages.push_back(
            {lab.name, stage.name, clean_text(stage.title), short_name(lab, stage.name)});
    } catch (const std::exception&) {
      continue;  // as promised
    }
  }
  return stages;
}

std::optional<CourseStage> next_stage(const std::vector<CourseStage>& stages,
                                      const Progress& progress, const std::string& after) {
  const auto found = std::ranges::find(stages, after, &CourseStage::full_name);
  const auto begin =
      found == stages.end() ? 0 : static_cast<std::size_t>(found - stages.begin()) + 1;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const CourseStage& stage = stages[(begin + i) % stages.size()];
    if (!progress.contains(stage.full_name())) return stage;
  }
  return std::nullopt;
}

std::string latest_pass(const Progress& progress) {
  const auto latest =
      std::ranges::max_element(progress, {}, [](const auto& entry) { return entry.second.passed; });
  return latest == progress.end() ? "" : latest->first;
}

Progress known_progress(const fs::path& tree) {
  try {
    return read_progress(state_folder(tree));
  } catch (const std::exception& error) {
    for (const std::string& line : wrap(clean_text(error.what()), style_of(stderr).width))
      std::fprintf(stderr, "%s\n", line.c_str());
  }
  return {};
}

std::string words_about_next(const std::optional<CourseStage>& next) {
  if (!next) return "Every stage of the course has passed.";
  return "Next: " + next->file() + ", “" + next->title + "”.\nGrade it: ./lab grade " +
         next->short_name;
}

}  // namespace gridstride::cli
