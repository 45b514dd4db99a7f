// A stage's timing ends well wherever it fails, and the stages after it are timed.
#include "grader/judge/timing/google_benchmarks.h"

#include <gtest/gtest.h>

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

TEST(GoogleBenchmarks, AWrongAnswerAfterRightOnesEndsTheStageAlone) {
  constexpr int never = 0;
  auto stages = stages_failing_at({1, 3, 5, never});
  int ended = 0;
  run_benchmarks(
      stages, false, [](const TimedStage&) {}, [&](const TimedStage&) { ++ended; });
  EXPECT_EQ(ended, 4);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(stages[i]->failure) << i;
    EXPECT_EQ(stages[i]->failure->verdict, Verdict::wrong);
    EXPECT_EQ(stages[i]->failure->message, "another answer");
  }
  EXPECT_FALSE(stages[3]->failure);
  ASSERT_TRUE(stages[3]->result);
  EXPECT_EQ(stages[3]->result->speedup.value, 5);
}

}  // namespace
}  // namespace gridstride
