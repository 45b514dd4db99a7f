// What was asked of the DRAM, and where blocks are in their work.
#include "common/simulator/count/lines_under_way.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

namespace gridstride::sim {
namespace {

constexpr std::uint64_t line = 1000;

TEST(LinesUnderWay, TheEarliestWhoAskedCounts) {
  LinesUnderWay lines;
  EXPECT_LT(lines.asked(line, 0xf, 50), 0);
  lines.add(line, 0b0011, 50);
  EXPECT_EQ(lines.asked(line, 0b0010, 70), 50);  // both sectors of a piece come together
  EXPECT_LT(lines.asked(line, 0b1100, 70), 0);
  EXPECT_EQ(lines.asked(line, 0b0001, 30), 30);  // asked earlier, though told later
  EXPECT_EQ(lines.asked(line, 0b0001, 40), 30);
  lines.add(line, 0b1100, 60);
  EXPECT_EQ(lines.asked(line, 0xf, 90), 60);  // of two pieces the later one is waited for
}

TEST(LinesUnderWay, BlocksThatStartLaterBeginAnew) {
  LinesUnderWay lines;
  lines.add(line, 0b0001, 50);
  lines.forget();
  EXPECT_LT(lines.asked(line, 0b0001, 70), 0);
}

TEST(LinesUnderWay, GrowsWithWhatIsAskedForUpToSomeMegabytes) {
  LinesUnderWay lines;
  for (std::uint64_t i = 0; i < 16384; ++i) lines.add(line + i, 0xf, 1.0 * i);  // 2 MB
  EXPECT_FALSE(lines.is_too_small());
  int known = 0;
  for (std::uint64_t i = 0; i < 16384; ++i) known += lines.asked(line + i, 0xf, 1e9) == 1.0 * i;
  EXPECT_GT(known, 12000);
  for (std::uint64_t i = 0; i < 1 << 18; ++i) lines.add(line + i, 0xf, 1.0 * i);  // 32 MB
  EXPECT_TRUE(lines.is_too_small());
}

TEST(AskingTimes, WhatTheFirstBlockTookTellsWhereOthersAre) {
  AskingTimes times;
  EXPECT_TRUE(std::isinf(times.at(3, 0)));
  times.add(3, 100);
  times.add(3, 150);
  times.add(3, 600);
  EXPECT_EQ(times.at(3, 1), 150);
  EXPECT_EQ(times.at(3, 6), 1200);  // as long for each as so far
  EXPECT_TRUE(std::isinf(times.at(4, 0)));
}

}  // namespace
}  // namespace gridstride::sim
