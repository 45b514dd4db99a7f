// What `lab grade` builds before it grades, and whose fault it is when that fails.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "common/files.h"
#include "grader/cli/cli_test_fixture.h"
#include "grader/cli/mini_course.h"

namespace gridstride::cli {
namespace {
namespace fs = std::filesystem;

/// A build system that only pretends: it notes what it is asked to build.
class BuildCliTest : public CliTest {
 protected:
  BuildCliTest() {
    std::ofstream(course_.build() / "build.ninja") << "\n";
    for (const std::string lab : {"reduction", "scan"})
      std::ofstream(course_.stage(lab, "0_baseline")) << "\n";
    fs::create_directories(course_.build() / "stages/labs/scan");
  }
  /// `script` sees the targets in $*.
  void pretend_cmake(const std::string& script) {
    const fs::path cmake = programs_.path() / "cmake";
    std::ofstream(cmake) << "#!/bin/sh\necho \"$*\" >> '" << calls().string() << "'\n"
                         << script << "\n";
    fs::permissions(cmake, fs::perms::owner_all);
  }
  RunResult run(const std::string& arguments) {
    return run_shell("PATH='" + programs_.path().string() + "':/usr/bin:/bin '" +
                     course_.program().string() + "' " + arguments);
  }
  fs::path calls() const { return programs_.path() / "calls"; }
  int number_of_calls() const {
    const std::string all = read_file(calls());
    return static_cast<int>(std::ranges::count(all, '\n'));
  }
  /// Of the stage scan/1_first: its library, its log …
  fs::path file(const std::string& extension) const {
    return course_.build() / "stages/labs/scan" / ("1_first." + extension);
  }

  TemporaryFolder programs_;
};

TEST_F(BuildCliTest, BuildsOnlyWhatIsGraded) {
  pretend_cmake("echo '[1/2] Building'; echo '[2/2] Linking'");
  const RunResult result = run("grade reduction/1_first");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_TRUE(contains(result, "Building reduction …\n")) << result.output;
  EXPECT_EQ(read_file(calls()), "--build " + course_.build().string() +
                                    " --target grader-reduction "
                                    "stages/labs/reduction/0_baseline.so "
                                    "stages/labs/reduction/1_first.so -- -k 0\n");
}

TEST_F(BuildCliTest, AStageThatDoesNotCompileIsStillGraded) {
  pretend_cmake("case $* in *stages/*) echo FAILED; exit 1;; esac");
  const RunResult result = run("grade reduction");
  EXPECT_EQ(result.exit_code, 0) << "the pretended grader passes it: " << result.output;
  EXPECT_FALSE(contains(result, "FAILED")) << result.output;
}

TEST_F(BuildCliTest, AGraderThatDoesNotBuildIsShown) {
  pretend_cmake("echo '[1/2] Building'; echo 'judge.cpp:1: error: no'; exit 1");
  const RunResult result = run("grade reduction");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_TRUE(contains(result, "judge.cpp:1: error: no\nlab: The grader could not be built"))
      << result.output;
}

TEST_F(BuildCliTest, AStageThatSaysWhyIsNotBuiltAgain) {
  for (const char* words : {"log", "infrastructure"}) {
    fs::remove(calls());
    pretend_cmake("case $* in *1_first*) echo why > '" + file(words).string() + "'; exit 1;; esac");
    EXPECT_EQ(run("grade scan/1_first").exit_code, 0);
    EXPECT_EQ(read_file(file(words)), "why\n") << "the grader's to read";
    EXPECT_EQ(number_of_calls(), 3) << "all, the programs, the baseline that says nothing";
    fs::remove(file(words));
  }
}

TEST_F(BuildCliTest, AStageThatFailsBeforeTheGuardIsNotTheStudents) {
  // Neither an old library nor what was wrong with an older source counts.
  for (const char* old : {"so", "log"}) {
    write_file(file(old), "of yesterday");
    pretend_cmake(
        "case $* in *1_first*) echo '[1/2] Building'; echo 'ninja: fatal: disk'; exit 1;; "
        "esac");
    EXPECT_EQ(run("grade scan/1_first").exit_code, 0);
    EXPECT_FALSE(fs::exists(file(old)));
    const std::string words = read_file(file("infrastructure"));
    EXPECT_NE(words.find("\n  ninja: fatal: disk\nRepair:"), std::string::npos) << words;
    fs::remove(file("infrastructure"));
  }
}

TEST_F(BuildCliTest, WhatNinjaDidNotComeToIsDoneAfterAll) {
  pretend_cmake("[ -e '" + (programs_.path() / "died").string() + "' ] || { touch '" +
                (programs_.path() / "died").string() + "'; kill -KILL $$; }");
  write_file(file("so"), "of yesterday, and up to date");
  write_file(file("text"), read_file(course_.stage("scan", "1_first")));
  EXPECT_EQ(run("grade scan/1_first").exit_code, 0);
  EXPECT_TRUE(fs::exists(file("so")));
  EXPECT_FALSE(fs::exists(file("infrastructure")));
  EXPECT_EQ(number_of_calls(), 3) << "all, the programs, the stages";
}

/// Whatever ninja thinks of times: a library of another text is built again, from nothing.
TEST_F(BuildCliTest, ALibraryOfAnotherTextIsBuiltAgain) {
  pretend_cmake("[ -e '" + file("cu").string() + "' ] || echo built > '" + file("so").string() +
                "'");
  for (const bool known : {true, false}) {
    fs::remove(calls());
    write_file(file("so"), "of yesterday");
    write_file(file("cu"), "the copy that was compiled");
    if (known) write_file(file("text"), "another text");
    EXPECT_EQ(run("grade scan/1_first").exit_code, 0);
    EXPECT_EQ(read_file(file("so")), "built\n");
    EXPECT_EQ(number_of_calls(), 2);
    fs::remove(file("text"));
  }
}

TEST_F(BuildCliTest, TakesTheTextsFromWhereTheyAreHandedIn) {
  pretend_cmake("echo \"$GRIDSTRIDE_HANDED_IN\" > '" + (programs_.path() / "from").string() + "'");
  course_.set_grader("scan",
                     "echo \"from=$handed_in\" >&2\n" + MiniCourse::reporting("scan", "pass"));
  const auto from = [&] { return read_file(programs_.path() / "from"); };
  EXPECT_EQ(run("grade scan").exit_code, 0);
  EXPECT_EQ(from(), (course_.tree() / "labs/scan").string() + "\n");
  const TemporaryFolder student;
  write_file(student.path() / "1_first.cu", "x");
  const RunResult result = run("grade scan --from " + student.path().string());
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_EQ(from(), student.path().string() + "\n");
  EXPECT_TRUE(contains(result, "from=" + student.path().string() + "\n")) << result.output;
  fs::create_directory(student.path() / "scan");
  run("grade scan --from " + student.path().string());
  EXPECT_EQ(from(), (student.path() / "scan").string() + "\n");
}

TEST_F(BuildCliTest, WhatIsNoStageIsNotBuilt) {
  pretend_cmake("");
  fs::remove(course_.stage("reduction", "1_first"));
  ASSERT_EQ(::mkfifo(course_.stage("reduction", "1_first").c_str(), 0600), 0);
  fs::create_directory(course_.stage("reduction", "9_${x};y"));
  EXPECT_EQ(run("grade reduction").exit_code, 0);
  EXPECT_EQ(read_file(calls()), "--build " + course_.build().string() +
                                    " --target grader-reduction "
                                    "stages/labs/reduction/0_baseline.so "
                                    "stages/labs/reduction/2_second.so -- -k 0\n");
}

TEST_F(BuildCliTest, WhatIsHandedInHasAFolder) {
  EXPECT_TRUE(contains(run("grade scan --from /no/such/folder"), "there is no folder"));
  EXPECT_EQ(run("grade scan --from /no/such/folder").exit_code, 2);
  const TemporaryFolder student;
  const RunResult several = run("grade --from " + student.path().string());
  EXPECT_EQ(several.exit_code, 2);
  EXPECT_TRUE(contains(several, "several labs at once need a folder each")) << several.output;
}

TEST_F(BuildCliTest, AReasonThatCannotBeWrittenIsSaid) {
  pretend_cmake("case $* in *stages/*) echo 'ninja: fatal: disk'; exit 1;; esac");
  fs::remove_all(course_.build() / "stages");
  write_file(course_.build() / "stages", "a file in place of a folder");
  const RunResult result = run("grade scan/1_first");
  EXPECT_EQ(result.exit_code, 3) << result.output;
  EXPECT_TRUE(contains(result, "ninja: fatal: disk")) << result.output;
  EXPECT_TRUE(contains(result, "Nor can this be written beside it: ")) << result.output;
}

TEST_F(BuildCliTest, AMissingBuildProgramIsNamed) {
  pretend_cmake("");
  fs::create_symlink("/usr/bin/true", programs_.path() / "flock");
  const auto without = [&](const std::string& program) {
    fs::remove(programs_.path() / program);
    return run_shell("PATH='" + programs_.path().string() + "' '" + course_.program().string() +
                     "' grade scan");
  };
  const RunResult cmake = without("cmake");
  EXPECT_EQ(cmake.exit_code, 3);
  EXPECT_TRUE(contains(cmake, "There is no cmake to build with. Repair: `./lab doctor`"))
      << cmake.output;
  const RunResult flock = without("flock");
  EXPECT_EQ(flock.exit_code, 3);
  EXPECT_TRUE(contains(flock, "There is no flock to build with.")) << flock.output;
}

TEST_F(BuildCliTest, ABuildFolderThatCannotBeLockedIsShown) {
  pretend_cmake("");
  fs::create_symlink("/no/such/folder/lock", course_.build() / "lock");
  const RunResult result = run("grade scan");
  EXPECT_EQ(result.exit_code, 3) << result.output;
  EXPECT_TRUE(contains(result, "cannot open lock file")) << result.output;
  EXPECT_FALSE(contains(result, "pass")) << result.output;
}

TEST_F(BuildCliTest, AFolderWithoutABuildSaysSo) {
  fs::remove(course_.build() / "build.ninja");
  const RunResult result = run("grade reduction");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_TRUE(contains(result, "add --no-build")) << result.output;
}

}  // namespace
}  // namespace gridstride::cli
