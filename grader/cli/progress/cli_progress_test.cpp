// What the commands remember, what they do not, and what they say of it.
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <string>

#include "common/files.h"
#include "common/text.h"
#include "grader/cli/cli_test_fixture.h"
#include "grader/cli/mini_course.h"
#include "grader/cli/progress/progress.h"

namespace gridstride::cli {
namespace {
namespace fs = std::filesystem;

class CliProgressTest : public CliTest {
 protected:
  fs::path file() const { return progress_file(course_.tree() / ".lab"); }
};

TEST_F(CliProgressTest, APassIsRememberedAndNamesTheNextStage) {
  const RunResult first = course_.run("grade reduction/1 --no-build");
  EXPECT_EQ(first.exit_code, 0) << first.output;
  EXPECT_TRUE(
      first.output.ends_with("Next: labs/reduction/2_second.cu, “Stage 2_second”.\nGrade it: "
                             "./lab grade reduction/2\n"))
      << first.output;
  EXPECT_TRUE(read_progress(course_.tree() / ".lab").contains("reduction/1_first"));
  const RunResult list = course_.run("list");
  EXPECT_TRUE(contains(list, "reduction  ██████████░░░░░░░░░░  1 of 2  A lab, 20 points\n"))
      << list.output;
  EXPECT_TRUE(contains(list, "scan       ░░░░░░░░░░░░░░░░░░░░  0 of 1")) << list.output;
  EXPECT_TRUE(contains(list, "  1_first       10  20")) << list.output;
  EXPECT_TRUE(list.output.ends_with("Grade it: ./lab grade reduction/2\n")) << list.output;
}

TEST_F(CliProgressTest, AfterTheLastOneThereIsNoNext) {
  std::string all = R"({"schema": 1, "stages": {"reduction/1_first": {"passed": "x"},
                        "reduction/2_second": {"passed": "x"}}})";
  fs::create_directories(course_.tree() / ".lab");
  write_file(file(), all);
  EXPECT_TRUE(
      contains(course_.run("grade scan --no-build"), "Every stage of the course has passed.\n"));
}

TEST_F(CliProgressTest, WhatIsNotOnesOwnIsNotRemembered) {
  const TemporaryFolder student;
  write_file(student.path() / "1_first.cu", "x");
  fs::create_directories(course_.tree() / "solutions/scan");
  for (const std::string& how : {"--from " + student.path().string(), std::string("--solutions"),
                                 std::string("--profile t4")}) {
    const RunResult result = course_.run("grade scan --no-build " + how);
    EXPECT_EQ(result.exit_code, 0) << result.output;
    EXPECT_FALSE(contains(result, "Next: ")) << result.output;
    EXPECT_FALSE(fs::exists(file())) << how;
  }
  course_.set_grader("scan", MiniCourse::reporting("scan", "wrong"));
  const RunResult theirs = course_.run("grade scan --no-build --from " + student.path().string());
  EXPECT_FALSE(contains(theirs, "./lab hint")) << theirs.output;
}

TEST_F(CliProgressTest, WhatFallsShortNamesWhatHelps) {
  for (const std::string verdict : {"wrong", "slow"}) {
    course_.set_grader("scan", MiniCourse::reporting("scan", verdict));
    const RunResult result = course_.run("grade scan --no-build");
    EXPECT_TRUE(contains(result, "`./lab hint scan/1_first`")) << result.output;
    EXPECT_TRUE(contains(result, "`./lab explain scan/1_first`")) << result.output;
    EXPECT_FALSE(contains(result, "Next: ")) << result.output;
  }
  EXPECT_FALSE(fs::exists(file()));
}

TEST_F(CliProgressTest, ABrokenFileIsSaidAndStays) {
  fs::create_directories(course_.tree() / ".lab");
  write_file(file(), "{\"schema\": 9}");
  for (const std::string command : {"grade reduction/1 --no-build", "list"}) {
    const RunResult result = course_.run(command);
    EXPECT_EQ(result.exit_code, 0) << "the command has done what was asked: " << result.output;
    EXPECT_TRUE(contains(result, "What has passed is not known: ")) << result.output;
    EXPECT_TRUE(contains(result, "Next: ")) << result.output;
    EXPECT_EQ(read_file(file()), "{\"schema\": 9}");
  }
}

TEST_F(CliProgressTest, TheListFits80Columns) {
  fs::create_directories(course_.tree() / ".lab");
  write_file(file(), R"({"schema": 1, "stages": {"reduction/1_first":
             {"passed": "2026-01-31T10:00:00Z", "speedup": {"gpu": 12.5, "sim": 1712}}}})");
  const RunResult list = course_.run("list");
  EXPECT_TRUE(contains(list, "1_first       10  2026-01-31      1712x  12.5x  Stage 1_first\n"))
      << list.output;
  std::istringstream lines(list.output);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), 80u) << line;
}

TEST_F(CliProgressTest, StagesAreNamedByTheirNumbers) {
  EXPECT_TRUE(contains(course_.run("hint scan/1"), "scan/1_first: Stage 1_first"));
  EXPECT_TRUE(contains(course_.run("hint scan 1"), "second hint"));
  EXPECT_TRUE(contains(course_.run("reset scan 1 -y"), "labs/scan/1_first.cu"));
  EXPECT_EQ(course_.run("hint scan 1 reduction 1").exit_code, 2);
  expect_message("grade reduction 7 --no-build", 2,
                 "lab: The lab 'reduction' has no stage '7'. Did you mean 'reduction/2_second'?");
}

}  // namespace
}  // namespace gridstride::cli
