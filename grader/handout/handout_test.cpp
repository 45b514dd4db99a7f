// The way of a handout: packed here, unpacked where nothing of this tree is to be seen, graded, moved.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "common/files.h"
#include "grader/handout/places.h"
#include "grader/handout/test_handout.h"

namespace gridstride {
namespace {
TEST_F(HandoutTest, TheSameContentsGiveTheSameBytes) {
  const fs::path second = packed_->path() / "second.tar.zst";
  const RunResult result = handout(second);
  ASSERT_EQ(result.exit_code, 0) << result.output;
  EXPECT_EQ(read_file(archive(), 1u << 30), read_file(second, 1u << 30));
}

TEST_F(HandoutTest, HoldsWhatStudentsNeedAndNoSolution) {
  for (const char* file :
       {"lab", "README.md", "docs/student.md", "labs/reduction/7_user_operation.cu",
        "labs/reduction/0_baseline.cu", "labs/quicksort-cdp/ranges.cuh",
        "labs/reduction/figures/strided.svg", "docs/foundations/figures/column.svg",
        "ready/bin/grade-reduction", "ready/lib/sim/libcudart.so.13", "ready/licences/chart.js",
        "ready/contracts/quicksort-cdp.o"})
    EXPECT_TRUE(fs::exists(tree_ / file)) << file;
  std::vector<std::string> solutions;
  if (has_solutions()) {
    for (const auto& entry : fs::recursive_directory_iterator(source_tree / "solutions"))
      if (entry.path().extension() == ".cu") solutions.push_back(read_file(entry.path()));
  }
  for (const auto& entry : fs::recursive_directory_iterator(tree_)) {
    const std::string name = entry.path().lexically_relative(tree_).string();
    EXPECT_EQ(name.find("solutions"), std::string::npos) << name;
    EXPECT_NE(entry.path().extension(), ".hpp") << name;
    EXPECT_NE(entry.path().filename(), "grader.cpp") << name;
    EXPECT_FALSE(name.find("/figures/") != std::string::npos && name.ends_with(".toml")) << name;
    if (!entry.is_regular_file()) continue;
    const std::string text = read_file(entry.path());
    for (const std::string& solution : solutions) EXPECT_NE(text, solution) << name;
    const bool is_program = name.starts_with("ready/bin/") || name.starts_with("ready/lib/");
    EXPECT_TRUE(is_program || text.find(source_tree.string()) == std::string::npos) << name;
  }
  EXPECT_FALSE(fs::exists(tree_ / "labs/scan")) << "nobody asked for it";
}

TEST_F(HandoutTest, GradesAnywhereAndAMovedFolderBuildsNothing) {
  if (!has_solutions()) GTEST_SKIP() << "there are no solutions here";
  RunResult result = grade("reduction/1");
  EXPECT_EQ(result.exit_code, 1) << result.output;
  EXPECT_TRUE(contains(result, " todo ")) << result.output;

  solve("reduction", "1_interleaved");
  result = grade("reduction/1");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_TRUE(contains(result, " pass ")) << result.output;
  EXPECT_TRUE(contains(result, "Building reduction")) << result.output;

  fs::rename(place_, folder_.path() / "moved");
  tree_ = folder_.path() / "moved" / handout_top;
  const fs::path library = tree_ / "ready/stages/labs/reduction/1_interleaved.so";
  const auto built = fs::last_write_time(library);
  result = grade("reduction/1");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_FALSE(contains(result, "Building")) << result.output;
  EXPECT_EQ(fs::last_write_time(library), built);
  const std::string commands = read_file(tree_ / editor_commands);
  EXPECT_NE(commands.find((tree_ / "labs/reduction/1_interleaved.cu").string()), std::string::npos)
      << "editors look here now: " << commands;

  write_file(stage(), read_file(stage()) + "// another text\n");
  result = grade("reduction/1");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_NE(fs::last_write_time(library), built);
}

TEST_F(HandoutTest, KernelsThatLaunchKernelsAreLinkedOnTheDevice) {
  if (!has_solutions()) GTEST_SKIP() << "there are no solutions here";
  solve("quicksort-cdp", "3_block_partition");
  const RunResult result = grade("quicksort-cdp/3");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_TRUE(contains(result, " pass ")) << result.output;
}

TEST_F(HandoutTest, WhatDoesNotCompileIsSaidWithItsLine) {
  const std::string skeleton = read_file(stage());
  const auto says = [&](const std::string& text, const std::string& verdict,
                        const std::string& words) {
    write_file(stage(), text);
    const RunResult result = grade("reduction/1");
    EXPECT_EQ(result.exit_code, 1) << text << result.output;
    EXPECT_TRUE(contains(result, verdict)) << text << result.output;
    EXPECT_TRUE(contains(result, words)) << text << result.output;
    EXPECT_FALSE(contains(result, tree_.string())) << result.output;
  };
  says("\nint x = missing;\n" + skeleton, "compile_error",
       "labs/reduction/1_interleaved.cu(2): error: identifier \"missing\" is undefined");
  says("#include <cub/warp/warp_reduce.cuh>\n" + skeleton, "wrong", "is not allowed in this lab");
  says("#include \"labs/reduction/reduction.h\"\n", "compile_error", "the library does not load");
  says(skeleton + "void nowhere();\nvoid here() { nowhere(); }\n", "compile_error",
       "undefined reference to `nowhere()'");
  fs::remove(stage());
  fs::create_symlink("/etc/passwd", stage());
  const RunResult link = grade("reduction/1");
  EXPECT_EQ(link.exit_code, 1) << link.output;
  EXPECT_TRUE(contains(link, "is a link, not a plain file")) << link.output;
}

TEST_F(HandoutTest, WhatTheMachineLacksIsNotTheStudents) {
  if (!sandbox_status().available) GTEST_SKIP() << sandbox_status().reason;
  const auto says = [](const RunResult& result, const std::string& words) {
    EXPECT_EQ(result.exit_code, 3) << result.output;
    EXPECT_TRUE(contains(result, words)) << result.output;
    EXPECT_FALSE(contains(result, "compile_error")) << result.output;
  };
  // A toolkit that is broken.
  const fs::path cicc =
      fs::canonical(fs::path(GRIDSTRIDE_NVCC).parent_path().parent_path()) / "nvvm/bin/cicc";
  if (fs::exists(cicc))
    says(grade("reduction/1", {"--ro-bind", "/dev/null", cicc.string()}),
         "The toolchain fails on a text of the course's own");
  fs::rename(tree_ / "ready/contracts/reduction.o", tree_ / "ready/contracts/away.o");
  says(grade("reduction/1"), "reduction.o is missing");
  fs::rename(tree_ / "ready/contracts/away.o", tree_ / "ready/contracts/reduction.o");
  EXPECT_EQ(grade("reduction/1").exit_code, 1) << "mended, it is a todo again";
}

TEST_F(HandoutTest, CtrlCWhileStagesAreBuiltLeavesNothingBehind) {
  const fs::path scratch = folder_.path() / "scratch";
  fs::create_directory(scratch);
  // Stopped when the compiler has written its first file; without waiting for the compiler.
  const std::string script = "export PATH='" + fs::path(GRIDSTRIDE_NVCC).parent_path().string() +
                             "':\"$PATH\" TMPDIR='" + scratch.string() + "'; '" +
                             (tree_ / "lab").string() +
                             "' grade reduction --device sim & lab=$!; "
                             "until find '" +
                             scratch.string() +
                             "' -name '*.ii' | grep -q .; do sleep 0.05; done; "
                             "kill -INT $lab; wait $lab; echo \"ended with $?\"";
  const RunResult stopped = run({"bash", "-c", script});
  EXPECT_TRUE(contains(stopped, "lab: stopped by Ctrl-C\nended with 130\n")) << stopped.output;
  EXPECT_TRUE(fs::is_empty(scratch)) << *fs::directory_iterator(scratch);
  EXPECT_TRUE(contains(grade("reduction/1"), "todo")) << "what was stopped is built later";
}

TEST_F(HandoutTest, GivesAStageBackAndTakesANewerHandout) {
  const std::string skeleton = read_file(stage());
  write_file(stage(), "my own\n");
  RunResult result = lab({"update", archive().string()});
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_TRUE(contains(result, "yours   labs/reduction/1_interleaved.cu\n")) << result.output;
  EXPECT_FALSE(contains(result, "new   ")) << result.output;
  EXPECT_EQ(read_file(stage()), "my own\n");
  result = lab({"reset", "reduction/1", "--yes"});
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_EQ(read_file(stage()), skeleton);
  EXPECT_EQ(grade("reduction/1").exit_code, 1) << "the programs are there, and work";
  EXPECT_EQ(lab({"update", "/no/such.tar.zst"}).exit_code, 3);
}

TEST_F(HandoutTest, AMachineThatIsTooOldIsToldSo) {
  const fs::path program = tree_ / "ready/bin/gridstride";
  write_file(program, "#!/bin/sh\necho \"libc.so.6: version GLIBC_2.34 not found\" >&2\nexit 1\n");
  fs::permissions(program, fs::perms::owner_all);
  const RunResult result = lab({"grade"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_TRUE(contains(result, "the C library (glibc) 2.")) << result.output;
  EXPECT_TRUE(contains(result, "version GLIBC_2.34 not found")) << result.output;
  EXPECT_EQ(lab({"test"}).exit_code, 2) << "that needs the course itself";
}

/// Who solves a stage where he packs must not hand out that.
TEST_F(HandoutTest, PacksNoSolvedStage) {
  const fs::path course = folder_.path() / "course";
  fs::create_directories(course / "build/ci/bin");
  fs::copy(source_tree / "labs", course / "labs", fs::copy_options::recursive);
  fs::copy_file(source_tree / "CMakePresets.json", course / "CMakePresets.json");
  for (const char* name :
       {"lab", "LICENSE", "docs", ".vscode", ".clangd", "common/clangd", "common/contract.h",
        "common/example.h", "common/glibc_overlay", "common/tools"}) {
    fs::create_directories((course / name).parent_path());
    fs::copy(source_tree / name, course / name, fs::copy_options::recursive);
  }
  const fs::path program = course / "build/ci/bin/gridstride-tools";
  fs::copy_file(GRIDSTRIDE_TOOLS, program);
  write_file(course / "build/ci/labs.txt", "reduction\n");
  write_file(course / "labs/reduction/3_sequential.cu", "// done\n");
  const RunResult result =
      run({program.string(), "handout", (folder_.path() / "x.tar.zst").string(), "--no-build"});
  EXPECT_EQ(result.exit_code, 3) << result.output;
  EXPECT_TRUE(contains(result, "labs/reduction/3_sequential.cu has no TODO")) << result.output;
  EXPECT_FALSE(fs::exists(folder_.path() / "x.tar.zst"));
}

}  // namespace
}  // namespace gridstride
