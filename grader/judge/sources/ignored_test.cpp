// Names as whoever attacks a build system hands them in.
#include "grader/judge/sources/ignored.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <vector>

#include "common/files.h"
#include "grader/course/lab_config.h"

namespace gridstride {
namespace {

class Ignored : public testing::Test {
 protected:
  Ignored() {
    lab_.stages.emplace_back().name = "1_first";
    for (const char* name : {"1_first.cu", "0_baseline.cu", "README.md"}) write(name);
  }
  void write(const std::string& name) const { write_file(folder_.path() / name, "x"); }
  std::vector<std::string> names(bool courses_own) const {
    return ignored_files(folder_.path(), lab_, courses_own);
  }

  TemporaryFolder folder_;
  LabConfig lab_;
};

TEST_F(Ignored, IsWhatLabTomlDoesNotName) {
  EXPECT_EQ(names(true), std::vector<std::string>());
  EXPECT_EQ(names(false), (std::vector<std::string>{"0_baseline.cu", "README.md"}));
  for (const char* name : {"1_first.old.cu", "9_a;b.cu", "9_${x}.cu", "9_[.cu"}) write(name);
  std::filesystem::create_directory(folder_.path() / "9_folder.cu");
  ASSERT_EQ(::mkfifo((folder_.path() / "9_pipe.cu").c_str(), 0600), 0);
  EXPECT_EQ(names(true), (std::vector<std::string>{"1_first.old.cu", "9_${x}.cu", "9_[.cu",
                                                   "9_a;b.cu", "9_folder.cu", "9_pipe.cu"}));
}

TEST_F(Ignored, IsShownWithoutControlCharacters) {
  write("9_\x1b[31m\n\xff.cu");
  EXPECT_EQ(names(true), std::vector<std::string>{"9_\\x1b[31m\\n\\xff.cu"});
}

TEST_F(Ignored, ManyAreCut) {
  for (int i = 0; i < 200; ++i) write("9_" + std::to_string(i) + ".cu");
  EXPECT_EQ(names(true).size(), 100u);
}

TEST_F(Ignored, AFolderThatIsNotThereHoldsNothing) {
  EXPECT_TRUE(ignored_files(folder_.path() / "none", lab_, false).empty());
}

}  // namespace
}  // namespace gridstride
