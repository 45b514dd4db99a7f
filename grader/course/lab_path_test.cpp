// Paths from wherever one is, of what exists and what does not.
#include "grader/course/lab_path.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "common/files.h"
#include "grader/course/course.h"

namespace gridstride {
namespace {
namespace fs = std::filesystem;

class LabPathTest : public testing::Test {
 protected:
  LabPathTest() : before_(fs::current_path()) {
    for (const std::string lab : {"reduction", "scan"}) {
      fs::create_directories(tree() / "labs" / lab);
      fs::create_directories(tree() / "solutions" / lab / "wrong");
      write_file(
          tree() / "labs" / lab / "lab.toml",
          "title = 'T'\nfunction = 'f'\ntiming_size = { gpu = 2, sim = 1 }\n[[stage]]\nname = "
          "'1_first'\ntitle = 'T'\npoints = { correctness = 1 }\n");
      for (const std::string folder : {"labs", "solutions"})
        write_file(tree() / folder / lab / "1_first.cu", "// The stage, which needs no main().\n");
    }
    write_file(tree() / "labs/scan/0_baseline.cu", "// what remains (is given)\n");
    write_file(tree() / "solutions/scan/wrong/race.cu", "\n");
    write_file(tree() / "labs/scan/mine.cu", "int main() { return 0; }\n");
    fs::create_directories(elsewhere());
    write_file(elsewhere() / "1_first.cu", "int main() {}\n");
    fs::current_path(tree());
  }
  ~LabPathTest() override { fs::current_path(before_); }

  fs::path tree() const { return folder_.path() / "course"; }
  fs::path elsewhere() const { return folder_.path() / "elsewhere"; }
  /// "scan/1_first", with "solutions/" before it, or "-".
  std::string meant(const std::string& word) const {
    const auto path = lab_path(word, labs_, tree());
    return path ? (path->in_solutions ? "solutions/" : "") + path->lab + "/" + path->stage() : "-";
  }
  bool is_program(const std::string& word) const { return is_own_program(word, labs_, tree()); }
  std::string refused(const std::string& word) const {
    try {
      select({word}, labs_, tree());
    } catch (const UnknownName& error) {
      return error.what();
    }
    return "no error";
  }

  TemporaryFolder folder_;
  fs::path before_;
  std::vector<std::string> labs_ = {"reduction", "scan"};
};

TEST_F(LabPathTest, AFileIsMeantWhereverOneIs) {
  const auto expect_all = [&](const std::vector<std::string>& words) {
    for (const std::string& word : words) EXPECT_EQ(meant(word), "scan/1_first") << word;
  };
  const std::string full = (tree() / "labs/scan/1_first.cu").string();
  expect_all({"labs/scan/1_first.cu", "./labs//scan/../scan/1_first.cu", "scan/1_first.cu", full});
  fs::current_path(tree() / "labs/scan");
  expect_all({"1_first.cu", "./1_first.cu", "../scan/1_first.cu", "labs/scan/1_first.cu", full});
  fs::current_path(elsewhere());
  expect_all({"labs/scan/1_first.cu", "../course/labs/scan/1_first.cu", full});
  EXPECT_EQ(meant("1_first.cu"), "-") << "another file of that name";
  EXPECT_EQ(select({"../course/labs/scan/1_first.cu"}, labs_, tree()).front().stages.size(), 1u);
}

TEST_F(LabPathTest, NamesAreNoPaths) {
  for (const char* word : {"scan", "scan/1", "1_first", "scan/1_first"})
    EXPECT_EQ(meant(word), "-") << word;
  EXPECT_EQ(meant("labs/scan"), "scan/");
  EXPECT_EQ(meant("labs/scan/"), "scan/");
  EXPECT_EQ(meant("labs/scan/1_first"), "scan/1_first") << "as it was before";
}

TEST_F(LabPathTest, LinksInFoldersAreFollowedAndOfFilesNot) {
  fs::create_directory_symlink(tree(), folder_.path() / "link");
  EXPECT_EQ(meant((folder_.path() / "link/labs/scan/1_first.cu").string()), "scan/1_first");
  fs::remove(tree() / "labs/scan/1_first.cu");
  fs::create_symlink(elsewhere() / "1_first.cu", tree() / "labs/scan/1_first.cu");
  EXPECT_EQ(meant("labs/scan/1_first.cu"), "scan/1_first");
  EXPECT_EQ(meant((elsewhere() / "1_first.cu").string()), "-");
}

TEST_F(LabPathTest, SolutionsAreAskedForByTheirPath) {
  const auto solutions = [&](const std::vector<std::string>& words) {
    return names_solutions(words, labs_, tree());
  };
  EXPECT_EQ(solutions({"scan/1", "solutions/scan/1_first.cu"}), true);
  EXPECT_EQ(solutions({"labs/scan/1_first.cu"}), false);
  EXPECT_EQ(solutions({"scan/1", "reduction"}), std::nullopt);
  EXPECT_THROW(solutions({"labs/scan/1_first.cu", "solutions/scan/1_first.cu"}), UnknownName);
}

TEST_F(LabPathTest, WhatIsNoStageIsAProgramWhereItHasAMain) {
  EXPECT_TRUE(is_program("labs/scan/mine.cu"));
  EXPECT_TRUE(is_program("hello.cu")) << "which does not exist";
  EXPECT_TRUE(is_program((elsewhere() / "1_first.cu").string()));
  for (const char* word :
       {"labs/scan/1_first.cu", "labs/scan/1_frist.cu", "labs/scan/0_baseline.cu",
        "solutions/scan/wrong/race.cu", "scan/1", "mine"})
    EXPECT_FALSE(is_program(word)) << word;
}

TEST_F(LabPathTest, WhatIsNoFileOfAStageIsSaid) {
  const std::string other = (elsewhere() / "1_first.cu").string();
  EXPECT_EQ(refused("labs/scan/1_frist.cu"),
            "The lab 'scan' has no stage '1_frist'. Did you mean 'scan/1_first'?");
  EXPECT_EQ(refused("labs/scan/0_baseline.cu").rfind("0_baseline is given", 0), 0u);
  EXPECT_EQ(refused("solutions/scan/wrong/race.cu"),
            "The lab 'scan' has no stage 'wrong/race'. There is 1_first.");
  EXPECT_EQ(refused("/no/such/1_first.cu"), "There is no file /no/such/1_first.cu.");
  EXPECT_EQ(refused("nothing.cu"), "There is no file nothing.cu.");
  EXPECT_EQ(refused("labs/scann/1_first.cu"), "There is no file labs/scann/1_first.cu.");
  EXPECT_EQ(refused(other), other + " is no stage: it lies in no folder of a lab of this course.");
}

}  // namespace
}  // namespace gridstride
