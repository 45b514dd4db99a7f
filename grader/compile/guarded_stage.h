// A course of one stage in a temporary folder, and the command that would compile it.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "common/files.h"
#include "grader/compile/guard.h"
#include "grader/compile/stage_files.h"

namespace gridstride {

class GuardTest : public testing::Test {
 protected:
  GuardTest() {
    std::filesystem::create_directories(tree_ / "labs/tiny");
    std::filesystem::create_directories(tree_ / "solutions/tiny");
    std::filesystem::create_directories(tree_ / "build");
    std::ofstream(tree_ / "labs/tiny/tiny.h") << "void tiny(int* out);\n";
    std::ofstream(tree_ / "solutions/tiny/1_first.cu") << "the_solution\n";
    guarded_.tree = tree_;
    guarded_.log = tree_ / "build/1_first.log";
    guarded_.library = tree_ / "build/1_first.so";
    guarded_.readable = {source_, tree_ / "labs/tiny/tiny.h",
                         std::filesystem::path(GRIDSTRIDE_SOURCE_TREE) / "common/glibc_overlay"};
    guarded_.command = {"/usr/bin/c++",
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
  std::filesystem::path tree_ = folder_.path();
  std::filesystem::path source_ = tree_ / "labs/tiny/1_first.cu";
  std::filesystem::path object_ = tree_ / "build/1_first.o";
  GuardedCommand guarded_;
};

}  // namespace gridstride
