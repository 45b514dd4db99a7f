// What platforms run: scripts that shells take, and that end as they must, and workflows that GitHub takes.
#include "grader/batch/platform_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/files.h"
#include "common/subprocess.h"

namespace gridstride {
namespace {
namespace fs = std::filesystem;

constexpr const char* image = "ghcr.io/somebody/sums";

std::map<std::string, std::string> scripts() {
  return {{"setup.sh", setup_script()},
          {"run_autograder", gradescope_script("sums")},
          {"run_on_github", github_script("sums")}};
}

struct Ended {
  int exit_code = 0;
  std::string output;
};

Ended run(const std::vector<std::string>& command,
          const std::map<std::string, std::string>& environment = {}) {
  Ended ended;
  Subprocess process;
  process.command = command;
  process.environment = environment;
  process.merge_errors = true;
  process.on_line = [&ended](std::string_view line) { ended.output += std::string(line) + "\n"; };
  ended.exit_code = run_process(process).exit_code;
  return ended;
}

TEST(PlatformFiles, NameTheLabAndTheImage) {
  std::string all = grader_dockerfile("sums", image) + image_workflow(image) +
                    grading_workflow("sums", image) + github_readme("sums", image);
  for (const auto& [name, text] : scripts()) all += text;
  EXPECT_EQ(all.find("@LAB@"), std::string::npos);
  EXPECT_EQ(all.find("@IMAGE@"), std::string::npos);
  EXPECT_NE(gradescope_script("sums").find("grade sums "), std::string::npos);
}

TEST(PlatformFiles, TheShellTakesTheScripts) {
  const TemporaryFolder folder;
  for (const auto& [name, text] : scripts()) {
    write_file(folder.path() / name, text);
    const Ended ended = run({"bash", "-n", (folder.path() / name).string()});
    EXPECT_EQ(ended.exit_code, 0) << name << ": " << ended.output;
  }
}

/// A repository as it was checked out, and a course whose `lab` prints its arguments, writes `results` and
/// ends with `status`.
class OnGithub : public testing::Test {
 protected:
  Ended grade(int status) {
    write_file(folder_.path() / "run_on_github", github_script("sums"));
    fs::create_directories(folder_.path() / "gridstride");
    fs::create_directories(temporary());
    write_file(folder_.path() / "gridstride/lab",
               "#!/usr/bin/env bash\necho \"$@\"\nprintf results >\"${@: -1}\"\nexit " +
                   std::to_string(status) + "\n");
    fs::permissions(folder_.path() / "gridstride/lab", fs::perms(0755));
    write_file(output(), "");
    return run({"bash", (folder_.path() / "run_on_github").string()},
               {{"GITHUB_WORKSPACE", (folder_.path() / "checkout").string()},
                {"GITHUB_OUTPUT", output().string()},
                {"TMPDIR", temporary().string()}});
  }
  fs::path output() const { return folder_.path() / "output"; }
  fs::path temporary() const { return folder_.path() / "temporary"; }

  TemporaryFolder folder_;
};

TEST_F(OnGithub, HandsOnTheResultWhateverTheVerdict) {
  for (const int status : {0, 1}) {
    const Ended ended = grade(status);
    EXPECT_EQ(ended.exit_code, status) << ended.output;
    EXPECT_EQ(read_file(output()), "result=cmVzdWx0cw==\n");
    EXPECT_NE(
        ended.output.find("grade sums --from " + (folder_.path() / "checkout").string() + " "),
        std::string::npos)
        << ended.output;
  }
}

TEST_F(OnGithub, HandsOnNothingWhereNothingWasGraded) {
  const Ended ended = grade(3);
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_EQ(read_file(output()), "");
  EXPECT_NE(ended.output.find("::error title=Not graded::"), std::string::npos) << ended.output;
}

TEST_F(OnGithub, LeavesNothingBehind) {
  for (const int status : {0, 1, 3}) {
    grade(status);
    EXPECT_TRUE(fs::is_empty(temporary())) << status;
  }
}

TEST_F(OnGithub, LooksIntoTheCoursesFolder) {
  fs::create_directories(folder_.path() / "checkout/labs");
  EXPECT_NE(grade(0).output.find("/checkout/labs --device sim"), std::string::npos);
}

TEST(PlatformFiles, ActionlintTakesTheWorkflows) {
  if (find_program("actionlint").empty()) GTEST_SKIP() << "there is no actionlint";
  const TemporaryFolder folder;
  const fs::path workflows = folder.path() / ".github/workflows";
  fs::create_directories(workflows);
  for (const auto& [name, text] :
       std::map<std::string, std::string>{{"image.yml", image_workflow(image)},
                                          {"classroom.yml", grading_workflow("sums", image)}}) {
    write_file(workflows / name, text);
    const Ended ended = run({"actionlint", (workflows / name).string()});
    EXPECT_EQ(ended.exit_code, 0) << ended.output;
  }
}

}  // namespace
}  // namespace gridstride
