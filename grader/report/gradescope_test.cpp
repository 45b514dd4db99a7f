// What Gradescope reads: points, texts, who sees them.
#include "grader/report/gradescope.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace gridstride {
namespace {

Results results_for_gradescope() {
  Results results;
  results.device = {"sim", "A simulated GPU", "", ""};
  LabResult& lab = results.labs.emplace_back();
  lab.name = "sums";
  lab.ignored = {"notes.txt"};
  StageResult& first = lab.stages.emplace_back();
  first.name = "1_first";
  first.verdict = Verdict::pass;
  first.score = first.max_score = 10;
  first.cases = {4, 4};
  first.speedup = Speedup{12.5, 12, 13, 10};
  first.counters = {{"barriers", 3}};
  StageResult& second = lab.stages.emplace_back();
  second.name = "2_second";
  second.verdict = Verdict::wrong;
  second.score = 2.5;
  second.max_score = 10;
  second.message = "case 7: expected 1, found \x1b[31m2";
  results.total();
  return results;
}

TEST(Gradescope, HasATestForEachStage) {
  const nlohmann::json json = nlohmann::json::parse(to_gradescope(results_for_gradescope()));
  EXPECT_EQ(json.at("score"), 12.5);
  const auto& tests = json.at("tests");
  ASSERT_EQ(tests.size(), 3u);
  EXPECT_EQ(tests[0].at("name"), "sums/1_first");
  EXPECT_EQ(tests[0].at("status"), "passed");
  EXPECT_EQ(tests[0].at("visibility"), "visible");
  EXPECT_EQ(tests[1].at("score"), 2.5);
  EXPECT_EQ(tests[1].at("status"), "failed");
  EXPECT_EQ(tests[1].at("output"), "Verdict: wrong.\n\ncase 7: expected 1, found 2");
  EXPECT_NE(json.at("output").get<std::string>().find("notes.txt"), std::string::npos);
}

TEST(Gradescope, CountersAreTheInstructors) {
  const nlohmann::json json = nlohmann::json::parse(to_gradescope(results_for_gradescope()));
  const auto& hidden = json.at("tests")[2];
  EXPECT_EQ(hidden.at("visibility"), "hidden");
  EXPECT_FALSE(hidden.contains("max_score"));
  EXPECT_NE(hidden.at("output").get<std::string>().find("barriers 3"), std::string::npos);
  EXPECT_EQ(json.at("stdout_visibility"), "hidden");
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(json.at("tests")[i].at("output").get<std::string>().find("barriers"),
              std::string::npos);
}

TEST(Gradescope, TheLeaderboardHasSpeedupsOfWhatPasses) {
  const nlohmann::json json = nlohmann::json::parse(to_gradescope(results_for_gradescope()));
  ASSERT_EQ(json.at("leaderboard").size(), 1u);
  EXPECT_EQ(json.at("leaderboard")[0].at("name"), "speedup of 1_first");
  EXPECT_EQ(json.at("leaderboard")[0].at("value"), 12.5);
}

}  // namespace
}  // namespace gridstride
