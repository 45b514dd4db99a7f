// A stage built without a build system: by the same commands, and only when there is a reason.
#include "grader/compile/stage_build.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "common/files.h"
#include "common/simulator/model/profile.h"
#include "common/subprocess.h"
#include "grader/compile/stage_files.h"
#include "grader/compile/toolchain.h"

namespace gridstride {
namespace {
namespace fs = std::filesystem;

const fs::path source_tree = GRIDSTRIDE_SOURCE_TREE;

const fs::path host_compiler_script = source_tree / "common/tools/host_compiler.sh";

Toolchain toolchain() {
  static const Toolchain found = [] {
    ::setenv("CXX", GRIDSTRIDE_CXX, 1);  // what the build, with which this is compared, was given
    return find_toolchain(GRIDSTRIDE_NVCC, host_compiler_script);
  }();
  return found;
}

/// The options of a command that decide what comes out. Where things are written differs; of what is
/// read, where the course is.
std::multiset<std::string> options_of(const std::vector<std::string>& command) {
  std::multiset<std::string> options;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const std::string& word = command[i];
    if (word == "-o" || word == "-MT" || word == "-MF" || word == "-c") {
      options.insert(word);
      ++i;
    } else if (word.starts_with("-D") && word.ends_with("_EXPORTS")) {
      continue;  // CMake's, for sources that ask whether they are a library
    } else if (word == "-Xlinker=-z,defs") {
      continue;  // of no use in a device link, which CMake gives the options of the other
    } else if (word.starts_with("-L") && word.ends_with("/stubs")) {
      continue;  // CMake's, where nvcc is a script: holds the driver's stand-in, which no stage asks for
    } else if (word.starts_with("-L") && word.find("/gcc/") != std::string::npos) {
      continue;  // CMake's, where nvcc takes an older compiler than the one that links
    } else if (word.starts_with("-L")) {
      options.insert("-L" + fs::weakly_canonical(word.substr(2)).string());
    } else if (!word.ends_with(".o")) {
      options.insert(word);
    }
  }
  return options;
}

/// What CMake has the guard run for a stage, in its order.
std::vector<std::vector<std::string>> commands_of_build(const std::string& stage) {
  std::istringstream lines(output_of(
      {"ninja", "-C", GRIDSTRIDE_BUILD_DIR, "-t", "commands", "stages/labs/" + stage + ".so"}));
  std::vector<std::vector<std::string>> commands;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("--library=") == std::string::npos) continue;
    // The line is the shell's: it takes the quotation marks away.
    std::size_t begin = line.find("--tree=");
    if (line[begin - 1] == '"') --begin;
    const std::string script = line.substr(begin, line.find(" && ", begin) - begin);
    std::istringstream words(
        output_of({"/bin/sh", "-c", "for a in " + script + "; do printf '%s\\n' \"$a\"; done"}));
    std::vector<std::string> command;
    bool behind_guard = false;
    for (std::string word; std::getline(words, word);) {
      if (behind_guard) command.push_back(word);
      behind_guard = behind_guard || word == "--";
    }
    commands.push_back(command);
  }
  return commands;
}

void expect_the_builds_commands(const std::string& lab, const std::string& name, bool relocatable) {
  StageToBuild stage;
  stage.tree = source_tree;
  stage.lab = lab;
  stage.relocatable = relocatable;
  stage.contract = "contract.o";
  stage.source = source_tree / "1_first.cu";
  stage.library = "1_first.so";
  const auto builds = commands_of_build(lab + "/" + name);
  const auto ours = commands_for(stage, toolchain());
  ASSERT_EQ(ours.size(), builds.size());
  for (std::size_t i = 0; i < ours.size(); ++i)
    EXPECT_EQ(options_of(ours[i].command), options_of(builds[i])) << lab << ", command " << i;
}

TEST(StageBuild, RunsTheCommandsOfTheBuild) {
  expect_the_builds_commands("reduction", "3_sequential", false);
  expect_the_builds_commands("quicksort-cdp", "1_bitonic_block", true);
}

/// The options of a stage's first command that say what code is made.
std::vector<std::string> code_options(std::uint32_t compute_capability,
                                      std::uint32_t machine_code) {
  StageToBuild stage;
  stage.tree = source_tree;
  stage.lab = "reduction";
  stage.source = source_tree / "1_first.cu";
  stage.library = "1_first.so";
  stage.compute_capability = compute_capability;
  stage.machine_code = machine_code;
  std::vector<std::string> found = commands_for(stage, toolchain()).front().command;
  std::erase_if(found,
                [](const std::string& word) { return !word.starts_with("--generate-code="); });
  return found;
}

/// CMake's for "90-real;75-virtual", as CMakePresets.json has them for GPUs, are the first.
TEST(StageBuild, MakesCodeForTheGpuAtHandBesideThePtx) {
  using Options = std::vector<std::string>;
  EXPECT_EQ(code_options(75, 90), (Options{"--generate-code=arch=compute_90,code=[sm_90]",
                                           "--generate-code=arch=compute_75,code=[compute_75]"}));
  EXPECT_EQ(code_options(75, 80), (Options{"--generate-code=arch=compute_90,code=[sm_90]",
                                           "--generate-code=arch=compute_80,code=[sm_80]",
                                           "--generate-code=arch=compute_75,code=[compute_75]"}));
  // A stage for newer GPUs than the one at hand is not run there.
  EXPECT_EQ(code_options(90, 80), (Options{"--generate-code=arch=compute_90,code=[sm_90]",
                                           "--generate-code=arch=compute_90,code=[compute_90]"}));
}

/// It reads the registers of kernels there, the same on every machine.
TEST(StageBuild, MakesCodeForTheSimulatedGpuOnEveryMachine) {
  const std::string simulated = std::to_string(sim::default_profile().properties.capability);
  const std::string wanted =
      "--generate-code=arch=compute_" + simulated + ",code=[sm_" + simulated + "]";
  for (const std::uint32_t at_hand : {0, 75, 80, 90, 100})
    EXPECT_EQ(std::ranges::count(code_options(75, at_hand), wanted), 1) << at_hand;
  // Newer than the simulated one.
  EXPECT_EQ(code_options(100, 0),
            (std::vector<std::string>{"--generate-code=arch=compute_100,code=[compute_100]"}));
}

TEST(StageBuild, ForADebuggerNothingIsOptimizedOnTheDevice) {
  StageToBuild stage;
  stage.tree = source_tree;
  stage.lab = "reduction";
  stage.source = source_tree / "1_first.cu";
  stage.library = "1_first.so";
  const auto usual = options_of(commands_for(stage, toolchain()).front().command);
  stage.debug = true;
  auto debug = options_of(commands_for(stage, toolchain()).front().command);
  EXPECT_EQ(debug.erase("-G"), 1u);
  debug.insert("-lineinfo");
  debug.insert("--generate-code=arch=compute_90,code=[sm_90]");
  EXPECT_EQ(debug, usual);
}

class StageBuildTest : public testing::Test {
 protected:
  StageBuildTest() {
    fs::create_directories(stage_.tree / "labs/tiny");
    fs::create_directories(stage_.tree / "common");
    fs::copy(source_tree / "common/glibc_overlay", stage_.tree / "common/glibc_overlay",
             fs::copy_options::recursive);
    fs::create_directories(stage_.library.parent_path());
    write_file(header_, "void tiny(int* out);\n");
    write_file(stage_.tree / "contract.cpp", "extern \"C\" int contract() { return 1; }\n");
    Subprocess compiler;
    compiler.command = {
        toolchain().linker.string(), "-fPIC", "-c", (stage_.tree / "contract.cpp").string(), "-o",
        stage_.contract.string()};
    EXPECT_TRUE(run_process(compiler).succeeded());
    write_file(stage_.source, "#include \"labs/tiny/tiny.h\"\nvoid tiny(int* out) { *out = 1; }\n");
  }
  bool is_built() const { return gridstride::is_built(stage_, toolchain().nvcc); }
  bool build() const { return build_stage(stage_, toolchain()); }
  std::string log() const { return read_file(log_of(stage_.library)); }

  TemporaryFolder folder_;
  StageToBuild stage_ = in(folder_.path() / "my course [1] (a)");
  fs::path header_ = stage_.tree / "labs/tiny/tiny.h";

  static StageToBuild in(const fs::path& tree) {
    StageToBuild stage;
    stage.tree = tree;
    stage.lab = "tiny";
    stage.contract = tree / "contract.o";
    stage.copies = tree / "stages";
    stage.library = tree / "stages/labs/tiny/1_first.so";
    stage.source = tree / "stages/labs/tiny/1_first.cu";
    return stage;
  }
};

TEST_F(StageBuildTest, BuildsOnceWhereverTheCourseIs) {
  EXPECT_FALSE(is_built());
  ASSERT_TRUE(build()) << log();
  EXPECT_TRUE(fs::exists(stage_.library));
  EXPECT_TRUE(is_built());
  for (const char* name : {"1_first.o", "1_first.d"})
    EXPECT_FALSE(fs::exists(stage_.library.parent_path() / name)) << name;
  const fs::path moved = folder_.path() / "moved";
  fs::rename(stage_.tree, moved);
  stage_ = in(moved);
  EXPECT_TRUE(is_built());
}

TEST_F(StageBuildTest, BuildsAgainForEveryReason) {
  ASSERT_TRUE(build()) << log();
  const std::string text = read_file(stage_.source), header = read_file(header_);
  write_file(stage_.source, text + "// more\n");
  EXPECT_FALSE(is_built()) << "another text";
  write_file(stage_.source, text);
  EXPECT_TRUE(is_built());
  write_file(header_, header + "// more\n");
  EXPECT_FALSE(is_built()) << "another contract";
  write_file(header_, header);
  EXPECT_TRUE(is_built());
  EXPECT_FALSE(gridstride::is_built(stage_, "/usr/bin/true")) << "another nvcc";
  write_file(stage_.contract, read_file(stage_.contract) + "x");
  EXPECT_FALSE(is_built()) << "another adapter";
}

TEST_F(StageBuildTest, ASourceAtFaultLeavesNoLibraryAndItsLine) {
  ASSERT_TRUE(build()) << log();
  write_file(stage_.source, "void tiny(int* out) {\n  *out = missing;\n}\n");
  EXPECT_FALSE(build());
  EXPECT_FALSE(is_built());
  EXPECT_FALSE(fs::exists(stage_.library));
  EXPECT_NE(log().find("labs/tiny/1_first.cu(2): error: identifier \"missing\""), std::string::npos)
      << log();
  EXPECT_FALSE(fs::exists(infrastructure_of(stage_.library)));
}

/// Of a GPU of compute capability 8.0 and higher, in a stage whose PTX is for all from 7.5 on.
TEST_F(StageBuildTest, TakesInlinePtxThatNewerGpusHave) {
  write_file(stage_.source,
             "#include \"labs/tiny/tiny.h\"\n"
             "__global__ void wait() { asm volatile(\"cp.async.wait_all;\"); }\n"
             "void tiny(int*) { wait<<<1, 1>>>(); }\n");
  EXPECT_TRUE(build()) << log();
}

TEST_F(StageBuildTest, WhatIsMissingIsNotTheSources) {
  fs::remove(stage_.contract);
  EXPECT_THROW(build(), std::runtime_error);
  fs::remove(header_);
  write_file(stage_.contract, "");
  EXPECT_THROW(build(), std::runtime_error);
  EXPECT_TRUE(fs::exists(infrastructure_of(stage_.library)));
}

TEST(Toolchain, HasACompilerAndTheRuntimesLibraries) {
  const Toolchain found = toolchain();
  EXPECT_TRUE(found.linker.is_absolute());
  EXPECT_TRUE(fs::exists(found.libraries / "libcudart.so")) << found.libraries;
  EXPECT_TRUE(fs::exists(found.libraries / "libcudadevrt.a")) << found.libraries;
}

TEST(Toolchain, IsTheEnvironmentsWhereItNamesOne) {
  const TemporaryFolder folder;
  const fs::path other = folder.path() / "other-c++";
  fs::create_symlink("/bin/true", other);
  const Toolchain usual = toolchain();
  ::setenv("CUDAHOSTCXX", other.c_str(), 1);
  ::setenv("CXX", other.c_str(), 1);
  const Toolchain found = find_toolchain(GRIDSTRIDE_NVCC, host_compiler_script);
  ::unsetenv("CUDAHOSTCXX");
  ::unsetenv("CXX");
  EXPECT_EQ(found.host_compiler, other);
  EXPECT_EQ(found.linker, other);
  const Toolchain without = find_toolchain(GRIDSTRIDE_NVCC, host_compiler_script);
  EXPECT_EQ(without.host_compiler, usual.host_compiler);
  EXPECT_NE(without.linker, other);
}

}  // namespace
}  // namespace gridstride
