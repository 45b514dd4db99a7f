// In which words a build may ask for a file, and where that file goes.
#include "grader/compile/outputs.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "common/files.h"

namespace gridstride {
namespace {
namespace fs = std::filesystem;
using Words = std::vector<std::string>;

TEST(Outputs, AllGoToTheScratchFolder) {
  Words command = {"c++", "-MF", "x.d", "-c", "x.cu", "-o", "x.o"};
  const Outputs outputs(command, "/scratch");
  EXPECT_EQ(command, (Words{"c++", "-MF", "/scratch/out.d", "-c", "x.cu", "-o", "/scratch/out"}));
  EXPECT_EQ(outputs.product(), "/scratch/out");
}

TEST(Outputs, ALinkersListIsFoundInEveryForm) {
  const std::pair<Words, Words> forms[] = {
      {{"-Wl,--dependency-file=a.d"}, {"-Wl,--dependency-file=/scratch/link.d"}},
      {{"-Wl,--dependency-file,a.d"}, {"-Wl,--dependency-file,/scratch/link.d"}},
      {{"-Wl,-z,defs,--dependency-file=a.d,-O1"},
       {"-Wl,-z,defs,--dependency-file=/scratch/link.d,-O1"}},
      {{"-Wl,--dependency-file", "-Wl,a.d"}, {"-Wl,--dependency-file", "-Wl,/scratch/link.d"}},
      {{"-Xlinker", "--dependency-file=a.d"}, {"-Xlinker", "--dependency-file=/scratch/link.d"}},
      {{"-Xlinker", "--dependency-file", "-Xlinker", "a.d"},
       {"-Xlinker", "--dependency-file", "-Xlinker", "/scratch/link.d"}},
      {{"-Xlinker=--dependency-file=a.d"}, {"-Xlinker=--dependency-file=/scratch/link.d"}},
      {{"-Xlinker=--dependency-file", "-Xlinker=a.d"},
       {"-Xlinker=--dependency-file", "-Xlinker=/scratch/link.d"}},
      {{"--dependency-file", "a.d"}, {"--dependency-file", "/scratch/link.d"}},
  };
  for (const auto& [asked, redirected] : forms) {
    const TemporaryFolder folder;
    Words command = {"ld", "-o", (folder.path() / "x.so").string()}, expected = {"ld", "-o"};
    command.insert(command.end(), asked.begin(), asked.end());
    expected.emplace_back("/scratch/out");
    expected.insert(expected.end(), redirected.begin(), redirected.end());
    const Outputs outputs(command, "/scratch");
    EXPECT_EQ(command, expected) << testing::PrintToString(asked);
  }
}

TEST(Outputs, AnOptionThatOnlyStartsAlikeStays) {
  Words command = {"ld", "-o", "x.so", "-Wl,--dependency-files-are-nice=a.d"};
  const Outputs outputs(command, "/scratch");
  EXPECT_EQ(command[3], "-Wl,--dependency-files-are-nice=a.d");
}

TEST(Outputs, ACommandWithoutAProductIsRefused) {
  Words command = {"ld", "-o"};
  EXPECT_THROW(Outputs(command, "/scratch"), std::runtime_error);
}

TEST(Outputs, AreDeliveredUnderTheirOwnNames) {
  const TemporaryFolder scratch, build;
  const std::string product = build.path() / "new/folder/x.so", list = build.path() / "link.d";
  Words command = {"ld", "-o", product, "-Wl,--dependency-file=" + list};
  const Outputs outputs(command, scratch.path());
  EXPECT_EQ(outputs.folder(), build.path() / "new/folder");
  write_file(scratch.path() / "out", "a library");
  outputs.deliver();
  EXPECT_EQ(read_file(product), "a library");
  EXPECT_FALSE(fs::exists(list)) << "a device link writes none";
  write_file(scratch.path() / "link.d", (scratch.path() / "out").string() + ": x.o\n");
  outputs.deliver();
  EXPECT_EQ(read_file(list), product + ": x.o\n");
}

TEST(Outputs, WhatIsMissingOrCannotBeWrittenIsNamed) {
  const TemporaryFolder scratch, build;
  const auto words_of = [&](const fs::path& wanted) {
    Words command = {"ld", "-o", wanted.string()};
    const Outputs outputs(command, scratch.path());
    try {
      outputs.deliver();
    } catch (const std::runtime_error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(words_of(build.path() / "x.so").find("did not write"), std::string::npos);
  write_file(scratch.path() / "out", "a library");
  write_file(build.path() / "file", "");
  const std::string words = words_of(build.path() / "file/x.so");
  EXPECT_NE(words.find("Nothing can be written into"), std::string::npos) << words;
  EXPECT_NE(words.find("Repair:"), std::string::npos) << words;
  fs::create_directories(build.path() / "folder.so");
  EXPECT_NE(words_of(build.path() / "folder.so").find("cannot write"), std::string::npos);
}

}  // namespace
}  // namespace gridstride
