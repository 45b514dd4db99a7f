// lab grade: builds and runs each lab's own grader, then adds up.
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "common/files.h"
#include "common/simulator/link/host.h"
#include "common/subprocess.h"
#include "common/terminal.h"
#include "common/text.h"
#include "grader/cli/build.h"
#include "grader/cli/command.h"
#include "grader/cli/handed_in.h"
#include "grader/cli/lab_grader.h"
#include "grader/cli/output_file.h"
#include "grader/cli/problem_list.h"
#include "grader/cli/profile_option.h"
#include "grader/cli/progress/next_stage.h"
#include "grader/cli/progress/progress.h"
#include "grader/cli/progress/skeleton.h"
#include "grader/cli/progress/state.h"
#include "grader/cli/sandbox_warning.h"
#include "grader/course/course.h"
#include "grader/course/handout.h"
#include "grader/course/lab_path.h"
#include "grader/report/classroom.h"
#include "grader/report/gradescope.h"
#include "grader/report/json.h"
#include "grader/report/junit.h"
#include "grader/report/table.h"

namespace gridstride::cli {
namespace fs = std::filesystem;
namespace {

void check_from(const GradeOptions& options, const std::vector<Selection>& selections) {
  if (options.from.empty()) return;
  if (options.solutions)
    throw UsageError("--from is for what students hand in, not for --solutions.");
  if (!fs::is_directory(options.from))
    throw UsageError("--from: there is no folder " + escaped(options.from) + ".");
  if (selections.size() > 1) {
    for (const Selection& selection : selections) {
      if (handed_in_for(selection.lab.name, options.from).filename() != selection.lab.name)
        throw UsageError(
            "--from: labs have stages of the same name, so several labs at once need a "
            "folder each, and there is no " +
            escaped((fs::path(options.from) / selection.lab.name).string()) +
            ". Name the labs that were handed in.");
    }
  }
}

/// One case of one stage, which the grader shows by itself.
int show_case(const Selection& selection, const GradeOptions& options, const Places& places) {
  Subprocess grader = grader_of(selection, options, places);
  grader.command.insert(grader.command.end(), {"--case", options.one_case});
  std::fflush(stdout);
  return run_process(grader).exit_code;
}

void check_case(const GradeOptions& options, const std::vector<Selection>& selections) {
  if (options.one_case.empty()) return;
  if (selections.size() != 1 || selections.front().stages.size() != 1)
    throw UsageError("--case shows one case of one stage: name the stage, as in reduction/1.");
  if (!options.json.empty() || !options.junit.empty() || !options.gradescope.empty() ||
      !options.classroom.empty())
    throw UsageError("--case grades nothing, so there are no results to write to a file.");
}

/// Whether the stages are the student's own, in labs/, and graded as the course grades them: only
/// those are remembered.
bool are_own(const GradeOptions& options) {
  return !options.solutions && options.from.empty() && options.profile.empty();
}

std::string first_pass(const Results& results) {
  for (const LabResult& lab : results.labs) {
    for (const StageResult& stage : lab.stages) {
      if (stage.verdict == Verdict::pass) return lab.name + "/" + stage.name;
    }
  }
  return {};
}

/// Keeps what has passed, and says what comes next. Where it cannot be kept, that is said and
/// nothing else: what was asked for has been done.
void after_passes(const Results& results, const Places& places) {
  const std::string first = first_pass(results);
  if (first.empty()) return;
  const fs::path tree = places.tree();
  Progress progress;
  try {
    const fs::path state = state_folder(tree);
    remember_passes(state, results, time_stamp());
    progress = read_progress(state);
  } catch (const std::exception& error) {
    std::fflush(stdout);
    for (const std::string& line : wrap(clean_text(error.what()), style_of(stderr).width))
      std::fprintf(stderr, "%s\n", line.c_str());
  }
  for (const LabResult& lab : results.labs) {
    for (const StageResult& stage : lab.stages) {
      if (stage.verdict == Verdict::pass) progress[lab.name + "/" + stage.name];
    }
  }
  const auto stages = course_stages(lab_names(places.build()), tree);
  const TextStyle style = style_of(stdout);
  for (const std::string& line :
       wrap(words_about_next(next_stage(stages, progress, first)), style.width))
    std::printf("%s\n", line.c_str());
}

}  // namespace

int grade(const Places& places, const GradeOptions& asked) {
  const fs::path tree = places.tree();
  const std::vector<std::string> labs = lab_names(places.build());
  GradeOptions options = asked;
  options.solutions |= names_solutions(asked.names, labs, tree).value_or(false);
  check_profile(options.profile);
  if (!options.profile.empty() && sim::link::kind_in(options.device) == "gpu")
    throw UsageError("--profile says which GPU is simulated; with --device " + options.device +
                     " none is.");
  if (!sim::link::host_in(options.device).empty() && !options.profile.empty() &&
      fs::exists(options.profile))
    throw UsageError(
        "--profile: of another host's simulated GPU it is h200, a100 or t4, not a file.");
  if (options.jobs.value_or(1) > 1 && sim::link::kind_in(options.device) == "gpu")
    throw UsageError(
        "--jobs is for the simulated GPU. A real one grades one call at a time, for others would "
        "disturb its times.");
  check_all_writable({options.json, options.junit, options.gradescope, options.classroom});
  if (options.solutions && !fs::is_directory(tree / "solutions"))
    throw UsageError("This tree holds no solutions/ to grade.");
  const auto selections = select(options.names, labs, tree);
  check_from(options, selections);
  check_case(options, selections);
  warn_without_sandbox();
  for (const Selection& selection : selections) {
    keep_skeletons(tree, selection.lab.name);
    if (!options.no_build) build_for(selection, options, places);
  }
  if (!options.one_case.empty()) return show_case(selections.front(), options, places);
  Results all;
  for (const Selection& selection : selections) {
    Results results = grade_lab(selection, options, places);
    if (all.device.kind.empty()) all.device = results.device;
    std::move(results.labs.begin(), results.labs.end(), std::back_inserter(all.labs));
  }
  all.total();
  TableOptions table{.verbose = options.verbose, .own_stages = are_own(options)};
  for (const Selection& selection : selections)
    table.counters[selection.lab.name] = handout_counters(tree / "labs" / selection.lab.name);
  std::fputs(to_table(all, style_of(stdout), table).c_str(), stdout);
  std::fputs(problem_list(all, options, places).c_str(), stdout);
  if (!options.classroom.empty()) std::fputs(classroom_notices(all).c_str(), stdout);
  if (are_own(options)) after_passes(all, places);
  // After what was asked for has been shown: if they cannot be written, it has not been in vain.
  std::fflush(stdout);
  write_output(options.json, to_json(all));
  write_output(options.junit, to_junit(all));
  write_output(options.gradescope, to_gradescope(all));
  write_output(options.classroom, to_classroom(all));
  return exit_code(all);
}

}  // namespace gridstride::cli
