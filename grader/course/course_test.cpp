// What users type, and what they meant.
#include "grader/course/course.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "common/files.h"

namespace gridstride {
namespace {

class CourseTest : public testing::Test {
 protected:
  CourseTest() {
    for (const std::string lab : {"reduction", "scan"}) {
      const auto folder = folder_.path() / "labs" / lab;
      std::filesystem::create_directories(folder);
      std::ofstream toml(folder / "lab.toml");
      toml << "title = 'T'\nfunction = 'f'\ntiming_size = { gpu = 2, sim = 1 }\n";
      for (const std::string stage : {"1_first", "2_second"}) {
        std::ofstream(folder / (stage + ".cu")) << "\n";
        toml << "[[stage]]\nname = '" << stage
             << "'\ntitle = 'T'\npoints = { correctness = 1 }\nhints = ['h']\n";
      }
    }
  }

  std::vector<std::string> selected(const std::vector<std::string>& arguments) {
    std::vector<std::string> names;
    for (const Selection& selection : select(arguments, labs_, folder_.path())) {
      if (selection.stages.empty()) names.push_back(selection.lab.name);
      for (const std::string& stage : selection.stages)
        names.push_back(selection.lab.name + "/" + stage);
    }
    return names;
  }
  std::string error(const std::string& argument) {
    try {
      select({argument}, labs_, folder_.path());
    } catch (const UnknownName& error) {
      return error.what();
    }
    return "no error";
  }

  using Names = std::vector<std::string>;
  TemporaryFolder folder_;
  Names labs_ = {"reduction", "scan"};
};

TEST_F(CourseTest, SelectsInTheCoursesOrder) {
  EXPECT_EQ(selected({}), (Names{"reduction", "scan"}));
  EXPECT_EQ(selected({"scan", "reduction/2_second", "reduction/1_first", "scan"}),
            (Names{"reduction/1_first", "reduction/2_second", "scan"}));
  EXPECT_EQ(selected({"scan/1_first", "scan"}), Names{"scan"});
}

TEST_F(CourseTest, TakesPathsAsAShellCompletesThem) {
  EXPECT_EQ(selected({"labs/scan/1_first.cu"}), Names{"scan/1_first"});
  EXPECT_EQ(selected({"./labs/scan/"}), Names{"scan"});
  EXPECT_EQ(selected({"solutions/scan/2_second.cu"}), Names{"scan/2_second"});
}

TEST_F(CourseTest, UnknownNamesComeWithTheNearest) {
  EXPECT_EQ(error("reductoin"), "There is no lab 'reductoin'. Did you mean 'reduction'?");
  EXPECT_EQ(error("2_second"), "There is no lab '2_second'. Did you mean 'reduction/2_second'?");
  EXPECT_EQ(error("zzzzzzzzz"), "There is no lab 'zzzzzzzzz'. There is reduction and scan.");
  EXPECT_EQ(error("scan/2_secnd"),
            "The lab 'scan' has no stage '2_secnd'. Did you mean 'scan/2_second'?");
  EXPECT_EQ(error("scan/2"), "The lab 'scan' has no stage '2'. Did you mean 'scan/2_second'?");
  EXPECT_EQ(error("scan/0_baseline").rfind("0_baseline is given", 0), 0u);
  EXPECT_EQ(error("../../etc"), "There is no lab '..'. There is reduction and scan.");
}

TEST_F(CourseTest, AStageIsWantedWhereALabWasGiven) {
  EXPECT_EQ(select_stage("scan/1_first", labs_, folder_.path()).stages, Names{"1_first"});
  EXPECT_THROW(select_stage("scan", labs_, folder_.path()), UnknownName);
}

TEST_F(CourseTest, ABrokenLabHurtsOnlyItself) {
  std::ofstream(folder_.path() / "labs/scan/lab.toml") << "title = ";
  EXPECT_EQ(selected({"reduction"}), Names{"reduction"});
  EXPECT_THROW(selected({"scan"}), ConfigError);
}

}  // namespace
}  // namespace gridstride
