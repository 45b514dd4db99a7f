// lab solution: after a pass, the difference between one's own kernel and the course's.
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

#include "common/subprocess.h"
#include "common/terminal.h"
#include "common/text.h"
#include "grader/cli/command.h"
#include "grader/cli/progress/next_stage.h"
#include "grader/compile/intake.h"
#include "grader/course/course.h"
#include "grader/report/results.h"

namespace gridstride::cli {
namespace fs = std::filesystem;
namespace {

/// A line of a unified diff in its colour.
std::string painted(const std::string& line, const TextStyle& style) {
  if (line.starts_with("---") || line.starts_with("+++")) return style.bold(line);
  if (line.starts_with("@@")) return style.magenta(line);
  if (line.starts_with("-")) return style.red(line);
  if (line.starts_with("+")) return style.green(line);
  return line;
}

/// Prints the unified diff of two files that are named relative to `tree`; false when they are equal.
bool print_difference(const fs::path& tree, const std::string& from, const std::string& to) {
  if (find_program("diff").empty())
    throw std::runtime_error(
        "There is no diff to compare with. Repair: install the package diffutils.");
  const TextStyle style = style_of(stdout);
  Subprocess diff;
  diff.command = {"diff",
                  "--unified",
                  "--label",
                  from,
                  "--label",
                  to,
                  "--",
                  (tree / from).string(),
                  (tree / to).string()};
  diff.on_line = [&](std::string_view line) {
    std::printf("%s\n", painted(clean_text(line), style).c_str());
  };
  const int status = run_process(diff).exit_code;
  if (status > 1) throw std::runtime_error("The two texts could not be compared: see above.");
  return status == 1;
}

}  // namespace

int solution(const Places& places, const StageOptions& options) {
  const fs::path tree = places.tree();
  const Selection selection = select_stage(options.names, lab_names(places.build()), tree);
  const std::string name = selection.lab.name + "/" + selection.stages.front();
  const std::string own = "labs/" + name + ".cu", theirs = "solutions/" + name + ".cu";
  if (!fs::is_regular_file(fs::symlink_status(tree / theirs)))
    throw UsageError("This tree holds no " + theirs +
                     ": where the course is handed out without its solutions, your instructor has "
                     "them.");
  if (!selection.lab.solution_after_pass)
    throw FallsShort("The solutions of " + selection.lab.name + " are not shown: labs/" +
                     selection.lab.name +
                     "/lab.toml says solution_after_pass = false. Ask your instructor.");
  if (!known_progress(tree).contains(name))
    throw FallsShort("The solution of " + name + " is shown once yours has passed: ./lab grade " +
                     short_name(selection.lab, selection.stages.front()) +
                     ". Until then `./lab hint " + name + "` and `./lab explain " + name +
                     "` help.");
  if (const std::string refusal = refusal_of(tree / own); !refusal.empty())
    throw FallsShort(refusal);
  if (!print_difference(tree, own, theirs))
    std::printf("%s is the course's solution, to the letter.\n", own.c_str());
  return exit_pass;
}

}  // namespace gridstride::cli
