// Real programs, and files that are none or are damaged.
#include "grader/tools/elf.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <ios>
#include <string>

#include "common/files.h"

namespace gridstride::cli {
namespace {

TEST(NeededLibraries, AreThoseThatTheLoaderLoads) {
  const auto libraries = needed_libraries("/proc/self/exe");
  ASSERT_TRUE(libraries);
  EXPECT_EQ(std::count(libraries->begin(), libraries->end(), "libc.so.6"), 1);
}

TEST(NeededLibraries, OtherFilesHaveNone) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "script";
  std::ofstream(file) << "#!/bin/sh\n";
  EXPECT_FALSE(needed_libraries(file));
  EXPECT_FALSE(needed_libraries(folder.path() / "missing"));
}

TEST(NeededLibraries, DamageIsSurvived) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "program";
  const std::string whole =
      read_file(std::filesystem::read_symlink("/proc/self/exe"), std::size_t{1} << 30);
  for (const std::size_t length : {4u, 20u, 64u, 100u, 1000u}) {
    std::ofstream(file, std::ios::binary) << whole.substr(0, length);
    const auto libraries = needed_libraries(file);
    EXPECT_TRUE(!libraries || libraries->empty()) << length;
  }
  // Every byte of the headers, turned round in turn: any answer will do, but there must be one.
  for (std::size_t i = 16; i < 400; ++i) {
    std::string damaged = whole.substr(0, 4096);
    damaged[i] = static_cast<char>(~damaged[i]);
    std::ofstream(file, std::ios::binary) << damaged;
    needed_libraries(file);
  }
}

}  // namespace
}  // namespace gridstride::cli
