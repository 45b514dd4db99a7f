// For tests: a handout of two labs, packed once, unpacked for each test where nothing of this tree is seen.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "common/files.h"
#include "common/subprocess.h"
#include "grader/handout/places.h"
#include "grader/sandbox/sandbox.h"

namespace gridstride {

namespace fs = std::filesystem;

inline const fs::path source_tree = GRIDSTRIDE_SOURCE_TREE;

struct RunResult {
  int exit_code = 0;
  std::string output;
};

inline RunResult run(const std::vector<std::string>& command) {
  RunResult result;
  Subprocess process;
  process.command = command;
  process.merge_errors = true;
  process.on_line = [&result](std::string_view line) { result.output += std::string(line) + "\n"; };
  result.exit_code = run_process(process).exit_code;
  return result;
}

inline RunResult handout(const fs::path& archive) {
  return run(
      {GRIDSTRIDE_TOOLS, "handout", archive.string(), "reduction", "quicksort-cdp", "--no-build"});
}

inline bool contains(const RunResult& result, const std::string& text) {
  return result.output.find(text) != std::string::npos;
}

class HandoutTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    packed_ = new TemporaryFolder;
    const RunResult result = handout(archive());
    ASSERT_EQ(result.exit_code, 0) << result.output;
  }
  static void TearDownTestSuite() {
    delete packed_;
    packed_ = nullptr;
  }
  static fs::path archive() { return packed_->path() / "course.tar.zst"; }

  HandoutTest() {
    fs::create_directory(place_);
    const RunResult result =
        run({"tar", "--extract", "--file", archive().string(), "--directory", place_.string()});
    EXPECT_EQ(result.exit_code, 0) << result.output;
  }

  /// ./lab where this tree, CMake and Ninja are not to be seen and there is no network, as far as this
  /// machine can do that; `more` are bubblewrap's words for what else is different.
  RunResult lab(const std::vector<std::string>& arguments,
                const std::vector<std::string>& more = {}) const {
    std::vector<std::string> command;
    if (sandbox_status().available) {
      command = {"bwrap",
                 "--bind",
                 "/",
                 "/",
                 "--dev",
                 "/dev",
                 "--bind",
                 "/proc",
                 "/proc",
                 "--tmpfs",
                 source_tree.string(),
                 "--unshare-net"};
      for (const char* program : {"cmake", "ninja"}) {
        const fs::path found = find_program(program);
        if (!found.empty())
          command.insert(command.end(), {"--ro-bind", "/dev/null", fs::canonical(found).string()});
      }
      command.insert(command.end(), more.begin(), more.end());
    }
    command.insert(command.end(),
                   {"env", "-u", "LAB_PRESET",
                    "PATH=" + fs::path(GRIDSTRIDE_NVCC).parent_path().string() + ":/usr/bin:/bin",
                    (tree_ / "lab").string()});
    command.insert(command.end(), arguments.begin(), arguments.end());
    return run(command);
  }
  RunResult grade(const std::string& stage, const std::vector<std::string>& more = {}) const {
    return lab({"grade", stage, "--device", "sim"}, more);
  }
  fs::path stage(const std::string& name = "1_interleaved") const {
    return tree_ / "labs/reduction" / (name + ".cu");
  }
  void solve(const std::string& lab, const std::string& name) const {
    fs::copy_file(source_tree / "solutions" / lab / (name + ".cu"),
                  tree_ / "labs" / lab / (name + ".cu"), fs::copy_options::overwrite_existing);
  }
  static bool has_solutions() { return fs::exists(source_tree / "solutions/reduction"); }

  inline static TemporaryFolder* packed_ = nullptr;
  TemporaryFolder folder_;
  fs::path place_ = folder_.path() / "my course [1] (a)";
  fs::path tree_ = place_ / handout_top;
};

}  // namespace gridstride
