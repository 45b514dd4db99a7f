// A stage's timing ends well wherever it fails, and the stages after it are timed.
#include "grader/judge/timing/google_benchmarks.h"

#include <gtest/gtest.h>

#include <latch>
#include <memory>
#include <string>
#include <vector>

namespace gridstride {
namespace {

/// Fails at one of the pairs.
class FailingTimer : public Timer {
 public:
  explicit FailingTimer(int fails_at) : fails_at_(fails_at) {}
  void start() override {}
  Pair next() override {
    if (++asked_ == fails_at_) throw TimingFailure(Verdict::wrong, "another answer");
    return {1e-3, 2e-3};
  }
  Measurement finish() override {
    Measurement measurement;
    measurement.speedup.value = asked_;
    return measurement;
  }
  int pairs() const override { return 5; }

 private:
  int fails_at_, asked_ = 0;
};

std::vector<std::unique_ptr<TimedStage>> stages_failing_at(std::vector<int> pairs) {
  std::vector<std::unique_ptr<TimedStage>> stages;
  for (const int pair : pairs) {
    auto& stage = stages.emplace_back(std::make_unique<TimedStage>());
    stage->name = "lab/" + std::to_string(stages.size());
    stage->timer = std::make_unique<FailingTimer>(pair);
  }
  return stages;
}

class GoogleBenchmarks : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(AtOnce, GoogleBenchmarks, testing::Values(1, 3));

TEST_P(GoogleBenchmarks, AWrongAnswerAfterRightOnesEndsTheStageAlone) {
  constexpr int never = 0;
  auto stages = stages_failing_at({1, 3, 5, never});
  std::vector<std::string> said;
  run_benchmarks(
      stages, GetParam(), false, [&](const TimedStage& stage) { said.push_back(stage.name); },
      [&](const TimedStage& stage) { said.push_back("end of " + stage.name); });
  EXPECT_EQ(said, (std::vector<std::string>{"lab/1", "end of lab/1", "lab/2", "end of lab/2",
                                            "lab/3", "end of lab/3", "lab/4", "end of lab/4"}));
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(stages[i]->failure) << i;
    EXPECT_EQ(stages[i]->failure->verdict, Verdict::wrong);
    EXPECT_EQ(stages[i]->failure->message, "another answer");
  }
  EXPECT_FALSE(stages[3]->failure);
  ASSERT_TRUE(stages[3]->result);
  EXPECT_EQ(stages[3]->result->speedup.value, 5);
}

/// Waits for all of its kind before it ends.
class MeetingTimer : public Timer {
 public:
  explicit MeetingTimer(std::latch& all) : all_(all) {}
  void start() override { all_.arrive_and_wait(); }
  Pair next() override { return {1e-3, 2e-3}; }
  Measurement finish() override { return {}; }
  int pairs() const override { return 2; }

 private:
  std::latch& all_;
};

TEST(GoogleBenchmarksAtOnce, StagesAreMeasuredSideBySide) {
  std::latch all(3);
  std::vector<std::unique_ptr<TimedStage>> stages;
  for (const char* name : {"lab/1", "lab/2", "lab/3"}) {
    auto& stage = stages.emplace_back(std::make_unique<TimedStage>());
    stage->name = name;
    stage->timer = std::make_unique<MeetingTimer>(all);
  }
  run_benchmarks(
      stages, 3, false, [](const TimedStage&) {}, [](const TimedStage&) {});
  for (const auto& stage : stages) EXPECT_TRUE(stage->result) << stage->name;
}

}  // namespace
}  // namespace gridstride
