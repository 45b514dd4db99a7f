// For tests: a lab's grading program, run as users run it on the stages of testlab.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "common/files.h"
#include "grader/report/json.h"
#include "grader/sandbox/process_tree.h"
#include "grader/sandbox/sandbox.h"

namespace gridstride {

namespace fs = std::filesystem;

inline const fs::path libraries = GRIDSTRIDE_TEST_LIBRARIES;
inline const fs::path sources = fs::path(GRIDSTRIDE_TEST_FOLDER) / "device";

class Grader : public testing::Test {
 protected:
  ChildOptions command(std::vector<std::string> arguments, const fs::path& folder) const {
    ChildOptions options;
    options.command = {
        GRIDSTRIDE_TEST_GRADER, "--device",         device_,  "--folder",    folder.string(),
        "--libraries",          libraries.string(), "--json", json_.string()};
    options.command.insert(options.command.end(), arguments.begin(), arguments.end());
    options.environment = {{"PATH", "/usr/bin:/bin"}};
    options.policy = SandboxPolicy::off;
    options.writable = {folder_.path()};
    options.limits.wall_seconds = 120;
    return options;
  }
  ChildOutcome run(const std::vector<std::string>& arguments,
                   const fs::path& folder = GRIDSTRIDE_TEST_FOLDER) const {
    std::vector<std::string> with_sources = arguments;
    for (const char* stage : {"1_first", "2_second"})
      with_sources.push_back("--source=" + std::string(stage) + "=" + (sources / stage).string() +
                             ".cu");
    return run_child(command(with_sources, folder));
  }
  Results results() const { return from_json(read_file(json_)); }

  /// Grades device/<file>.cu as the stage 1_first.
  StageResult grade(const std::string& file) {
    run_child(command({"1_first", "--library=1_first=" + (libraries / (file + ".so")).string(),
                       "--source=1_first=" + (sources / (file + ".cu")).string()},
                      GRIDSTRIDE_TEST_FOLDER));
    return results().labs.at(0).stages.at(0);
  }
  void expect(const std::string& file, Verdict verdict, const std::string& words) {
    const StageResult result = grade(file);
    EXPECT_STREQ(name_of(result.verdict), name_of(verdict)) << result.message;
    EXPECT_NE(result.message.find(words), std::string::npos) << result.message;
  }

  std::string device_ = "sim";
  TemporaryFolder folder_;
  fs::path json_ = folder_.path() / "results.json";
};

}  // namespace gridstride
