// Which lines of constant memory stay in the cache.
#include "common/simulator/count/constant_cache.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace gridstride::sim {
namespace {

constexpr std::uint64_t base = 0x0a00'0000'0000;

/// Misses of the second of two walks over so many bytes, word by word.
int misses_again(std::uint64_t bytes) {
  ConstantCache cache;
  int misses = 0;
  for (int walk = 0; walk < 2; ++walk) {
    misses = 0;
    for (std::uint64_t at = 0; at < bytes; at += 4) misses += cache.misses(base + at) ? 1 : 0;
  }
  return misses;
}

TEST(ConstantCache, ALineMissesOnce) {
  ConstantCache cache;
  EXPECT_TRUE(cache.misses(base + 4));
  EXPECT_FALSE(cache.misses(base + 60));
  EXPECT_TRUE(cache.misses(base + 64));
  EXPECT_FALSE(cache.misses(base));
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
  for (std::uint64_t line = 0; line < 32; ++line) cache.misses(base + line * 64);
  cache.misses(base);
  cache.misses(base + 32 * 64);  // takes the place of line 1
  EXPECT_FALSE(cache.misses(base));
  EXPECT_TRUE(cache.misses(base + 64));
}

}  // namespace
}  // namespace gridstride::sim
