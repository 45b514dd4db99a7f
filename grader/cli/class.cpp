// lab class and lab export: a program of their own, for it needs SQLite and libarchive, which no student does.
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "grader/cli/build.h"
#include "grader/cli/command.h"
#include "grader/cli/stage_builder.h"

namespace gridstride::cli {
namespace {

constexpr const char* program_name = "gridstride-class";

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

}  // namespace

int whole_class(const Places& places, const ClassOptions& options) {
  need_class_program(places);
  if (!options.no_build) build(places.build(), "lab class", {program_name});
  std::vector<std::string> words = {places.program(program_name).string()};
  words.insert(words.end(), options.arguments.begin(), options.arguments.end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::fflush(stdout);
  ::execv(arguments.front(), arguments.data());
  throw std::runtime_error("cannot run " + words.front() + ": " + std::strerror(errno));
}

}  // namespace gridstride::cli
