#include "grader/judge/timing/gpu_record.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace gridstride {
namespace {

constexpr std::uint64_t idle = 0x1, power_cap = 0x4, hot = 0x20;

/// A GPU that is as it was told, look after look; at the end as it was last.
class ToldWatch final : public GpuWatch {
 public:
  explicit ToldWatch(std::vector<GpuSample> samples) : samples_(std::move(samples)) {}
  GpuSample sample() override {
    const GpuSample now = samples_.at(next_);
    if (next_ + 1 < samples_.size()) ++next_;
    return now;
  }
  bool ecc() const override { return true; }
  bool mig() const override { return mig_; }
  bool mig_ = false;

 private:
  std::vector<GpuSample> samples_;
  std::size_t next_ = 0;
};

GpuSample at(int clock, std::uint64_t reasons = 0, int processes = 0) {
  return {.clock = clock,
          .memory_clock = 3201,
          .temperature = 40 + clock / 1000,
          .reasons = reasons,
          .processes = processes};
}

void take_pairs(GpuRecord& record, int pairs) {
  for (int pair = 0; pair < pairs; ++pair) {
    record.after_stage();
    record.after_baseline();
  }
}

TEST(GpuRecordTest, KnowsNothingWithoutAWatch) {
  GpuRecord record(nullptr);
  take_pairs(record, 3);
  EXPECT_FALSE(record.conditions());
  EXPECT_EQ(record.why_not_slow(1, 2), "");
}

TEST(GpuRecordTest, TellsClocksAndTemperature) {
  ToldWatch watch({at(1980), at(1755), at(1965, idle)});
  GpuRecord record(&watch);
  take_pairs(record, 5);
  const auto seen = record.conditions();
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->lowest_clock, 1755);
  EXPECT_EQ(seen->highest_clock, 1980);
  EXPECT_EQ(seen->memory_clock, 3201);
  EXPECT_EQ(seen->temperature, 41);
  EXPECT_TRUE(seen->throttled.empty()) << "an idle GPU's clock may fall";
  EXPECT_TRUE(seen->ecc);
  EXPECT_FALSE(seen->mig);
  EXPECT_EQ(seen->other_processes, 0);
  EXPECT_EQ(record.why_not_slow(1, 2), "");
}

TEST(GpuRecordTest, AHotGpuIsNotTheStudents) {
  ToldWatch watch({at(1980), at(1200, hot)});
  GpuRecord record(&watch);
  take_pairs(record, 5);
  EXPECT_EQ(record.conditions()->throttled, std::vector<std::string>{"heat"});
  EXPECT_EQ(
      record.why_not_slow(1, 2),
      "The GPU's clock was held down by heat during the timed calls (1200 to 1980 MHz, 41 degrees "
      "Celsius). Grade again when it has recovered.");
}

TEST(GpuRecordTest, OneMomentOfManyIsNoReason) {
  std::vector<GpuSample> samples(40, at(1980));
  samples[7].reasons = hot;
  ToldWatch watch(samples);
  GpuRecord record(&watch);
  take_pairs(record, 20);
  EXPECT_TRUE(record.conditions()->throttled.empty());
  EXPECT_EQ(record.why_not_slow(1, 2), "");
}

TEST(GpuRecordTest, ALimitOnPowerExcusesWhatItCanExplain) {
  // The stage's calls at 1500 MHz, the baseline's at 1800.
  std::vector<GpuSample> samples;
  for (int pair = 0; pair < 10; ++pair) {
    samples.push_back(at(1500, power_cap));
    samples.push_back(at(1800, power_cap));
  }
  ToldWatch watch(samples);
  GpuRecord record(&watch);
  take_pairs(record, 10);
  EXPECT_EQ(record.conditions()->throttled, std::vector<std::string>{"its power limit"});
  EXPECT_NE(record.why_not_slow(9, 10).find("1500 MHz during the stage's calls and at 1800 MHz"),
            std::string::npos);
  EXPECT_EQ(record.why_not_slow(5, 10), "") << "at 1800 MHz it would reach 6 of 10";
}

TEST(GpuRecordTest, OthersOnTheGpuExcuseEverySlowness) {
  ToldWatch watch({at(1980, 0, 2)});
  GpuRecord record(&watch);
  take_pairs(record, 3);
  EXPECT_EQ(record.conditions()->other_processes, 2);
  EXPECT_EQ(
      record.why_not_slow(1, 100),
      "2 other processes used this GPU during the timed calls. Grade again when they have ended.");
}

TEST(GpuRecordTest, OneThatWasEndingIsNoOther) {
  ToldWatch watch({at(1980, 0, 1), at(1980, 0, 1), at(1980, 0, 0)});
  GpuRecord record(&watch);
  take_pairs(record, 3);
  EXPECT_EQ(record.conditions()->other_processes, 0);
}

TEST(GpuRecordTest, ADividedGpuIsSharedByDesign) {
  ToldWatch watch({at(1980, 0, 5)});
  watch.mig_ = true;
  GpuRecord record(&watch);
  take_pairs(record, 3);
  EXPECT_TRUE(record.conditions()->mig);
  EXPECT_EQ(record.why_not_slow(1, 2), "");
}

TEST(OwnProcesses, AreCountedByNameAndParent) {
  EXPECT_EQ(own_processes("no-such-program"), 0);
  EXPECT_EQ(own_processes("judge_test"), 1) << "this one";
}

TEST(GpuWatchTest, ALineHoldsASample) {
  GpuSample sample = at(1410, hot, 3);
  sample.own_processes = 2;
  const GpuSample same = sim::sample_in(sim::line_of(sample));
  EXPECT_EQ(sim::line_of(same), sim::line_of(sample));
  EXPECT_EQ(same.reasons, hot);
  EXPECT_EQ(same.own_processes, 2);
  EXPECT_EQ(sim::sample_in("no sample").clock, 0);
}

/// Where the GPU is another host's, that knows which processes are the course's.
TEST(GpuRecordTest, OwnProcessesOfAnotherHostAreNoOthers) {
  GpuSample sample = at(1980, 0, 3);
  sample.own_processes = 2;
  ToldWatch watch({sample});
  GpuRecord record(&watch);
  take_pairs(record, 3);
  EXPECT_EQ(record.conditions()->other_processes, 1);
}

TEST(GpuWatchTest, IsNotThereWithoutADriver) { EXPECT_EQ(GpuWatch::open("ffff:ff:1f.0"), nullptr); }

}  // namespace
}  // namespace gridstride
