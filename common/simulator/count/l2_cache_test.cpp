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
  EXPECT_EQ(again.dram_reads, 2u);
}

TEST(L2Cache, SectorsComeInPairs) {
  L2Cache cache(1 << 20);
  EXPECT_EQ(cache.access(base, 0b0010, false).dram_reads, 2u);
  const auto other = cache.access(base, 0b0001, false);
  EXPECT_EQ(other.hits, 1u);
  EXPECT_TRUE(other.waits);  // it is on its way
  EXPECT_FALSE(cache.access(base, 0b0001, false).waits);
  EXPECT_EQ(cache.access(base, 0b1000, false).dram_reads, 2u);
}

TEST(L2Cache, OfARowThatIsOpenNoReadIsAlone) {
  L2Cache cache(1 << 20);
  EXPECT_EQ(cache.access(base, 0b0001, false).lone_reads, 1u);
  EXPECT_EQ(cache.access(base + 128, 0b0001, false).lone_reads, 0u);
  EXPECT_EQ(cache.access(base + 1024, 0b1111, false).lone_reads, 0u);  // that are more than a pair
  EXPECT_EQ(cache.access(base + 2048, 0b0001, false).lone_reads, 1u);
}

/// What putting 16 other lines into the one set of `cache` reads and writes.
L2Cache::Outcome evicted(L2Cache& cache) {
  L2Cache::Outcome sum;
  for (std::uint64_t line = 1; line <= 16; ++line) {
    const L2Cache::Outcome one = cache.access(base + line * 128, 0b1111, true);
    sum.dram_writes += one.dram_writes;
    sum.fills += one.fills;
  }
  return sum;
}

TEST(L2Cache, ASectorStoredToInPartIsReadWhenItIsWrittenBack) {
  L2Cache cache(128 * 16);  // one set
  cache.access(base, 0b0001, true, 7);
  const L2Cache::Outcome sum = evicted(cache);
  EXPECT_EQ(sum.dram_writes, 1u);
  EXPECT_EQ(sum.fills, 2u);
}

TEST(L2Cache, ASectorStoredToInPartsIsWhole) {
  L2Cache cache(128 * 16);
  cache.access(base, 0b0011, true, 0x0503);
  cache.access(base, 0b0011, true, 0x0305);
  const L2Cache::Outcome sum = evicted(cache);
  EXPECT_EQ(sum.dram_writes, 2u);
  EXPECT_EQ(sum.fills, 0u);
}

TEST(L2Cache, ASectorThatWasReadIsWhole) {
  L2Cache cache(128 * 16);
  cache.access(base, 0b0001, false);
  cache.access(base, 0b0001, true, 1);
  EXPECT_EQ(evicted(cache).fills, 0u);
}

TEST(L2Cache, ALoadReadsTheRestOfASectorStoredToInPart) {
  L2Cache cache(1 << 20);
  cache.access(base, 0b0001, true, 1);
  EXPECT_EQ(cache.access(base, 0b0001, false).dram_reads, 2u);
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
  EXPECT_EQ(cache.access(base + 128, 1, false).dram_reads, 2u);
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
  EXPECT_EQ(cache.access(base, 1, false).dram_reads, 2u);
}

}  // namespace
}  // namespace gridstride::sim
