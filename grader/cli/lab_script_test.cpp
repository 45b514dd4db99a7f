// ./lab on machines that lack something, in a course in miniature with programs that only pretend.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "common/files.h"
#include "grader/cli/mini_course.h"
#include "grader/sandbox/sandbox.h"

namespace gridstride::cli {
namespace {
namespace fs = std::filesystem;

class LabScriptTest : public testing::Test {
 protected:
  LabScriptTest() {
    fs::copy_file(fs::path(GRIDSTRIDE_SOURCE_TREE) / "lab", course_.tree() / "lab");
    fs::create_directories(course_.tree() / "grader/cli");
    std::ofstream(course_.tree() / "grader/cli/packages.txt") << "first-package\nsecond-package\n";
    fs::create_directories(programs_);
    pretend("dpkg-query", "echo installed first-package; echo installed second-package");
    pretend("nvcc", "true");
    pretend("chromium", "true");
    pretend("cmake", "echo \"cmake $*\" >> '" + calls().string() + "'");
  }

  /// A program that the script finds before the real one.
  void pretend(const std::string& name, const std::string& script) const {
    std::ofstream(programs_ / name) << "#!/bin/sh\n" << script << "\n";
    fs::permissions(programs_ / name, fs::perms::owner_all);
  }
  fs::path calls() const { return folder_.path() / "calls"; }
  std::string called() const { return fs::exists(calls()) ? read_file(calls()) : ""; }

  /// `mounts` are bubblewrap's words for what is different there.
  RunResult run(const std::string& arguments, const std::string& mounts = "") const {
    const std::string wrapper = mounts.empty() ? "" : "bwrap --bind / / --dev /dev " + mounts + " ";
    return run_shell("cd '" + folder_.path().string() + "' && LAB_PRESET=student PATH='" +
                     programs_.string() + "':/usr/bin:/bin " + wrapper + "'" +
                     (course_.tree() / "lab").string() + "' " + arguments);
  }
  static bool contains(const RunResult& result, const std::string& text) {
    return result.output.find(text) != std::string::npos;
  }
  static bool can_mount() { return sandbox_status().available; }

  MiniCourse course_;
  TemporaryFolder folder_;
  fs::path programs_ = folder_.path() / "programs";
};

TEST_F(LabScriptTest, HelpNeedsNothing) {
  const RunResult result = run("");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_TRUE(contains(result, "grade [LAB[/STAGE]]")) << result.output;
  EXPECT_EQ(called(), "");
}

TEST_F(LabScriptTest, ConfiguresBuildsAndHandsOver) {
  pretend("cmake", "echo \"cmake $*\" >> '" + calls().string() + "'; mkdir -p build/student; cd '" +
                       course_.build().string() +
                       "'; touch build.ninja; printf 'CMAKE_HOME_DIRECTORY:INTERNAL=" +
                       course_.tree().string() + "\\nCMAKE_CUDA_COMPILER:STRING=" +
                       (programs_ / "nvcc").string() + "\\n' > CMakeCache.txt");
  const RunResult first = run("list");
  EXPECT_EQ(first.exit_code, 0);
  EXPECT_TRUE(contains(first, "Configuring build/student")) << first.output;
  EXPECT_TRUE(contains(first, "1_first")) << first.output;
  EXPECT_NE(called().find("--preset student"), std::string::npos) << called();
  EXPECT_NE(called().find("--target gridstride"), std::string::npos) << called();
  EXPECT_FALSE(contains(run("list"), "Configuring")) << "a second time there is nothing to do";
  EXPECT_EQ(run("grad").exit_code, 2) << "the program's exit code is the script's";
}

TEST_F(LabScriptTest, NoBuildAsksForNothing) {
  pretend("dpkg-query", "exit 1");
  const RunResult result = run("grade --no-build");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_EQ(called(), "");
  fs::remove_all(course_.build());
  EXPECT_EQ(run("grade --no-build").output,
            "lab: nothing is built here yet: leave out --no-build\n");
}

TEST_F(LabScriptTest, MissingPackagesAreNamedToAUser) {
  if (!can_mount()) GTEST_SKIP() << sandbox_status().reason;
  pretend("dpkg-query", "echo installed first-package");
  const RunResult result = run("list", "--unshare-user --uid 1000");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_TRUE(contains(result,
                       "sudo apt-get update && sudo apt-get install --yes "
                       "--no-install-recommends second-package\n"))
      << result.output;
  EXPECT_FALSE(contains(result, "first-package")) << result.output;
}

TEST_F(LabScriptTest, RootInstallsThem) {
  if (!can_mount()) GTEST_SKIP() << sandbox_status().reason;
  pretend("dpkg-query", "echo installed first-package");
  pretend("apt-get", "echo \"apt-get $*\" >> '" + calls().string() + "'");
  run("list", "--unshare-user --uid 0");
  EXPECT_NE(called().find("apt-get update\napt-get install --yes --no-install-recommends "
                          "second-package\n"),
            std::string::npos)
      << called();
  pretend("apt-get", "echo no network; exit 100");
  const RunResult result = run("list", "--unshare-user --uid 0");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_TRUE(contains(result, "no network")) << result.output;
  EXPECT_TRUE(contains(result, "could not be installed")) << result.output;
}

TEST_F(LabScriptTest, AMissingToolkitIsNamed) {
  if (!can_mount()) GTEST_SKIP() << sandbox_status().reason;
  fs::remove(programs_ / "nvcc");
  const RunResult result = run("list", "--tmpfs /usr/local");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_TRUE(contains(result, "the CUDA toolkit was not found")) << result.output;
}

TEST_F(LabScriptTest, AReadOnlyTreeIsNamed) {
  if (!can_mount()) GTEST_SKIP() << sandbox_status().reason;
  const std::string read_only =
      "--ro-bind '" + course_.tree().string() + "' '" + course_.tree().string() + "'";
  const RunResult result = run("list", read_only);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_TRUE(contains(result, "cannot write to")) << result.output;
  EXPECT_EQ(run("grade --no-build", read_only).exit_code, 0);
}

TEST_F(LabScriptTest, AFailedConfigurationIsShownOnce) {
  pretend("cmake", "echo the reason; exit 1");
  const RunResult result = run("list");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_TRUE(contains(result, "the reason")) << result.output;
  EXPECT_FALSE(fs::exists(course_.build() / "configured"));
}

TEST_F(LabScriptTest, TestEndsWithCTestsWordsAndSaysWhyTestsWereNotRun) {
  const fs::path logs = course_.build() / "Testing/Temporary";
  fs::create_directories(logs);
  std::ofstream(logs / "LastTest.log")
      << "[ RUN      ] A.OnGpu\n/a_test.cpp:7: Skipped\nneeds a GPU\n[  SKIPPED ] A.OnGpu (0 ms)\n"
         "[ RUN      ] B.OnGpu\n/b_test.cpp:9: Skipped\nneeds a GPU\n[  SKIPPED ] B.OnGpu (0 ms)\n"
         "[ RUN      ] C.Silent\n/c_test.cpp:9: Skipped\n\n[  SKIPPED ] C.Silent (0 ms)\n";
  pretend("ctest",
          "echo '1/2 Test #1: A.OnGpu ... Skipped'\n"
          "echo '100% tests passed, 0 tests failed out of 3'\necho last");
  const std::string expected =
      "1/2 Test #1: A.OnGpu ... Skipped\n2 not run: needs a GPU\n1 not run: no reason is given\n"
      "100% tests passed, 0 tests failed out of 3\nlast\n";
  RunResult result = run("test");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_TRUE(result.output.ends_with(expected)) << result.output;
  pretend("ctest", "echo '66% tests passed, 1 tests failed out of 3'; exit 8");
  result = run("test");
  EXPECT_EQ(result.exit_code, 1) << result.output;
  EXPECT_TRUE(result.output.ends_with("66% tests passed, 1 tests failed out of 3\n"))
      << result.output;
}

TEST_F(LabScriptTest, CtrlCEndsWith130) {
  pretend("cmake", "sleep 30");
  const RunResult result = run_shell("LAB_PRESET=student PATH='" + programs_.string() +
                                     "':/usr/bin:/bin timeout --preserve-status -s INT "
                                     "0.5 '" +
                                     (course_.tree() / "lab").string() + "' list");
  EXPECT_EQ(result.exit_code, 130) << result.output;
  EXPECT_TRUE(contains(result, "lab: stopped")) << result.output;
}

}  // namespace
}  // namespace gridstride::cli
