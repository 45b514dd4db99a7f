// One name, one class: two classes of one name in one namespace are no error to a compiler that never sees both,
// and the linker then takes the constructors and destructors of one for the other ([basic.def.odr]).
#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "common/files.h"

namespace gridstride {
namespace {
namespace fs = std::filesystem;

using Places = std::map<std::string, std::vector<std::string>>;  ///< of a class: its files

/// Adds the classes that `text` defines at the top of a named namespace. Ours begin in the first column.
void add_classes(const std::string& text, const std::string& file, Places& places) {
  static const std::regex opens(R"(namespace ([\w:]+) \{)");
  static const std::regex defines(R"((?:class|struct|enum class) (\w+)(?: final)?(?: :.*)? ?\{.*)");
  std::string space;
  bool of_this_file = false;  // in a namespace without a name
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::smatch found;
    if (line == "namespace {") of_this_file = true;
    if (line == "}  // namespace") of_this_file = false;
    if (std::regex_match(line, found, opens)) space = found[1];
    if (!of_this_file && line.find('{') != std::string::npos &&
        std::regex_match(line, found, defines))
      places[space + "::" + found[1].str()].push_back(file);
  }
}

std::vector<std::string> faults_in(const Places& places) {
  std::vector<std::string> faults;
  for (const auto& [name, files] : places) {
    if (files.size() > 1)
      faults.push_back(name + " is defined in " + files[0] + " and in " + files[1] +
                       ". Repair: give one of them another name.");
  }
  return faults;
}

TEST(Names, AreOfOneClassEach) {
  const fs::path course = GRIDSTRIDE_SOURCE_DIR;
  Places places;
  for (const char* tree : {"common", "grader"}) {
    for (const auto& entry : fs::recursive_directory_iterator(course / tree)) {
      const std::string name = entry.path().filename();
      const std::string extension = entry.path().extension();
      // A test's own classes meet those of no other test: each is a program by itself.
      if ((extension != ".h" && extension != ".cpp") || name.find("test") != std::string::npos ||
          entry.path().string().find("/testlab/") != std::string::npos ||
          entry.path().string().find("/programs/") != std::string::npos)
        continue;
      add_classes(read_file(entry.path()), entry.path().lexically_relative(course), places);
    }
  }
  ASSERT_GT(places.size(), std::size_t{300}) << "not the course: " << course;
  EXPECT_EQ(faults_in(places), std::vector<std::string>{});
}

TEST(Names, ThatTwoClassesHaveAreFound) {
  Places places;
  add_classes("namespace a {\nstruct Entry {\n};\n}\n", "one.h", places);
  add_classes("namespace b {\nclass Entry final : public Base {\n};\n}\n", "two.h", places);
  add_classes("namespace a {\nnamespace {\nstruct Entry {\n};\n}  // namespace\n}\n", "three.cpp",
              places);
  EXPECT_TRUE(faults_in(places).empty()) << "another namespace, and one of its own file";
  add_classes("namespace a {\nstruct Entry {};\n}\n", "four.h", places);
  ASSERT_EQ(faults_in(places).size(), 1u);
  EXPECT_EQ(faults_in(places)[0],
            "a::Entry is defined in one.h and in four.h. Repair: give one of them another name.");
}

}  // namespace
}  // namespace gridstride
