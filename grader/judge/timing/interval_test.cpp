// The interval around a median.
#include "grader/judge/timing/interval.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace gridstride {
namespace {

TEST(MedianInterval, OfFewSamplesIsTheirRange) {
  const Interval one = median_interval({3});
  EXPECT_EQ(one.low, 3);
  EXPECT_EQ(one.median, 3);
  EXPECT_EQ(one.high, 3);
  const Interval four = median_interval({4, 1, 3, 2});
  EXPECT_EQ(four.low, 1);
  EXPECT_EQ(four.median, 2.5);
  EXPECT_EQ(four.high, 4);
}

/// For n = 30 the tables give the 10th and the 21st sample.
TEST(MedianInterval, UsesTheRanksOfTheTables) {
  std::vector<double> samples;
  for (int i = 1; i <= 30; ++i) samples.push_back(i);
  const Interval interval = median_interval(samples);
  EXPECT_EQ(interval.low, 10);
  EXPECT_EQ(interval.median, 15.5);
  EXPECT_EQ(interval.high, 21);
}

TEST(MedianInterval, HoldsTheTrueMedianInNineteenOfTwentyTries) {
  std::mt19937 random(7);
  std::lognormal_distribution<double> noise(0, 1);  // median 1, far from symmetric
  int held = 0;
  constexpr int tries = 2000;
  for (int i = 0; i < tries; ++i) {
    std::vector<double> samples;
    for (int k = 0; k < 31; ++k) samples.push_back(noise(random));
    const Interval interval = median_interval(samples);
    held += interval.low <= 1 && 1 <= interval.high;
  }
  EXPECT_GE(held, tries * 94 / 100);
  EXPECT_LE(held, tries * 99 / 100);
}

}  // namespace
}  // namespace gridstride
