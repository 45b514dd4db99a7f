// Stages named by their files, from several folders, as all commands understand it.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "common/files.h"
#include "grader/cli/cli_test_fixture.h"
#include "grader/cli/mini_course.h"

namespace gridstride::cli {
namespace {
namespace fs = std::filesystem;

class CliPathsTest : public CliTest {
 protected:
  CliPathsTest() {
    fs::create_directories(course_.tree() / "solutions/reduction");
    write_file(course_.tree() / "solutions/reduction/1_first.cu", "// right\n");
    const fs::path grader = course_.build() / "bin/grade-reduction";
    write_file(grader, "#!/bin/sh\necho \"$*\" > '" + asked().string() + "'\nexit 3\n");
    fs::permissions(grader, fs::perms::owner_all);
  }
  fs::path asked() const { return course_.tree() / "asked"; }
  RunResult run_in(const fs::path& folder, const std::string& arguments) const {
    return run_shell("cd '" + folder.string() + "' && '" + course_.program().string() + "' " +
                     arguments);
  }
  /// What the lab's grader was told.
  std::string told_in(const fs::path& folder, const std::string& arguments) const {
    fs::remove(asked());
    const RunResult result = run_in(folder, arguments + " --no-build");
    return fs::exists(asked()) ? read_file(asked()) : result.output;
  }
};

TEST_F(CliPathsTest, EachCommandTakesAStagesFileFromAnyFolder) {
  const fs::path tree = course_.tree(), lab = tree / "labs/reduction";
  const std::string full = "'" + (lab / "2_second.cu").string() + "'";
  for (const std::string command : {"grade", "explain", "trace"}) {
    for (const std::string& told :
         {told_in(tree, command + " labs/reduction/2_second.cu"),
          told_in(lab, command + " 2_second.cu"), told_in("/", command + " " + full),
          told_in(tree, command + " " + full)}) {
      EXPECT_NE(told.find(" 2_second"), std::string::npos) << command << ": " << told;
      EXPECT_EQ(told.find("--solutions"), std::string::npos) << command << ": " << told;
    }
    for (const std::string& told :
         {told_in(tree, command + " solutions/reduction/1_first.cu"),
          told_in(tree / "solutions", command + " reduction/1_first.cu"),
          told_in("/",
                  command + " '" + (tree / "solutions/reduction/1_first.cu").string() + "'")}) {
      EXPECT_NE(told.find(" --solutions"), std::string::npos) << command << ": " << told;
      EXPECT_TRUE(told.ends_with(" 1_first\n") || told.find(" 1_first --json") != std::string::npos)
          << command << ": " << told;
    }
  }
  const RunResult hint = run_in(lab, "hint ./2_second.cu");
  EXPECT_TRUE(contains(hint, "reduction/2_second: Stage 2_second")) << hint.output;
}

TEST_F(CliPathsTest, WhatIsNoStagesFileIsSaid) {
  write_file(course_.tree() / "labs/reduction/0_baseline.cu", "// given\n");
  for (const std::string command : {"grade", "explain", "trace", "debug"}) {
    expect_message(command + " labs/reduction/2_secnd.cu --no-build", 2,
                   "lab: The lab 'reduction' has no stage '2_secnd'. Did you mean "
                   "'reduction/2_second'?");
    expect_message(command + " /no/such/1_first.cu --no-build", 2,
                   "lab: There is no file /no/such/1_first.cu.");
    expect_message(command + " reductoin --no-build", 2,
                   "lab: There is no lab 'reductoin'. Did you mean 'reduction'?");
    expect_message(command + " reduction/2_secnd --no-build", 2,
                   "lab: The lab 'reduction' has no stage '2_secnd'. Did you mean "
                   "'reduction/2_second'?");
    const std::string baseline =
        "'" + (course_.tree() / "labs/reduction/0_baseline.cu").string() + "'";
    EXPECT_TRUE(
        contains(course_.run(command + " " + baseline + " --no-build"), "lab: 0_baseline is given"))
        << command;
    const RunResult both = run_in(course_.tree(), command + " labs/reduction/1_first.cu " +
                                                      "solutions/reduction/1_first.cu --no-build");
    EXPECT_EQ(both.exit_code, 2);
    EXPECT_TRUE(contains(both, "lab: Stages in labs/ and in solutions/ are two things"))
        << command << ": " << both.output;
  }
  const RunResult sim = run_in(course_.tree(), "sim labs/reduction/1_first.cu --no-build");
  EXPECT_EQ(sim.exit_code, 2);
  EXPECT_TRUE(contains(sim, "lab: labs/reduction/1_first.cu belongs to a lab")) << sim.output;
}

}  // namespace
}  // namespace gridstride::cli
