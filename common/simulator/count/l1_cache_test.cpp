// What is in the L1 after what.
#include "common/simulator/count/l1_cache.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace gridstride::sim {
namespace {

TEST(L1Cache, ASectorIsFetchedOnce) {
  L1Cache cache;
  cache.start(32768);
  EXPECT_EQ(cache.misses(1000, 0x3), 0x3u);
  EXPECT_EQ(cache.misses(1000, 0x3), 0u);
  EXPECT_EQ(cache.misses(1000, 0x6), 0x4u);
}

TEST(L1Cache, ANewBlockFindsItEmpty) {
  L1Cache cache;
  cache.start(32768);
  cache.misses(1000, 0xf);
  cache.start(32768);
  EXPECT_EQ(cache.misses(1000, 0xf), 0xfu);
}

TEST(L1Cache, HoldsHalfOfItsSizeAndNotFourTimesIt) {
  L1Cache cache;
  cache.start(32768);  // 256 lines
  const auto missed = [&](std::uint64_t lines) {
    std::uint64_t sum = 0;
    for (std::uint64_t line = 5000; line < 5000 + lines; ++line) {
      sum += cache.misses(line, 0xf) != 0 ? 1 : 0;
    }
    return sum;
  };
  missed(128);
  EXPECT_LT(missed(128), 10u);
  missed(1024);
  EXPECT_GT(missed(1024), 900u);
}

TEST(L1Cache, WithoutRoomNothingIsKept) {
  L1Cache cache;
  cache.start(0);
  EXPECT_EQ(cache.misses(1000, 0xf), 0xfu);
  EXPECT_EQ(cache.misses(1000, 0xf), 0xfu);
}

}  // namespace
}  // namespace gridstride::sim
