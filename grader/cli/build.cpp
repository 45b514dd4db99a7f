// CMake drives ninja; ninja's own lines say how far it is.
#include "grader/cli/build.h"

#include <algorithm>
#include <cstdio>
#include <deque>
#include <exception>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "common/files.h"
#include "common/paths.h"
#include "common/subprocess.h"
#include "common/terminal.h"
#include "common/text.h"
#include "grader/cli/stage_builder.h"
#include "grader/compile/intake.h"
#include "grader/compile/stage_files.h"

namespace gridstride::cli {
namespace fs = std::filesystem;
namespace {

/// The last lines of a build: enough for the errors, not enough to scroll them away.
constexpr std::size_t lines_kept = 60;
/// Of these, the ones that stand in a stage's verdict.
constexpr std::size_t lines_told = 8, columns_told = 200;

/// "[12/87] Building CXX object …", as NINJA_STATUS below asks for it.
bool is_progress(std::string_view line) {
  const std::size_t end = line.find("] ");
  return line.size() > 2 && line[0] == '[' && end != std::string_view::npos &&
         line.substr(1, end - 1).find_first_not_of("0123456789/") == std::string_view::npos;
}

/// What is said where there was nothing to build.
bool is_a_look(std::string_view line) {
  return line.find("] Looking at what is handed in") != std::string_view::npos ||
         line.find("] Re-checking globbed directories") != std::string_view::npos;
}

struct BuildOutput {
  bool succeeded = false;
  std::deque<std::string> lines;  ///< what was said, progress left out
};

/// In a pipe the build of `what` is announced; what is empty has been announced before.
BuildOutput run_build(const fs::path& folder, const fs::path& handed_in,
                      const std::vector<std::string>& targets, const std::string& what = "") {
  BuildOutput output;
  StatusLine status(stderr);
  bool announced = what.empty();
  Subprocess ninja;
  // Two builds in one folder would spoil each other's work; ./lab takes the same lock.
  ninja.command = {"flock",   (folder / "lock").string(), "cmake", "--build", folder.string(),
                   "--target"};
  ninja.command.insert(ninja.command.end(), targets.begin(), targets.end());
  // Everything that can be built is: one stage that fails must not keep others from being graded.
  ninja.command.insert(ninja.command.end(), {"--", "-k", "0"});
  ninja.environment = {{"NINJA_STATUS", "[%f/%t] "},
                       {"CLICOLOR_FORCE", "0"},
                       {"GRIDSTRIDE_HANDED_IN", handed_in.string()}};
  ninja.merge_errors = true;
  ninja.on_line = [&](std::string_view line) {
    if (is_progress(line)) {
      const std::size_t end = line.find(']');
      if (!announced && !is_a_look(line) && !is_terminal(stderr)) {
        std::fprintf(stderr, "Building %s …\n", what.c_str());
        announced = true;
      }
      status.show("Building " + std::string(line.substr(0, end + 1)) +
                  clean_text(line.substr(end + 1)));
    } else {
      output.lines.push_back(clean_text(line));
      if (output.lines.size() > lines_kept) output.lines.pop_front();
    }
  };
  output.succeeded = run_process(ninja).succeeded();
  return output;
}

/// A file's time, to see whether a build has written it anew; none where there is no file.
std::optional<fs::file_time_type> time_of(const fs::path& file) {
  std::error_code missing;
  const fs::file_time_type time = fs::last_write_time(file, missing);
  return missing ? std::nullopt : std::optional(time);
}

/// A stage library, and what was said of it before a build.
struct StageFiles {
  std::string target;
  fs::path library;
  std::optional<fs::file_time_type> log, infrastructure;

  StageFiles(const fs::path& folder, std::string stage)
      : target(std::move(stage)),
        library(folder / target),
        log(time_of(log_of(library))),
        infrastructure(time_of(infrastructure_of(library))) {}

  /// Whether there is no library, and the build has said why.
  bool failure_is_told() const {
    if (time_of(library)) return false;
    const auto told = time_of(log_of(library));
    if (told && told != log && fs::file_size(log_of(library)) > 0) return true;
    const auto reason = time_of(infrastructure_of(library));
    return reason && reason != infrastructure;
  }
};

/// A build can fail for a stage before the guard runs, or where it can write nothing: on a full
/// disk, when ninja itself dies. No library of an earlier build is graded then, and no earlier
/// failure told.
void tell_failure(const StageFiles& stage, const BuildOutput& output) {
  std::string words = "The stage could not be built, and not because of its text:\n";
  const std::size_t first = output.lines.size() - std::min(output.lines.size(), lines_told);
  for (std::size_t i = first; i < output.lines.size(); ++i)
    words += "  " + shorten(output.lines[i], columns_told) + "\n";
  words += "Repair: `./lab doctor` says what this machine lacks; then run the command again.";
  try {
    fs::remove(stage.library);
    fs::remove(log_of(stage.library));
    fs::create_directories(stage.library.parent_path());
    write_file(infrastructure_of(stage.library), words);
  } catch (const std::exception& error) {
    throw std::runtime_error(words + "\nNor can this be written beside it: " + error.what());
  }
}

/// After a build that failed while all programs are well. What ninja did not come to is done now.
void account_for(const fs::path& folder, const fs::path& handed_in,
                 const std::vector<StageFiles>& stages) {
  std::vector<std::string> untold;
  for (const StageFiles& stage : stages) {
    if (!stage.failure_is_told()) untold.push_back(stage.target);
  }
  if (untold.empty() || run_build(folder, handed_in, untold).succeeded) return;
  for (const StageFiles& stage : stages) {
    if (stage.failure_is_told()) continue;
    const BuildOutput output = run_build(folder, handed_in, {stage.target});
    if (!output.succeeded && !stage.failure_is_told()) tell_failure(stage, output);
  }
}

/// Whether `stage` has a library, and not of the text that is handed in for it.
bool is_of_another_text(const StageFiles& stage, const fs::path& handed_in) {
  if (!time_of(stage.library)) return false;
  const fs::path source = handed_in / (stage.library.stem().string() + ".cu");
  try {
    if (!refusal_of(source).empty()) return false;
    return !time_of(text_of(stage.library)) ||
           read_file(text_of(stage.library)) != read_file(source);
  } catch (const std::exception&) {
    return true;
  }
}

/// ninja goes by times, and a command can be stopped between two files. Without the copy of the text
/// it has to begin at the beginning.
void build_again_what_differs(const fs::path& folder, const fs::path& handed_in,
                              const std::vector<StageFiles>& stages) {
  std::vector<std::string> again;
  for (const StageFiles& stage : stages) {
    if (stage.library.stem() == "0_baseline" || !is_of_another_text(stage, handed_in)) continue;
    std::error_code ignored;
    fs::remove(fs::path(stage.library).replace_extension(".cu"), ignored);
    fs::remove(stage.library, ignored);
    again.push_back(stage.target);
  }
  if (!again.empty()) run_build(folder, handed_in, again);
}

void need_program(const std::string& name) {
  if (find_program(name).empty())
    throw std::runtime_error("There is no " + name +
                             " to build with. Repair: `./lab doctor` says how to install it. To "
                             "grade with what is built add --no-build.");
}

}  // namespace

void build(const fs::path& folder, const std::string& what,
           const std::vector<std::string>& programs, const std::vector<std::string>& stages,
           const fs::path& handed_in, int gpu) {
  if (is_handed_out(folder))  // its programs are built
    return build_stages(source_tree(), folder, what, stages, handed_in, gpu);
  if (!fs::exists(folder / "build.ninja"))
    throw std::runtime_error("There is no build to bring up to date in " + folder.string() +
                             ". To grade with what is built add --no-build.");
  need_program("flock");
  need_program("cmake");
  std::vector<StageFiles> before;
  for (const std::string& stage : stages) before.emplace_back(folder, stage);
  std::vector<std::string> all = programs;
  all.insert(all.end(), stages.begin(), stages.end());
  if (run_build(folder, handed_in, all, what).succeeded)
    return build_again_what_differs(folder, handed_in, before);
  // Whose failure was it? What is left to do for the programs alone says so.
  const BuildOutput own = run_build(folder, handed_in, programs);
  if (own.succeeded) {
    account_for(folder, handed_in, before);
    return build_again_what_differs(folder, handed_in, before);
  }
  for (const std::string& line : own.lines) std::fprintf(stderr, "%s\n", line.c_str());
  throw std::runtime_error(
      "The grader could not be built: see above. `./lab doctor` says what this machine lacks.");
}

std::vector<std::string> stages_to_build(const std::string& kind,
                                         const std::vector<std::string>& names,
                                         const fs::path& handed_in) {
  std::vector<std::string> targets;
  for (const std::string& name : names) {
    if (refusal_of(handed_in / (name + ".cu")).empty())
      targets.push_back("stages/" + kind + "/" + name + ".so");
  }
  return targets;
}

}  // namespace gridstride::cli
