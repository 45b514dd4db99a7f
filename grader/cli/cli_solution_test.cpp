// `lab solution`: after a pass and not before, where the solutions are and may be shown.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "common/files.h"
#include "grader/cli/cli_test_fixture.h"
#include "grader/cli/mini_course.h"

namespace gridstride::cli {
namespace {
namespace fs = std::filesystem;

class SolutionCliTest : public CliTest {
 protected:
  SolutionCliTest() {
    fs::create_directories(course_.tree() / "solutions/scan");
    write_file(course_.tree() / "solutions/scan/1_first.cu", "one\nsum += in[i];\nthree\n");
    write_file(course_.stage("scan", "1_first"), "one\nsum = sum + in[i];\nthree\n");
  }
  void pass() { ASSERT_EQ(course_.run("grade scan/1 --no-build").exit_code, 0); }
};

constexpr const char* difference =
    "--- labs/scan/1_first.cu\n+++ solutions/scan/1_first.cu\n@@ -1,3 +1,3 @@\n one\n"
    "-sum = sum + in[i];\n+sum += in[i];\n three\n";

TEST_F(SolutionCliTest, IsShownAfterAPass) {
  const RunResult before = course_.run("solution scan/1");
  EXPECT_EQ(before.exit_code, 1);
  EXPECT_EQ(before.output,
            "lab: The solution of scan/1_first is shown once yours has passed: ./lab grade scan/1. "
            "Until then\n`./lab hint scan/1_first` and `./lab explain scan/1_first` help.\n");
  pass();
  const RunResult after = course_.run("solution scan 1");
  EXPECT_EQ(after.exit_code, 0);
  EXPECT_EQ(after.output, difference);
}

TEST_F(SolutionCliTest, IsColouredOnATerminal) {
  pass();
  const RunResult shown =
      run_shell("env -u NO_COLOR TERM=xterm script --quiet --return --command \"'" +
                course_.program().string() + "' solution scan/1\" /dev/null");
  EXPECT_TRUE(contains(shown, "\x1b[31m-sum = sum + in[i];")) << shown.output;
  EXPECT_TRUE(contains(shown, "\x1b[32m+sum += in[i];")) << shown.output;
}

TEST_F(SolutionCliTest, WhatStudentsWriteCannotWriteToTheTerminal) {
  pass();
  write_file(course_.stage("scan", "1_first"), "\x1b[2Jone\n");
  EXPECT_EQ(course_.run("solution scan/1").output.find('\x1b'), std::string::npos);
}

TEST_F(SolutionCliTest, TheSameTextSaysSo) {
  pass();
  fs::copy_file(course_.tree() / "solutions/scan/1_first.cu", course_.stage("scan", "1_first"),
                fs::copy_options::overwrite_existing);
  EXPECT_EQ(course_.run("solution scan/1").output,
            "labs/scan/1_first.cu is the course's solution, to the letter.\n");
}

TEST_F(SolutionCliTest, AnInstructorMayKeepIt) {
  pass();
  std::string toml = read_file(course_.tree() / "labs/scan/lab.toml");
  write_file(course_.tree() / "labs/scan/lab.toml", "solution_after_pass = false\n" + toml);
  const RunResult result = course_.run("solution scan/1");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_TRUE(contains(result, "solution_after_pass = false.")) << result.output;
  EXPECT_FALSE(contains(result, "sum")) << result.output;
}

TEST_F(SolutionCliTest, ATreeWithoutSolutionsSaysSo) {
  const RunResult result = course_.run("solution reduction/1");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_TRUE(contains(result, "This tree holds no solutions/reduction/1_first.cu"))
      << result.output;
}

TEST_F(SolutionCliTest, WhatIsNoPlainFileIsNotOpened) {
  pass();
  fs::remove(course_.stage("scan", "1_first"));
  ASSERT_EQ(::mkfifo(course_.stage("scan", "1_first").c_str(), 0600), 0);
  const RunResult result = course_.run("solution scan/1");
  EXPECT_EQ(result.exit_code, 1) << result.output;
}

}  // namespace
}  // namespace gridstride::cli
