// What collectors of points read: a test for each stage, and two notices.
#include "grader/report/classroom.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace gridstride {
namespace {

Results results_for_classroom() {
  Results results;
  LabResult& lab = results.labs.emplace_back();
  lab.name = "sums";
  StageResult& first = lab.stages.emplace_back();
  first.name = "1_first";
  first.verdict = Verdict::pass;
  first.score = first.max_score = 10;
  StageResult& second = lab.stages.emplace_back();
  second.name = "2_second";
  second.verdict = Verdict::wrong;
  second.score = 2.5;
  second.max_score = 10;
  second.message = "case 7: expected 1,\nfound \x1b[31m2";
  results.total();
  return results;
}

TEST(Classroom, HasATestForEachStage) {
  const std::string text = to_classroom(results_for_classroom());
  EXPECT_EQ(text.find('\n'), text.size() - 1) << "one line";
  const nlohmann::json json = nlohmann::json::parse(text);
  EXPECT_EQ(json.at("version"), 1);
  EXPECT_EQ(json.at("status"), "fail");
  EXPECT_EQ(json.at("max_score"), 20);
  const auto& tests = json.at("tests");
  ASSERT_EQ(tests.size(), 2u);
  EXPECT_EQ(tests[0].at("name"), "sums/1_first");
  EXPECT_EQ(tests[0].at("status"), "pass");
  EXPECT_EQ(tests[0].at("score"), 10);
  EXPECT_EQ(tests[1].at("status"), "fail");
  EXPECT_EQ(tests[1].at("score"), 2.5);
  EXPECT_EQ(tests[1].at("message"), "wrong: case 7: expected 1,\nfound 2");
  EXPECT_EQ(tests[1].at("filename"), "2_second.cu");
}

TEST(Classroom, AllThatPassesPasses) {
  Results results = results_for_classroom();
  results.labs[0].stages.pop_back();
  results.total();
  EXPECT_EQ(nlohmann::json::parse(to_classroom(results)).at("status"), "pass");
}

TEST(Classroom, NoticesSayThePoints) {
  EXPECT_EQ(classroom_notices(results_for_classroom()),
            "::notice title=Autograding complete::Points 12.5/20\n"
            "::notice title=Autograding report::{\"totalPoints\":12.5,\"maxPoints\":20}\n");
}

}  // namespace
}  // namespace gridstride
