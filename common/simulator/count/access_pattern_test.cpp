// Patterns that students write, and what they are called.
#include "common/simulator/count/access_pattern.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

namespace gridstride::sim {
namespace {

AccessPattern pattern(const std::function<std::uint64_t(std::uint64_t)>& address,
                      std::uint32_t mask = ~0u, std::uint32_t bytes = 4) {
  std::array<std::uint64_t, 32> addresses{};
  for (std::uint64_t lane = 0; lane < 32; ++lane) addresses[lane] = 0x10000 + address(lane);
  return pattern_of(addresses.data(), mask, bytes);
}

void expect(const AccessPattern& found, PatternShape shape, std::int64_t distance) {
  EXPECT_EQ(found.shape, shape);
  EXPECT_EQ(found.distance, distance);
}

TEST(AccessPattern, ColumnOfAMatrix) {
  expect(pattern([](auto lane) { return lane * 4096; }), PatternShape::strided, 4096);
}

TEST(AccessPattern, ColumnInABlockOfSixteenBySixteen) {
  expect(pattern([](auto lane) { return lane % 16 * 4096 + lane / 16 * 4; }), PatternShape::strided,
         4096);
}

TEST(AccessPattern, BackwardsColumn) {
  expect(pattern([](auto lane) { return (31 - lane) * 64; }), PatternShape::strided, -64);
}

TEST(AccessPattern, ShiftedRow) {
  expect(pattern([](auto lane) { return lane * 4 + 4; }), PatternShape::shifted, 0);
}

TEST(AccessPattern, RowsOfATileOfEight) {
  expect(pattern([](auto lane) { return lane % 8 * 4 + lane / 8 * 1024; }), PatternShape::pieces,
         32);
}

TEST(AccessPattern, EveryOtherLane) {
  expect(pattern([](auto lane) { return lane * 4; }, 0x55555555u), PatternShape::strided, 8);
}

TEST(AccessPattern, OneAddress) {
  expect(pattern([](auto) { return 64; }), PatternShape::same, 0);
}

TEST(AccessPattern, Scattered) {
  expect(pattern([](auto lane) { return (lane + 7) * (lane + 7) * (lane + 7) * 7919 % 65536 * 4; }),
         PatternShape::scattered, 0);
}

TEST(AccessPattern, SamplesAreScaledToWhatWasCounted) {
  PatternSamples samples;
  samples.add({PatternShape::strided, 8, 1, 4, 2});
  samples.add({PatternShape::strided, 16, 1, 8, 2});
  const auto patterns = samples.scaled_to(80);
  ASSERT_EQ(patterns.size(), 2u);
  EXPECT_EQ(patterns[0].distance, 16);
  EXPECT_EQ(patterns[0].cost - patterns[0].ideal, 60u);
  EXPECT_EQ(patterns[1].cost - patterns[1].ideal, 20u);
}

TEST(AccessPattern, VeryManyPatternsAreScattered) {
  PatternSamples samples;
  for (std::int64_t distance = 8; distance < 800; distance += 8) {
    samples.add({PatternShape::strided, distance, 1, 32, 4});
  }
  const auto patterns = samples.scaled_to(2772);
  EXPECT_LE(patterns.size(), 8u);
  EXPECT_EQ(patterns[0].shape, PatternShape::scattered);
}

TEST(AccessPattern, LinesKeepWidthsApart) {
  std::vector<LineAccess> into = {
      {AccessKind::global_load, 4, {{PatternShape::shifted, 0, 1, 5, 4}}}};
  merge(into, {{AccessKind::global_load, 4, {{PatternShape::shifted, 0, 2, 10, 8}}},
               {AccessKind::global_load, 8, {{PatternShape::shifted, 0, 1, 9, 8}}}});
  ASSERT_EQ(into.size(), 2u);
  EXPECT_EQ(into[0].patterns[0].requests, 3u);
  EXPECT_EQ(into[1].bytes, 8u);
}

}  // namespace
}  // namespace gridstride::sim
