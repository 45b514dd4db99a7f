// CMake drives ninja; ninja's own lines say how far it is.
#include "grader/cli/build.h"

#include <cstdio>
#include <deque>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "common/subprocess.h"
#include "common/terminal.h"
#include "common/text.h"

namespace gridstride::cli {
namespace {

/// The last lines of a build: enough for the errors, not enough to scroll them away.
constexpr std::size_t lines_kept = 60;

/// "[12/87] Building CXX object …", as NINJA_STATUS below asks for it.
bool is_progress(std::string_view line) {
  const std::size_t end = line.find("] ");
  return line.size() > 2 && line[0] == '[' && end != std::string_view::npos &&
         line.substr(1, end - 1).find_first_not_of("0123456789/") == std::string_view::npos;
}

struct BuildOutput {
  bool succeeded = false;
  std::deque<std::string> lines;  ///< what was said, progress left out
};

BuildOutput run_build(const std::filesystem::path& folder, const std::string& what,
                      const std::vector<std::string>& targets) {
  BuildOutput output;
  StatusLine status(stderr);
  bool announced = false;
  Subprocess ninja;
  // Two builds in one folder would spoil each other's work; ./lab takes the same lock.
  ninja.command = {"flock",   (folder / "lock").string(), "cmake", "--build", folder.string(),
                   "--target"};
  ninja.command.insert(ninja.command.end(), targets.begin(), targets.end());
  // Everything that can be built is: one stage that fails must not keep others from being graded.
  ninja.command.insert(ninja.command.end(), {"--", "-k", "0"});
  ninja.environment = {{"NINJA_STATUS", "[%f/%t] "}, {"CLICOLOR_FORCE", "0"}};
  ninja.merge_errors = true;
  ninja.on_line = [&](std::string_view line) {
    if (is_progress(line)) {
      const std::size_t end = line.find(']');
      if (!announced && !is_terminal(stderr)) {
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

}  // namespace

void build(const std::filesystem::path& folder, const std::string& what,
           const std::vector<std::string>& programs, const std::vector<std::string>& stages) {
  if (!std::filesystem::exists(folder / "build.ninja"))
    throw std::runtime_error("There is no build to bring up to date in " + folder.string() +
                             ". To grade with what is built add --no-build.");
  std::vector<std::string> all = programs;
  all.insert(all.end(), stages.begin(), stages.end());
  if (run_build(folder, what, all).succeeded) return;
  // Whose failure was it? What is left to do for the programs alone says so.
  const BuildOutput own = run_build(folder, what, programs);
  if (own.succeeded) return;
  for (const std::string& line : own.lines) std::fprintf(stderr, "%s\n", line.c_str());
  throw std::runtime_error("The grader could not be built: see above.");
}

}  // namespace gridstride::cli
