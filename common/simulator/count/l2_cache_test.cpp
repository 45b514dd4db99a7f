// Hits, misses, write-back and the size of the modelled L2.
#include "common/simulator/count/l2_cache.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace gridstride::sim {
namespace {

constexpr std::uint64_t base = 0x0a00'0000'0000;

TEST(L2Cache, SectorsMissOnceAndThenHit) {
  L2Cache cache(1 << 20);
  EXPECT_EQ(cache.access(base, 0b0011, false).dram_reads, 2u);
  const auto again = cache.access(base + 64, 0b0111, false);
  EXPECT_EQ(again.hits, 2u);
  EXPECT_EQ(again.dram_reads, 1u);
}

TEST(L2Cache, AStoreReadsNothingAndIsWrittenBackWhenEvicted) {
  L2Cache cache(128 * 16);  // one set
  const auto store = cache.access(base, 0b1111, true);
  EXPECT_EQ(store.hits + store.dram_reads + store.dram_writes, 0u);
  std::uint32_t written = 0;
  for (std::uint64_t line = 1; line <= 16; ++line) {
    written += cache.access(base + line * 128, 0b1111, false).dram_writes;
  }
  EXPECT_EQ(written, 4u);
}

TEST(L2Cache, TheLeastRecentlyUsedLineGoes) {
  L2Cache cache(128 * 16);
  for (std::uint64_t line = 0; line < 16; ++line) cache.access(base + line * 128, 1, false);
  cache.access(base, 1, false);
  cache.access(base + 16 * 128, 1, false);  // takes the place of line 1
  EXPECT_EQ(cache.access(base, 1, false).hits, 1u);
  EXPECT_EQ(cache.access(base + 128, 1, false).dram_reads, 1u);
}

TEST(L2Cache, AWorkingSetOfHalfItsSizeStays) {
  constexpr std::uint64_t bytes = 1 << 20;
  L2Cache cache(bytes);
  std::uint32_t misses = 0;
  for (int pass = 0; pass < 3; ++pass) {
    if (pass == 1) misses = 0;
    for (std::uint64_t at = 0; at < bytes / 2; at += 128) {
      misses += cache.access(base + at, 0b1111, false).dram_reads;
    }
  }
  EXPECT_LT(misses, bytes / 2 / 32 / 100);
}

TEST(L2Cache, AWorkingSetOfTwiceItsSizeDoesNot) {
  constexpr std::uint64_t bytes = 1 << 20;
  L2Cache cache(bytes);
  std::uint32_t hits = 0;
  for (int pass = 0; pass < 2; ++pass) {
    for (std::uint64_t at = 0; at < 2 * bytes; at += 128) {
      hits += cache.access(base + at, 0b1111, false).hits;
    }
  }
  EXPECT_LT(hits, 2 * bytes / 32 / 10);
}

TEST(L2Cache, ClearingForgets) {
  L2Cache cache(1 << 20);
  cache.access(base, 1, true);
  cache.clear();
  EXPECT_EQ(cache.access(base, 1, false).dram_reads, 1u);
}

}  // namespace
}  // namespace gridstride::sim
