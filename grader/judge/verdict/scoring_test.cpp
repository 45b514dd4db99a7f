// Points for what is right and how fast it is.
#include "grader/judge/verdict/scoring.h"

#include <gtest/gtest.h>

namespace gridstride {
namespace {

StageConfig config() {
  StageConfig config;
  config.correctness_points = 8;
  config.speed_points = 4;
  return config;
}

StageResult result(Verdict verdict, int passed, int total) {
  StageResult result;
  result.verdict = verdict;
  result.cases = {passed, total};
  return result;
}

TEST(Scoring, GivesAllForAPass) { EXPECT_EQ(score(config(), result(Verdict::pass, 10, 10)), 12); }

TEST(Scoring, GivesNothingForWhatIsNotThere) {
  for (const Verdict verdict :
       {Verdict::todo, Verdict::compile_error, Verdict::suspicious, Verdict::infrastructure})
    EXPECT_EQ(score(config(), result(verdict, 5, 10)), 0) << name_of(verdict);
}

TEST(Scoring, GivesAtMostHalfForWhatIsWrong) {
  EXPECT_EQ(score(config(), result(Verdict::wrong, 5, 10)), 2);
  EXPECT_LT(score(config(), result(Verdict::crash, 9, 10)), 4);
  EXPECT_EQ(score(config(), result(Verdict::unsupported, 9, 10)),
            score(config(), result(Verdict::crash, 9, 10)));
  EXPECT_EQ(score(config(), result(Verdict::wrong, 0, 0)), 0);
}

TEST(Scoring, RisesEvenlyUpToTheThreshold) {
  EXPECT_EQ(speed_share(1, 3), 0);
  EXPECT_EQ(speed_share(2, 3), 0.5);
  EXPECT_EQ(speed_share(3, 3), 1);
  EXPECT_EQ(speed_share(9, 3), 1);
  EXPECT_EQ(speed_share(0.5, 3), 0);
}

TEST(Scoring, HandlesThresholdsThatOnlyForbidBeingSlower) {
  EXPECT_EQ(speed_share(0.45, 0.9), 0.5);
  EXPECT_EQ(speed_share(0.9, 0.9), 1);
  EXPECT_EQ(speed_share(1, 1), 1);
  EXPECT_EQ(speed_share(0.2, 0), 1);
}

TEST(Scoring, TakesAShareForEachLimitThatIsNotMet) {
  StageResult stage = result(Verdict::slow, 10, 10);
  stage.speedup = Speedup{2, 2, 2, 3};
  EXPECT_EQ(score(config(), stage), 8 + 2);
  stage.verdict = Verdict::over_limit;
  stage.limits = {{"bank_conflicts", 0, 5, false, ""}, {"barriers", 4, 4, true, ""}};
  EXPECT_EQ(score(config(), stage), 8 + 1);
  stage.speedup = Speedup{9, 9, 9, 3};
  EXPECT_EQ(score(config(), stage), 8 + 2) << "it is fast enough";
  stage.limits.push_back({"device_to_host_bytes", 0, 0, true, ""});
  EXPECT_EQ(score(config(), stage), 8 + 2) << "what does not leave the device takes no share";
  stage.limits.back().met = false;
  EXPECT_EQ(score(config(), stage), 8) << "what does takes all";
}

}  // namespace
}  // namespace gridstride
