// Wrong kernels that are kept as a diff: what the build makes of one, what it says of one that is
// out of date, and how an author mends it. In a course of one lab, whose path and sources are
// awkward.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "common/files.h"
#include "common/subprocess.h"

namespace gridstride {
namespace {

namespace fs = std::filesystem;

const std::string stage_text =
    "// Stage 1.\n#include <x>\n\nint f(int n) {\n  int sum = 0;\n"
    "  for (int i = 0; i < n; ++i) sum += i;\n  return sum;\n}\n";
const std::string kernel_text =
    "// One too many.\n#include <x>\n\nint f(int n) {\n  int sum = 0;\n"
    "  for (int i = 0; i <= n; ++i) sum += i;\n  return sum;\n}\n";
const std::string patch_text =
    "Above the diff an author may write.\n"
    "--- solutions/tiny/1_first.cu\n"
    "+++ solutions/tiny/wrong/one_too_many.cu\n"
    "@@ -1,8 +1,8 @@\n"
    "-// Stage 1.\n+// One too many.\n #include <x>\n\n int f(int n) {\n   int sum = 0;\n"
    "-  for (int i = 0; i < n; ++i) sum += i;\n+  for (int i = 0; i <= n; ++i) sum += i;\n"
    "   return sum;\n }\n";

struct Said {
  int exit_code = 0;
  std::string words;
  bool has(std::string_view text) const { return words.find(text) != std::string::npos; }
};

class WrongKernelTest : public testing::Test {
 protected:
  WrongKernelTest() {
    for (const char* file :
         {"common/cmake/GridstrideTargets.cmake", "common/cmake/GridstrideWrong.cmake",
          "common/tools/wrong_kernel.sh"}) {
      fs::create_directories((tree_ / file).parent_path());
      fs::copy_file(fs::path(GRIDSTRIDE_SOURCE_DIR) / file, tree_ / file);
    }
    fs::create_directories(home_);
    std::ofstream(tree_ / "CMakeLists.txt")
        << "cmake_minimum_required(VERSION 3.25)\nproject(tiny NONE)\n"
           "include(common/cmake/GridstrideTargets.cmake)\n"
           "include(common/cmake/GridstrideWrong.cmake)\n"
           "gridstride_wrong_kernels(kernels tiny)\n"
           "add_custom_target(wrong ALL DEPENDS ${kernels})\n";
    write_file(stage_, stage_text);
    write_file(home_ / "whole.cu", "// Shares nothing with any stage.\n");
    write_file(patch_, patch_text);
  }

  Said run(std::vector<std::string> command, const std::string& editor = "false") const {
    Said said;
    Subprocess process;
    process.command = std::move(command);
    process.environment = {{"VISUAL", editor}, {"TMPDIR", folder_.path().string()}};
    process.merge_errors = true;
    process.on_line = [&said](std::string_view line) { said.words.append(line).append("\n"); };
    said.exit_code = run_process(process).exit_code;
    return said;
  }
  Said configure(const std::string& option = "--no-warn-unused-cli") const {
    return run({GRIDSTRIDE_CMAKE, "-S", tree_, "-B", build_, "-G", GRIDSTRIDE_GENERATOR,
                "-DCMAKE_MAKE_PROGRAM=" GRIDSTRIDE_MAKE, option});
  }
  Said build() const { return run({GRIDSTRIDE_CMAKE, "--build", build_}); }
  /// Later than what was built, as file systems tell it: their clock may tick every 10 ms only.
  static void change(const fs::path& file, const std::string& text) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    write_file(file, text);
  }
  Said edit(const std::string& kernel, const std::string& editor,
            const std::vector<std::string>& stage = {}) const {
    std::vector<std::string> command = {tree_ / "common/tools/wrong_kernel.sh", "edit", kernel};
    command.insert(command.end(), stage.begin(), stage.end());
    return run(command, editor);
  }
  static std::string with(std::string text, const std::string& what, const std::string& other) {
    return text.replace(text.find(what), what.size(), other);
  }
  fs::path kernel(const std::string& name = "one_too_many") const {
    return build_ / "solutions/tiny/wrong" / (name + ".cu");
  }

  TemporaryFolder folder_;
  fs::path tree_ = folder_.path() / "my course [1] (a) & b";
  fs::path build_ = folder_.path() / "my build [1] (a) & b";
  fs::path stage_ = tree_ / "solutions/tiny/1_first.cu";
  fs::path home_ = tree_ / "solutions/tiny/wrong";
  fs::path patch_ = home_ / "one_too_many.patch";
};

TEST_F(WrongKernelTest, IsItsStageWithTheMistake) {
  fs::permissions(stage_, fs::perms::owner_read);
  fs::permissions(patch_, fs::perms::owner_read);
  ASSERT_EQ(configure().exit_code, 0) << configure().words;
  const Said said = build();
  ASSERT_EQ(said.exit_code, 0) << said.words;
  EXPECT_EQ(read_file(kernel()), kernel_text);
  EXPECT_EQ(fs::status(kernel()).permissions(), fs::status(home_ / "whole.cu").permissions());
  EXPECT_FALSE(fs::exists(kernel("whole"))) << "is compiled where it stands";
}

TEST_F(WrongKernelTest, IsMadeAgainWhenStageOrPatchChange) {
  configure();
  build();
  change(stage_, with(stage_text, "  return", "\n\n  return"));
  change(patch_, with(with(patch_text, "@@ -1,8 +1,8 @@", "@@ -1,7 +1,7 @@"),
                      "   return sum;\n }\n", "\n"));
  EXPECT_EQ(build().exit_code, 0);
  EXPECT_EQ(read_file(kernel()), with(kernel_text, "  return", "\n\n  return"));
  change(tree_ / "solutions/tiny/2_second.cu", stage_text);
  change(patch_, with(patch_text, "1_first", "2_second"));
  EXPECT_EQ(build().exit_code, 0);
  EXPECT_EQ(read_file(kernel()), kernel_text);
  change(home_ / "new.patch", read_file(patch_));
  EXPECT_EQ(build().exit_code, 0);
  EXPECT_EQ(read_file(kernel("new")), kernel_text);
}

/// Where only a line of the context has changed, fuzz would take it.
TEST_F(WrongKernelTest, FailsTheBuildByNameWhereItsStageHasChanged) {
  configure();
  ASSERT_EQ(build().exit_code, 0);
  for (const char* line : {"  return sum;\n", "  for (int i"}) {
    change(stage_, with(stage_text, line, std::string("  // new\n") + line));
    const Said said = build();
    EXPECT_NE(said.exit_code, 0) << said.words;
    EXPECT_TRUE(
        said.has("solutions/tiny/wrong/one_too_many.patch does not apply to "
                 "solutions/tiny/1_first.cu. One of them has changed:\n"
                 "Hunk #1 FAILED at 1.\n"))
        << said.words;
    EXPECT_TRUE(said.has("Repair: common/tools/wrong_kernel.sh edit tiny/one_too_many\n"))
        << said.words;
    EXPECT_FALSE(fs::exists(kernel())) << "an older one must not be compiled";
  }
  change(stage_, stage_text);
  EXPECT_EQ(build().exit_code, 0);
}

TEST_F(WrongKernelTest, FailsTheBuildByNameWhereItsStageIsNotThere) {
  change(patch_, with(patch_text, "1_first", "9_last"));
  ASSERT_EQ(configure().exit_code, 0) << "other labs can be built";
  const Said said = build();
  EXPECT_NE(said.exit_code, 0);
  EXPECT_TRUE(
      said.has("solutions/tiny/wrong/one_too_many.patch is against "
               "solutions/tiny/9_last.cu, which is not there.\n"))
      << said.words;
  change(patch_, "int f();\n");
  EXPECT_TRUE(build().has("one_too_many.patch has no line '--- solutions/LAB/STAGE.cu'"));
}

TEST_F(WrongKernelTest, NeedsTheProgramPatch) {
  change(tree_ / "CMakeLists.txt",
         with(read_file(tree_ / "CMakeLists.txt"), "gridstride_wrong_kernels",
              "set(CMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH OFF)\n"
              "set(CMAKE_FIND_USE_CMAKE_SYSTEM_PATH OFF)\ngridstride_wrong_kernels"));
  EXPECT_TRUE(configure().has("There is no program 'patch'")) << configure().words;
  fs::remove(patch_);
  EXPECT_EQ(configure().exit_code, 0) << "only to apply one";
}

TEST_F(WrongKernelTest, IsWrittenByTheEditor) {
  ASSERT_EQ(edit("tiny/one_too_many", "sed -i s/<=/==/").exit_code, 0);
  EXPECT_EQ(read_file(patch_), with(patch_text, "<=", "=="));
  ASSERT_EQ(edit("tiny/new", "sed -i s/</>/", {"1_first"}).exit_code, 0);
  EXPECT_TRUE(read_file(home_ / "new.patch").starts_with("--- solutions/tiny/1_first.cu\n+++ "));
  change(home_ / "copy.cu", kernel_text);
  ASSERT_EQ(edit("tiny/copy", "true", {"1_first"}).exit_code, 0);
  EXPECT_FALSE(fs::exists(home_ / "copy.cu"));
  configure();
  ASSERT_EQ(build().exit_code, 0);
  EXPECT_EQ(read_file(kernel("copy")), kernel_text);
  EXPECT_TRUE(edit("tiny/none", "true").has("name the stage"));
  change(home_ / "cut.patch", patch_text.substr(0, patch_text.find("+  for")));
  EXPECT_TRUE(edit("tiny/cut", "true").has("cut.patch is not a diff that patch can read."));
  EXPECT_TRUE(edit("tiny/none", "true", {"1_first"}).has("is solutions/tiny/1_first.cu itself"));
}

TEST_F(WrongKernelTest, IsMendedByTheEditor) {
  configure();
  change(stage_, with(stage_text, "sum += i", "sum = sum + i"));
  const Said open = edit("tiny/one_too_many", "true");
  EXPECT_NE(open.exit_code, 0);
  EXPECT_TRUE(open.has("is still in the kernel")) << open.words;
  EXPECT_EQ(read_file(patch_), patch_text);
  const Said mended = edit("tiny/one_too_many", "sed -i -e /^<<<<<<</,/^=======/d -e /^>>>>>>>/d");
  EXPECT_EQ(mended.exit_code, 0) << mended.words;
  EXPECT_EQ(build().exit_code, 0) << build().words;
  EXPECT_EQ(read_file(kernel()), kernel_text);
}

}  // namespace
}  // namespace gridstride
