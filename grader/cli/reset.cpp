// lab reset: gives a stage back as it was handed out, and keeps what the student wrote.
#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <string>

#include "common/files.h"
#include "grader/cli/command.h"
#include "grader/cli/progress/skeleton.h"
#include "grader/cli/progress/state.h"
#include "grader/course/course.h"
#include "grader/report/results.h"

namespace gridstride::cli {
namespace fs = std::filesystem;
namespace {

bool confirmed(const std::string& question) {
  if (::isatty(STDIN_FILENO) == 0)
    throw UsageError("There is nobody to ask. To reset without a question add -y.");
  std::printf("%s [y/N] ", question.c_str());
  std::fflush(stdout);
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

/// A path that does not exist yet: …/reduction/3_sequential-20250131-235900.cu
fs::path backup_path(const fs::path& state, const std::string& lab, const std::string& stage) {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  char stamp[32];
  std::strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &local);
  const fs::path folder = state / "backup" / lab;
  fs::create_directories(folder);
  fs::path path = folder / (stage + "-" + stamp + ".cu");
  for (int i = 2; fs::exists(path); ++i)
    path = folder / fmt::format("{}-{}-{}.cu", stage, stamp, i);
  return path;
}

}  // namespace

int reset(const Places& places, const StageOptions& options) {
  const fs::path tree = places.tree();
  const Selection selection = select_stage(options.names, lab_names(places.build()), tree);
  const std::string& lab = selection.lab.name;
  const std::string& stage = selection.stages.front();
  const std::string file = "labs/" + lab + "/" + stage + ".cu";
  const fs::path state = state_folder(tree);
  const Skeleton skeleton = find_skeleton(tree, state, file);

  const bool present = fs::exists(tree / file);
  const std::string current = present ? read_file(tree / file) : "";
  if (present && current == skeleton.text) {
    std::printf("%s is untouched: nothing to reset.\n", file.c_str());
    return exit_pass;
  }
  if (!options.yes && present && !confirmed("Replace " + file + " by " + skeleton.origin + "?")) {
    std::printf("Nothing was changed.\n");
    return exit_short;
  }
  if (present) {
    const fs::path backup = backup_path(state, lab, stage);
    write_file(backup, current);
    std::printf("Your version is kept in %s\n", backup.c_str());
  }
  write_file(tree / file, skeleton.text);
  std::printf("%s is back as it was handed out (%s).\n", file.c_str(), skeleton.origin.c_str());
  return exit_pass;
}

}  // namespace gridstride::cli
