// The notebook, run from its first cell to the last as nbconvert does it: what each says must be there.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "common/files.h"

namespace gridstride {
namespace {
namespace fs = std::filesystem;

/// What a cell left: text of its streams and pages, in order.
std::string output_of(const nlohmann::json& cell) {
  const auto joined = [](const nlohmann::json& text) {
    std::string all;
    if (text.is_string()) return text.get<std::string>();
    for (const auto& line : text) all += line.get<std::string>();
    return all;
  };
  std::string all;
  for (const auto& output : cell.at("outputs")) {
    if (output.contains("text")) all += joined(output.at("text"));
    if (output.contains("data") && output.at("data").contains("text/html"))
      all += joined(output.at("data").at("text/html"));
  }
  return all;
}

class NotebookTest : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("command -v jupyter-nbconvert > /dev/null") != 0)
      GTEST_SKIP() << "there is no jupyter-nbconvert";
    std::string name = fs::temp_directory_path() / "gridstride-notebook-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }

  /// The executed notebook; it runs in a folder of its own, with the programs that are built here.
  nlohmann::json execute() {
    const fs::path course = GRIDSTRIDE_SOURCE_DIR, build = GRIDSTRIDE_BINARY_DIR;
    fs::copy_file(course / "notebooks/gridstride.ipynb", folder_ / "gridstride.ipynb");
    setenv("GRIDSTRIDE_COURSE", course.c_str(), 1);
    setenv("LAB_PRESET", build.filename().c_str(), 1);
    setenv("IPYTHONDIR", (folder_ / "ipython").c_str(), 1);
    const std::string command =
        "cd '" + folder_.string() +
        "' && jupyter-nbconvert --to notebook --execute --output done.ipynb gridstride.ipynb"
        " > log 2>&1";
    const int status = std::system(command.c_str());
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << read_file(folder_ / "log");
    if (!fs::exists(folder_ / "done.ipynb")) return {{"cells", nlohmann::json::array()}};
    return nlohmann::json::parse(read_file(folder_ / "done.ipynb"));
  }

  fs::path folder_;
};

TEST_F(NotebookTest, RunsFromTheFirstCellToTheLast) {
  struct Expected {
    const char* cell;   ///< a part of its source
    const char* words;  ///< a part of what it leaves
  };
  const Expected expected[] = {
      {"def find_course", "The course is in"},
      {"doctor", "CUDA toolkit"},
      {"sim neighbours.cu", "shared_race in shift(int*) at neighbours.cu:6"},
      {"sim neighbours.cu", "the last word is 0"},
      {"explain stride.cu", "stride.cu explained"},
      {"explain stride.cu", "<iframe srcdoc="},
      {"list", "1_interleaved"},
      {"grade reduction/1", "1_interleaved"},
      {"grade reduction/1", "score"},
  };
  const nlohmann::json done = execute();
  for (const Expected& one : expected) {
    bool found = false;
    for (const auto& cell : done.at("cells")) {
      if (cell.at("cell_type") != "code") continue;
      std::string source;
      for (const auto& line : cell.at("source")) source += line.get<std::string>();
      if (source.find(one.cell) == std::string::npos) continue;
      found = found || output_of(cell).find(one.words) != std::string::npos;
    }
    EXPECT_TRUE(found) << "no cell with '" << one.cell << "' left '" << one.words << "'";
  }
}

/// What an editor reads to open the course in a container; a name that is gone would be noticed only there.
TEST(DevcontainerTest, NamesFilesThatAreThere) {
  const fs::path folder = fs::path(GRIDSTRIDE_SOURCE_DIR) / ".devcontainer";
  const auto container = nlohmann::json::parse(read_file(folder / "devcontainer.json"));
  const fs::path dockerfile = folder / container.at("build").at("dockerfile").get<std::string>();
  ASSERT_TRUE(fs::is_regular_file(dockerfile)) << dockerfile;
  const fs::path context = folder / container.at("build").at("context").get<std::string>();
  const std::string text = read_file(dockerfile);
  const std::size_t copied = text.find("\nCOPY ");
  ASSERT_NE(copied, std::string::npos);
  std::istringstream words(text.substr(copied + 6, text.find('\n', copied + 1) - copied - 6));
  std::vector<std::string> names;
  for (std::string word; words >> word;) names.push_back(word);
  ASSERT_GE(names.size(), 2u);
  names.pop_back();  // where to
  for (const std::string& name : names) EXPECT_TRUE(fs::exists(context / name)) << name;
}

}  // namespace
}  // namespace gridstride
