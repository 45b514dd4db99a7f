// What editors see: clangd, with the course's compile_commands.json, finds nothing to complain of in any
// solution or header of a lab, nor in its first skeleton.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "common/files.h"

namespace gridstride {
namespace {
namespace fs = std::filesystem;

const fs::path course = GRIDSTRIDE_SOURCE_DIR;
constexpr int oldest = 22;  // the first that reads CUDA 13

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

/// What `command` prints, on both streams.
std::string output_of(const std::string& command) {
  FILE* const pipe = popen((command + " 2>&1").c_str(), "r");
  if (!pipe) return "";
  std::string output;
  std::array<char, 4096> bytes{};
  for (std::size_t n = 0; (n = fread(bytes.data(), 1, bytes.size(), pipe)) > 0;)
    output.append(bytes.data(), n);
  pclose(pipe);
  return output;
}

int version_of(const std::string& clangd) {
  const std::string words = output_of(clangd + " --version");
  const std::size_t at = words.find("version ");
  return at == std::string::npos ? 0 : atoi(words.c_str() + at + 8);
}

/// A clangd that is new enough.
std::optional<std::string> find_clangd() {
  for (const char* name : {"clangd", "clangd-22", "clangd-23", "clangd-24"})
    if (version_of(name) >= oldest) return name;
  return std::nullopt;
}

/// The lines in which clangd names a mistake in `file`.
std::vector<std::string> mistakes_in(const fs::path& file, const fs::path& database) {
  static const std::string clangd = find_clangd().value();
  const std::string output =
      output_of(clangd + " --check=" + quoted(file) +
                " --check-lines=1-1 --compile-commands-dir=" + quoted(database));
  EXPECT_NE(output.find("All checks completed"), std::string::npos) << output;
  std::vector<std::string> found;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("E[") && line.find("] Line ") != std::string::npos) found.push_back(line);
  return found;
}

nlohmann::json commands() {
  return nlohmann::json::parse(read_file(course / "compile_commands.json"));
}

TEST(Clangd, TheListHasEveryStageAndSolution) {
  std::map<std::string, int> listed;
  for (const auto& entry : commands()) ++listed[entry.at("file")];
  std::size_t seen = 0;
  for (const char* root : {"labs", "solutions"}) {
    for (const auto& lab : fs::directory_iterator(course / root)) {
      if (!lab.is_directory()) continue;
      for (const auto& file : fs::directory_iterator(lab)) {
        const std::string name = file.path().filename();
        if (file.path().extension() != ".cu" || name[0] < '0' || name[0] > '9') continue;
        EXPECT_EQ(listed[file.path()], 1) << file.path();
        ++seen;
      }
    }
  }
  EXPECT_GT(seen, 100u);
}

TEST(Clangd, ASpoiltStageIsSeen) {
  if (!find_clangd()) GTEST_SKIP() << "there is no clangd " << oldest << " or later";
  std::string folder = fs::temp_directory_path() / "gridstride-clangd-XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  nlohmann::json entry = commands().at(0);
  const fs::path file = fs::path(folder) / "spoilt.cu";
  std::ofstream(file) << "__global__ void k(float* out) {\n  out[threadIdx.y] = undeclared;\n}\n";
  entry["file"] = entry["arguments"].back() = file;
  std::ofstream(fs::path(folder) / "compile_commands.json") << nlohmann::json::array({entry});
  const std::vector<std::string> found = mistakes_in(file, folder);
  fs::remove_all(folder);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].find("undeclared"), std::string::npos) << found[0];
}

/// A skeleton includes what its solution does, and says less. The first of a lab stands for the others where there are
/// solutions: half of a second goes to the headers of each file.
bool is_stood_for(const fs::path& skeleton) {
  const fs::path solution =
      course / "solutions" / skeleton.parent_path().filename() / skeleton.filename();
  return skeleton != solution && skeleton.filename().string()[0] > '1' && fs::exists(solution);
}

class ClangdOfLab : public testing::TestWithParam<std::string> {};

TEST_P(ClangdOfLab, HasNothingToComplainOf) {
  if (!find_clangd()) GTEST_SKIP() << "there is no clangd " << oldest << " or later";
  std::size_t files = 0;
  for (const auto& entry : commands()) {
    const fs::path file = entry.at("file").get<std::string>();
    if (file.parent_path().filename() != GetParam() || is_stood_for(file)) continue;
    ++files;
    for (const std::string& line : mistakes_in(file, course)) ADD_FAILURE() << file << "\n" << line;
  }
  EXPECT_GE(files, 5u);
}

std::vector<std::string> labs() {
  std::vector<std::string> names;
  std::ifstream list(GRIDSTRIDE_LABS);
  for (std::string name; std::getline(list, name);)
    if (!name.empty()) names.push_back(name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Labs, ClangdOfLab, testing::ValuesIn(labs()), [](const auto& lab) {
  std::string name = lab.param;
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
});

}  // namespace
}  // namespace gridstride
