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
  using Names = std::vector<std::string>;

  CourseTest() {
    for (const std::string lab : {"reduction", "scan"}) {
      const auto folder = folder_.path() / "labs" / lab;
      std::filesystem::create_directories(folder);
      std::ofstream toml(folder / "lab.toml");
      toml << "title = 'T'\nfunction = 'f'\ntiming_size = { gpu = 2, sim = 1 }\n";
      for (const std::string stage : {"1_first", "2_second"}) {
        std::ofstream(folder / (stage + ".cu")) << "\n";
        toml << "[[stage]]\nname = '" << stage << "'\ntitle = 'T'\npoints = { correctness = 1 }\n";
      }
    }
    std::filesystem::current_path(folder_.path());
  }
  ~CourseTest() override { std::filesystem::current_path(before_); }

  void add_stage(const std::string& stage) {
    std::ofstream(folder_.path() / "labs/reduction/lab.toml", std::ios::app)
        << "[[stage]]\nname = '" << stage << "'\ntitle = 'T'\npoints = { correctness = 1 }\n";
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
  std::string error(const std::string& argument) { return error(Names{argument}); }
  std::string error(const std::vector<std::string>& arguments) {
    try {
      select(arguments, labs_, folder_.path());
    } catch (const UnknownName& error) {
      return error.what();
    }
    return "no error";
  }

  TemporaryFolder folder_;
  std::filesystem::path before_ = std::filesystem::current_path();
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
  EXPECT_EQ(error("scan/9"), "The lab 'scan' has no stage '9'. Did you mean 'scan/2_second'?");
  EXPECT_EQ(error("scan/1_x"), "The lab 'scan' has no stage '1_x'. Did you mean 'scan/1_first'?");
  EXPECT_EQ(error(Names{"scan", "9"}),
            "The lab 'scan' has no stage '9'. Did you mean 'scan/2_second'?");
  EXPECT_EQ(error(Names{"scan", "reductoin"}),
            "There is no lab 'reductoin'. Did you mean 'reduction'?");
  EXPECT_EQ(error("1"),
            "There is no lab '1'. A stage's number stands behind its lab: reduction/1.");
  EXPECT_EQ(error("scan/0_baseline").rfind("0_baseline is given", 0), 0u);
  EXPECT_EQ(error("../no/such"), "There is no file ../no/such.");
}

TEST_F(CourseTest, AStageIsNamedByItsNumberOrABeginning) {
  for (const Names& names : {Names{"scan/2"},
                             {"scan", "2"},
                             {"scan/2_s"},
                             {"scan", "2_sec"},
                             {"scan", "2_second.cu"},
                             {"scan", "2", "2_second"},
                             {"labs/scan/", "2"}})
    EXPECT_EQ(selected(names), Names{"scan/2_second"}) << names.front() << " " << names.back();
  EXPECT_EQ(selected({"scan", "2", "1", "reduction", "1"}),
            (Names{"reduction/1_first", "scan/1_first", "scan/2_second"}));
  EXPECT_EQ(selected({"scan", "scan/2"}), Names{"scan"}) << "the whole lab was named";
}

TEST_F(CourseTest, ANumberIsNotTheBeginningOfALongerOne) {
  add_stage("12_twelfth");
  add_stage("2_second_again");
  EXPECT_EQ(selected({"reduction/1"}), Names{"reduction/1_first"});
  EXPECT_EQ(selected({"reduction/12"}), Names{"reduction/12_twelfth"});
  EXPECT_EQ(selected({"reduction/2_second"}), Names{"reduction/2_second"}) << "the whole name";
  EXPECT_EQ(error("reduction/2"),
            "'2' can be several stages of the lab 'reduction': 2_second and 2_second_again.");
  const LabConfig lab = select({"reduction"}, labs_, folder_.path()).front().lab;
  EXPECT_EQ(short_name(lab, "1_first"), "reduction/1");
  EXPECT_EQ(short_name(lab, "2_second"), "reduction/2_second");
}

TEST_F(CourseTest, AStageIsWantedWhereALabWasGiven) {
  const auto one = [&](const Names& names) {
    return select_stage(names, labs_, folder_.path()).stages;
  };
  EXPECT_EQ(one({"scan/1_first"}), Names{"1_first"});
  EXPECT_EQ(one({"scan", "1"}), Names{"1_first"});
  EXPECT_THROW(one({"scan"}), UnknownName);
  EXPECT_THROW(one({"scan/1", "scan/2"}), UnknownName);
  EXPECT_THROW(one({"scan/1", "reduction/2"}), UnknownName);
}

TEST_F(CourseTest, ABrokenLabHurtsOnlyItself) {
  std::ofstream(folder_.path() / "labs/scan/lab.toml") << "title = ";
  EXPECT_EQ(selected({"reduction"}), Names{"reduction"});
  EXPECT_THROW(selected({"scan"}), ConfigError);
}

}  // namespace
}  // namespace gridstride
