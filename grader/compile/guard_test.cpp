// What a source may and may not do to the machine that compiles it.
//
// Most cases use the host compiler, which nvcc hands every source to; the last uses nvcc itself.
#include "grader/compile/guard.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <exception>
#include <filesystem>
#include <fstream>
#include <string>

#include "common/files.h"
#include "grader/sandbox/sandbox.h"

namespace gridstride {
namespace {
namespace fs = std::filesystem;

class GuardTest : public testing::Test {
 protected:
  GuardTest() {
    fs::create_directories(tree_ / "labs/tiny");
    fs::create_directories(tree_ / "solutions/tiny");
    fs::create_directories(tree_ / "build");
    std::ofstream(tree_ / "labs/tiny/tiny.h") << "void tiny(int* out);\n";
    std::ofstream(tree_ / "solutions/tiny/1_first.cu") << "the_solution\n";
    guarded_.tree = tree_;
    guarded_.log = tree_ / "build/1_first.log";
    guarded_.library = tree_ / "build/1_first.so";
    guarded_.readable = {source_, tree_ / "labs/tiny/tiny.h"};
    guarded_.command = {"/usr/bin/g++",
                        "-I" + tree_.string(),
                        "-MD",
                        "-MT",
                        "target",
                        "-MF",
                        object_.string() + ".d",
                        "-x",
                        "c++",
                        "-c",
                        source_.string(),
                        "-o",
                        object_.string()};
  }

  bool compile(const std::string& text) {
    std::ofstream(source_) << text;
    return run_guarded(guarded_);
  }
  std::string log() const { return read_file(guarded_.log); }

  TemporaryFolder folder_;
  fs::path tree_ = folder_.path();
  fs::path source_ = tree_ / "labs/tiny/1_first.cu";
  fs::path object_ = tree_ / "build/1_first.o";
  GuardedCommand guarded_;
};

TEST_F(GuardTest, CompilesAgainstTheContract) {
  EXPECT_TRUE(compile("#include \"labs/tiny/tiny.h\"\nvoid tiny(int* out) { *out = 1; }\n"))
      << log();
  EXPECT_TRUE(fs::exists(object_));
  const std::string dependencies = read_file(object_.string() + ".d");
  EXPECT_EQ(dependencies.find("target:"), 0u) << dependencies;
  EXPECT_NE(dependencies.find("labs/tiny/tiny.h"), std::string::npos);
}

TEST_F(GuardTest, AFailureLeavesTheCompilersWordsAndNoOldLibrary) {
  std::ofstream(guarded_.library) << "of yesterday";
  EXPECT_FALSE(compile("void tiny(int* out) { *out = missing; }\n"));
  EXPECT_FALSE(fs::exists(guarded_.library));
  EXPECT_NE(log().find("labs/tiny/1_first.cu:1:"), std::string::npos) << log();
  EXPECT_NE(log().find("missing"), std::string::npos) << log();
  EXPECT_EQ(log().find(tree_.string()), std::string::npos) << "the tree's path is noise";
}

TEST_F(GuardTest, ASilentFailureHasWords) {
  guarded_.command[0] = "/usr/bin/false";
  EXPECT_FALSE(compile("int x;\n"));
  EXPECT_EQ(log(), "The compiler failed without a word.\n");
}

TEST_F(GuardTest, ReadsNothingThatItIsNotGiven) {
  if (!sandbox_status().available) GTEST_SKIP() << sandbox_status().reason;
  for (const std::string& file :
       {std::string("/etc/passwd"), (tree_ / "solutions/tiny/1_first.cu").string()}) {
    EXPECT_FALSE(compile("#include \"" + file + "\"\n")) << file;
    EXPECT_NE(log().find("No such file"), std::string::npos) << log();
    EXPECT_EQ(log().find("root:"), std::string::npos) << log();
    EXPECT_FALSE(compile("__asm__(\".incbin \\\"" + file + "\\\"\");\n")) << file;
  }
}

TEST_F(GuardTest, InheritsNothingFromTheEnvironment) {
  ::setenv("CPLUS_INCLUDE_PATH", (tree_ / "solutions").c_str(), 1);
  EXPECT_FALSE(compile("#include <tiny/1_first.cu>\n"));
  ::unsetenv("CPLUS_INCLUDE_PATH");
}

TEST_F(GuardTest, RefusesSourcesThatAreNoPlainFiles) {
  fs::create_symlink(tree_ / "solutions/tiny/1_first.cu", source_);
  EXPECT_FALSE(run_guarded(guarded_));
  EXPECT_EQ(log(), "1_first.cu is not a plain file. Put the stage's source there.");
  fs::remove(source_);
  ASSERT_EQ(::mkfifo(source_.c_str(), 0600), 0);
  EXPECT_FALSE(run_guarded(guarded_));
  fs::remove(source_);
  EXPECT_FALSE(compile(std::string((1u << 20) + 1, ' ')));
  EXPECT_NE(log().find("larger than 1 MiB"), std::string::npos);
}

TEST_F(GuardTest, FloodsOfMessagesAreCut) {
  std::string text;
  for (int i = 0; i < 3000; ++i) text += "#warning \x1b[31m flood of words that nobody reads\n";
  EXPECT_TRUE(compile(text));
  EXPECT_LT(log().size(), 2u << 20);
  EXPECT_EQ(log().find('\x1b'), std::string::npos);
}

TEST_F(GuardTest, AnObjectOfAGigabyteIsNotWritten) {
  EXPECT_FALSE(compile("char bomb[1u << 30] = {1};\n"));
  EXPECT_NE(log().find("File size limit exceeded"), std::string::npos) << log();
}

TEST_F(GuardTest, WhatIsNoFaultOfTheSourceLeavesNoLog) {
  std::ofstream(guarded_.log) << "of yesterday";
  guarded_.command[0] = "/usr/bin/no-such-compiler";
  EXPECT_THROW(compile("int x;\n"), std::exception);
  EXPECT_FALSE(fs::exists(guarded_.log));
}

TEST_F(GuardTest, LinksTheBuildsObjectsAndNothingUndefined) {
  ASSERT_TRUE(compile("void missing(); void tiny(int*) { missing(); }\n"));
  guarded_.command = {"/usr/bin/c++", "-shared",        "-Wl,-z,defs",
                      "-o",           guarded_.library, fs::relative(object_).string()};
  EXPECT_FALSE(run_guarded(guarded_));
  EXPECT_NE(log().find("cannot be linked:"), std::string::npos) << log();
  EXPECT_NE(log().find("missing"), std::string::npos) << log();
  guarded_.command.erase(guarded_.command.begin() + 2);
  EXPECT_TRUE(run_guarded(guarded_)) << log();
  EXPECT_TRUE(fs::exists(guarded_.library));
  EXPECT_EQ(log(), "") << "what is mended is not told any more";
}

TEST_F(GuardTest, ASandboxThatFailsIsNotTheSourcesFault) {
  if (!sandbox_status().available) GTEST_SKIP() << sandbox_status().reason;
  guarded_.readable.push_back(tree_ / "no such header.h");
  EXPECT_THROW(compile("int x;\n"), std::exception);
  EXPECT_FALSE(fs::exists(guarded_.log));
}

TEST_F(GuardTest, RunsNvcc) {
  guarded_.command = {
      GRIDSTRIDE_NVCC, "-arch=compute_75", "-lineinfo", "-x", "cu", "-c", source_.string(), "-o",
      object_.string()};
  EXPECT_TRUE(compile("__global__ void k(int* p) { *p = 1; }\n")) << log();
  EXPECT_FALSE(compile("__global__ void k(int* p) { *q = 1; }\n"));
  EXPECT_NE(log().find("labs/tiny/1_first.cu(1): error"), std::string::npos) << log();
}

}  // namespace
}  // namespace gridstride
