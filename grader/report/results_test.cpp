// Scores add up; the exit code says what a script needs to know.
#include "grader/report/results.h"

#include <gtest/gtest.h>

#include <optional>

namespace gridstride {
namespace {

StageResult scored_stage(Verdict verdict, double score = 0, double max_score = 10) {
  StageResult result;
  result.verdict = verdict;
  result.score = score;
  result.max_score = max_score;
  return result;
}

TEST(Results, EveryVerdictHasANameThatReadsBack) {
  for (int i = 0; i <= static_cast<int>(Verdict::infrastructure); ++i) {
    const auto verdict = static_cast<Verdict>(i);
    EXPECT_EQ(verdict_named(name_of(verdict)), verdict) << name_of(verdict);
  }
  EXPECT_EQ(verdict_named("perfect"), std::nullopt);
}

TEST(Results, TotalAddsUpStagesAndLabs) {
  Results results;
  results.labs = {
      {"a", 99, 99, {scored_stage(Verdict::pass, 10), scored_stage(Verdict::slow, 7.5)}},
      {"b", 0, 0, {scored_stage(Verdict::todo, 0, 5)}}};
  results.total();
  EXPECT_EQ(results.labs[0].score, 17.5);
  EXPECT_EQ(results.labs[0].max_score, 20);
  EXPECT_EQ(results.score, 17.5);
  EXPECT_EQ(results.max_score, 25);
}

TEST(Results, WhatIsIgnoredIsListedUpToTen) {
  LabResult lab;
  EXPECT_EQ(ignored_line(lab), "");
  lab.ignored = {"9_a;b.cu", "9_${x}.cu"};
  EXPECT_EQ(ignored_line(lab),
            "Ignored, for lab.toml names no such stage: 9_a;b.cu and 9_${x}.cu.");
  lab.ignored.assign(30, "x");
  EXPECT_EQ(ignored_line(lab),
            "Ignored, for lab.toml names no such stage: x, x, x, x, x, x, x, x, "
            "x, x and 20 more.");
}

TEST(Results, ExitCodeTellsFallingShortFromNotGraded) {
  Results results;
  results.labs = {{"a", 0, 0, {scored_stage(Verdict::pass), scored_stage(Verdict::pass)}}};
  EXPECT_EQ(exit_code(results), exit_pass);
  results.labs[0].stages.push_back(scored_stage(Verdict::unsupported));
  EXPECT_EQ(exit_code(results), exit_short);
  results.labs[0].stages.push_back(scored_stage(Verdict::slow));
  EXPECT_EQ(exit_code(results), exit_short);
  results.labs[0].stages.push_back(scored_stage(Verdict::inconclusive));
  EXPECT_EQ(exit_code(results), exit_short);
  results.labs[0].stages.push_back(scored_stage(Verdict::infrastructure));
  EXPECT_EQ(exit_code(results), exit_infrastructure);
}

}  // namespace
}  // namespace gridstride
