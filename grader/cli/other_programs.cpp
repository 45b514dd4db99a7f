// gridstride-tools looks into kernels and makes what students get; gridstride-class needs SQLite and libarchive,
// which no student does.
#include "grader/cli/other_programs.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "grader/cli/build.h"
#include "grader/cli/stage_builder.h"

namespace gridstride::cli {
namespace {

constexpr const char *tools = "gridstride-tools", *classes = "gridstride-class";

constexpr std::array commands = {
    OtherCommand{
        "explain", tools,
        "Show what each line of a stage or a program costs on the simulated GPU, and what to mend"},
    OtherCommand{
        "sim", tools,
        "Run any CUDA program (a .cu file, or built with -cudart shared) on the simulated GPU"},
    OtherCommand{"trace", tools,
                 "Show step by step what the threads of one block do, on the simulated GPU"},
    OtherCommand{
        "debug", tools,
        "Step through a kernel, forward and back, on the simulated GPU; also from an editor"},
    OtherCommand{"bench", tools, "Time every solution beside a library (needs a GPU)"},
    OtherCommand{"calibrate", tools,
                 "Measure what the solutions reach on this GPU, and write what stages have to"},
    OtherCommand{"handout", tools,
                 "Pack what students get: labs, documents, ready programs, no solutions"},
    OtherCommand{"update", tools,
                 "Of a handout: take a newer one, and keep the files that you have changed"},
    OtherCommand{"class", classes, "Grade a whole class: what there is says `lab class --help`"},
    OtherCommand{"export", classes, "Write what a platform grades with: `lab export --help`"}};

void need_class_program(const Places& places) {
  if (is_handed_out(places.build()))
    throw UsageError(
        "A handout grades its student alone: `class` and `export` need the course itself.");
#ifndef GRIDSTRIDE_CLASSES
  throw std::runtime_error(
      "`lab class` needs SQLite and libarchive, which were not there when the course was built. "
      "Repair: install them (on Debian and Ubuntu libsqlite3-dev and libarchive-dev; "
      "common/tools/packages.txt has the other systems' names), remove " +
      (places.build() / "CMakeCache.txt").string() + " and run the command again.");
#endif
}

/// Whether one of `words` is given. Those behind "--" are another program's.
bool asks_for(const std::vector<std::string>& arguments,
              const std::vector<std::string_view>& words) {
  const auto own_end = std::ranges::find(arguments, "--");
  return std::find_first_of(arguments.begin(), own_end, words.begin(), words.end()) != own_end;
}

/// Where programs were carried to there is nothing to build with, and the program itself says so. What only tells
/// of its options need not be the newest.
bool needs_build(const Places& places, const char* program,
                 const std::vector<std::string>& arguments) {
  if (asks_for(arguments, {"--no-build"}) ||
      !std::filesystem::exists(places.build() / "build.ninja"))
    return false;
  return !asks_for(arguments, {"-h", "--help"}) ||
         !std::filesystem::exists(places.build() / "bin" / program);
}

}  // namespace

std::span<const OtherCommand> other_commands() { return commands; }

const OtherCommand* other_command(std::string_view name) {
  const auto* const found = std::ranges::find(commands, name, &OtherCommand::name);
  return found == commands.end() ? nullptr : found;
}

void run_other_program(const Places& places, const OtherCommand& command,
                       const std::vector<std::string>& arguments) {
  if (std::string_view(command.program) == classes) need_class_program(places);
  if (needs_build(places, command.program, arguments))
    build(places.build(), "lab " + arguments.front(), {command.program});
  std::vector<std::string> words = {places.program(command.program).string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  std::fflush(stdout);
  ::execv(pointers.front(), pointers.data());
  throw std::runtime_error("cannot run " + words.front() + ": " + std::strerror(errno));
}

}  // namespace gridstride::cli
