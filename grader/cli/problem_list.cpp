// Finds the files that problems are about.
#include "grader/cli/problem_list.h"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "grader/cli/handed_in.h"
#include "grader/report/problems.h"

namespace gridstride::cli {
namespace fs = std::filesystem;
namespace {

bool in_github() {
  const char* const actions = std::getenv("GITHUB_ACTIONS");
  return actions != nullptr && std::string(actions) == "true";
}

bool is_plain(const fs::path& file) {
  std::error_code ignored;
  return fs::is_regular_file(fs::symlink_status(file, ignored));
}

/// What is said of a file that is neither the stage's nor the lab's is said of the stage's first line.
void settle_files(std::vector<Problem>& problems, const fs::path& tree) {
  for (Problem& problem : problems) {
    const std::string own = problem.stage + ".cu";
    const bool name = fs::path(problem.file).filename() == problem.file;
    if (problem.file == own || (name && is_plain(tree / "labs" / problem.lab / problem.file)))
      continue;
    problem.text = problem.file + ":" + std::to_string(problem.line) + ": " + problem.text;
    problem.file = own;
    problem.line = 1;
    problem.column = 0;
  }
}

}  // namespace

std::string problem_list(const Results& results, const GradeOptions& options,
                         const Places& places) {
  const std::string format =
      options.format.empty() ? (in_github() ? "github" : "table") : options.format;
  if (format == "table") return {};
  const fs::path tree = places.tree();
  std::vector<Problem> problems = problems_of(results);
  settle_files(problems, tree);
  const char* const workspace = std::getenv("GITHUB_WORKSPACE");
  const fs::path from = format == "github" && workspace != nullptr && *workspace == '/'
                            ? fs::path(workspace)
                            : fs::current_path();
  const auto path_of = [&](const Problem& problem) {
    fs::path file = stages_folder(problem.lab, options, tree) / problem.file;
    if (problem.file != problem.stage + ".cu") file = tree / "labs" / problem.lab / problem.file;
    return file.lexically_proximate(from).string();
  };
  return format == "gcc" ? to_gcc(problems, path_of) : to_github(problems, path_of);
}

}  // namespace gridstride::cli
