// `lab reset`: the skeleton comes back, and what was written is kept.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "common/files.h"
#include "common/subprocess.h"
#include "grader/cli/cli_test_fixture.h"
#include "grader/cli/mini_course.h"

namespace gridstride::cli {
namespace {
namespace fs = std::filesystem;

TEST_F(CliTest, ResetKeepsWhatWasWritten) {
  ASSERT_EQ(course_.run("grade scan --no-build").exit_code, 0);  // the first command here
  EXPECT_TRUE(contains(course_.run("reset scan/1_first -y"), "is untouched"));
  std::ofstream(course_.stage("scan", "1_first")) << "my work\n";
  const RunResult result = course_.run("reset scan/1_first -y");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_EQ(read_file(course_.stage("scan", "1_first")), "// TODO 1_first\n");
  int backups = 0;
  for (const auto& entry : fs::directory_iterator(course_.tree() / ".lab/backup/scan")) {
    ++backups;
    EXPECT_EQ(read_file(entry.path()), "my work\n");
    EXPECT_TRUE(contains(result, entry.path().string())) << result.output;
  }
  EXPECT_EQ(backups, 1);
}

TEST_F(CliTest, ResetAsksFirst) {
  course_.run("grade scan --no-build");
  std::ofstream(course_.stage("scan", "1_first")) << "my work\n";
  const RunResult nobody = course_.run("reset scan/1_first < /dev/null");
  EXPECT_EQ(nobody.exit_code, 2);
  EXPECT_TRUE(contains(nobody, "add -y")) << nobody.output;
  const std::string ask = "script --quiet --return --command \"'" + course_.program().string() +
                          "' reset scan/1_first\" /dev/null";
  const RunResult no = run_shell("(sleep 0.3; echo n) | " + ask);
  EXPECT_EQ(no.exit_code, 1) << no.output;
  EXPECT_EQ(read_file(course_.stage("scan", "1_first")), "my work\n");
  EXPECT_EQ(run_shell("(sleep 0.3; echo y) | " + ask).exit_code, 0);
  EXPECT_EQ(read_file(course_.stage("scan", "1_first")), "// TODO 1_first\n");
}

/// A course in a git tree: two versions by its author, then whoever works on it.
class GitCliTest : public CliTest {
 protected:
  void SetUp() override {
    if (find_program("git").empty()) GTEST_SKIP() << "git is not installed";
    ASSERT_EQ(run_shell(git_ + "init -q").exit_code, 0);
    commit("author@course", "// TODO misspelt\n");
    commit("author@course", "// TODO well spelt\n");
  }
  void commit(const std::string& email, const std::string& text) {
    std::ofstream(stage_) << text;
    const std::string who = "-c user.name=N -c user.email=" + email;
    ASSERT_EQ(run_shell(git_ + "add labs && " + git_ + who + " commit -qm m").exit_code, 0);
  }
  void work_as(const std::string& email) {
    ASSERT_EQ(run_shell(git_ + "config user.email " + email).exit_code, 0);
  }
  std::string reset() {
    EXPECT_EQ(course_.run("reset scan/1_first -y").exit_code, 0);
    return read_file(stage_);
  }

  fs::path stage_ = course_.stage("scan", "1_first");
  std::string git_ = "git -C '" + course_.tree().string() + "' ";
};

TEST_F(GitCliTest, ResetTakesTheNewestVersionOfTheCourse) {
  work_as("student@home");
  commit("student@home", "// TODO well spelt\nmy work, the comment still there // TODO think\n");
  EXPECT_EQ(reset(), "// TODO well spelt\n");
}

TEST_F(GitCliTest, ResetFindsTheSkeletonAmongOnesOwnCommits) {
  work_as("author@course");
  commit("author@course", "my work\n");
  EXPECT_EQ(reset(), "// TODO well spelt\n");
}

TEST_F(GitCliTest, ResetRestoresADeletedFileWithoutAQuestion) {
  work_as("student@home");
  fs::remove(stage_);
  const RunResult result = course_.run("reset scan/1_first < /dev/null");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_TRUE(contains(result, "(commit ")) << result.output;
  EXPECT_EQ(read_file(stage_), "// TODO well spelt\n");
}

}  // namespace
}  // namespace gridstride::cli
