// Which lines of constant memory stay in the cache.
#include "common/simulator/count/constant_cache.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

namespace gridstride::sim {
namespace {

constexpr std::uint64_t base = 0x0a00'0000'0000;

/// Misses of the second of two walks over so many bytes, word by word.
int misses_again(std::uint64_t bytes) {
  ConstantCache cache;
  int misses = 0;
  for (int walk = 0; walk < 2; ++walk) {
    misses = 0;
    for (std::uint64_t at = 0; at < bytes; at += 4) misses += cache.find(base + at).missed ? 1 : 0;
  }
  return misses;
}

TEST(ConstantCache, ALineMissesOnce) {
  ConstantCache cache;
  EXPECT_TRUE(cache.find(base + 4).missed);
  EXPECT_FALSE(cache.find(base + 60).missed);
  EXPECT_TRUE(cache.find(base + 64).missed);
  EXPECT_FALSE(cache.find(base).missed);
}

TEST(ConstantCache, ATableThatFitsStays) { EXPECT_EQ(misses_again(2048), 0); }

TEST(ConstantCache, OfATableOfTwiceItsSizeEachLineMissesAgain) {
  EXPECT_EQ(misses_again(4096), 4096 / 64);
}

TEST(ConstantCache, WhereLanesWantSeveralTheShareThatFitsIsFound) {
  const auto misses = [](std::uint64_t lines) {
    ConstantCache cache;
    int sum = 0;
    for (int walk = 0; walk < 9; ++walk) {
      if (walk == 1) sum = 0;
      for (std::uint64_t line = 0; line < lines; ++line)
        sum += cache.misses_apart(base + line * 64) ? 1 : 0;
    }
    return sum;
  };
  EXPECT_EQ(misses(32), 0);
  EXPECT_EQ(misses(64), 8 * 32);
  EXPECT_EQ(misses(128), 8 * 96);
}

TEST(ConstantCache, TheLineUsedLongestAgoGoes) {
  ConstantCache cache;
  for (std::uint64_t line = 0; line < 32; ++line) cache.find(base + line * 64);
  cache.find(base);
  cache.find(base + 32 * 64);  // takes the place of line 1
  EXPECT_FALSE(cache.find(base).missed);
  EXPECT_TRUE(cache.find(base + 64).missed);
}

TEST(ConstantCache, OfALargeTableEachLineIsNewAgainForWhoComesBack) {
  const auto second_walk = [](std::uint64_t bytes) {
    ConstantCache cache;
    int lines = 0, loads = 0;
    for (int walk = 0; walk < 2; ++walk) {
      lines = loads = 0;
      for (std::uint64_t at = 0; at < bytes; at += 4) {
        const ConstantCache::Found found = cache.find(base + at);
        lines += found.new_line ? 1 : 0;
        loads += found.apart ? 1 : 0;
      }
    }
    return std::pair(lines, loads);
  };
  EXPECT_EQ(second_walk(512), std::pair(0, 0));
  EXPECT_EQ(second_walk(1024), std::pair(16, 256));  // though it is in the cache
}

}  // namespace
}  // namespace gridstride::sim
