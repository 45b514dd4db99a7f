// Which pairs of accesses to global memory race, within a block and between blocks.
#include "common/simulator/check/global_races.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/simulator/check/launch_order.h"
#include "common/simulator/check/transfer_accesses.h"

namespace gridstride::sim {
namespace {

constexpr std::uint64_t base = 0x1000'0000;
constexpr std::uint32_t all = 0xffffffffu;

struct Recorder : GlobalRaceSink {
  struct Race {
    RacingGlobalAccess earlier, now;
    std::uint64_t address;
  };
  std::vector<Race> races;
  void race(const RacingGlobalAccess& earlier, const RacingGlobalAccess& now,
            std::uint64_t address) override {
    races.push_back({earlier, now, address});
  }
};

struct Values : StoredValues {
  explicit Values(bool silent) : silent_(silent) {}
  bool changes_nothing(std::uint32_t) const override { return silent_; }
  bool silent_;
};

class GlobalRaceTest : public testing::Test {
 protected:
  GlobalRaceTest() {
    pages.start(1 << 20);
    one.start_block(1);
    two.start_block(2);
  }
  void read(HappensBefore& who, std::uint32_t warp, std::uint32_t lane, std::uint64_t offset,
            std::uint32_t bytes = 4, AccessStrength kind = AccessStrength::plain) {
    std::uint64_t addresses[32] = {};
    addresses[lane] = base + offset;
    checker.read({who, warp, 1, kind}, 1u << lane, addresses, bytes);
  }
  void write(HappensBefore& who, std::uint32_t warp, std::uint32_t lane, std::uint64_t offset,
             std::uint32_t bytes = 4, AccessStrength kind = AccessStrength::plain,
             bool silent = false) {
    std::uint64_t addresses[32] = {};
    addresses[lane] = base + offset;
    checker.write({who, warp, 2, kind}, 1u << lane, addresses, bytes, Values(silent));
  }
  void atomic(HappensBefore& who, std::uint32_t warp, std::uint32_t lane, std::uint64_t offset) {
    std::uint64_t addresses[32] = {};
    addresses[lane] = base + offset;
    checker.atomic({who, warp, 3, AccessStrength::strong}, 1u << lane, addresses, 4);
  }
  std::size_t count() const { return seen.races.size(); }

  Recorder seen;
  HappensBefore one{4}, two{4};
  RacePages pages{base};
  GlobalRaces checker{pages, 10, seen};
};

TEST_F(GlobalRaceTest, BlocksRace) {
  write(one, 1, 3, 40);
  read(two, 0, 5, 40);
  ASSERT_EQ(count(), 1u);
  EXPECT_EQ(seen.races[0].earlier.block, 1u);
  EXPECT_EQ(seen.races[0].earlier.access.thread, 35u);
  EXPECT_EQ(seen.races[0].earlier.access.instruction, 2u);
  EXPECT_TRUE(seen.races[0].earlier.access.store);
  EXPECT_EQ(seen.races[0].now.access.thread, 5u);
  EXPECT_EQ(seen.races[0].address, base + 40);
}

TEST_F(GlobalRaceTest, AtomicsOfItsBlockDoNotHideAPlainStoreFromOtherBlocks) {
  write(one, 0, 0, 40);
  one.block_barrier();
  for (std::uint32_t lane = 0; lane < 4; ++lane) atomic(one, 1, lane, 40);
  EXPECT_EQ(count(), 0u);
  atomic(two, 0, 0, 40);
  ASSERT_EQ(count(), 1u);
  EXPECT_EQ(seen.races[0].earlier.access.instruction, 2u);
}

TEST_F(GlobalRaceTest, WhatIsHandedOverStartsFromNothing) {
  write(one, 0, 0, RacePages::page_bytes - 4);
  write(one, 0, 0, RacePages::page_bytes);
  write(one, 0, 0, RacePages::page_bytes + 4);
  checker.handed_over(base + RacePages::page_bytes - 4, 8);
  write(two, 0, 0, RacePages::page_bytes - 4);
  write(two, 0, 0, RacePages::page_bytes);
  EXPECT_EQ(count(), 0u);
  write(two, 0, 0, RacePages::page_bytes + 4);
  EXPECT_EQ(count(), 1u);
}

TEST_F(GlobalRaceTest, AStoreRacesWithAnyEarlierReader) {
  for (std::uint32_t warp = 0; warp < 4; ++warp) read(one, warp, 0, 0);
  read(two, 2, 0, 0);
  write(two, 2, 0, 0);
  EXPECT_EQ(count(), 1u);
}

TEST_F(GlobalRaceTest, BarriersOrderABlockButNotBlocks) {
  write(one, 0, 0, 0);
  one.block_barrier();
  read(one, 1, 0, 0);
  EXPECT_EQ(count(), 0u);
  two.block_barrier();
  read(two, 1, 0, 0);
  EXPECT_EQ(count(), 1u);
}

TEST_F(GlobalRaceTest, LanesOfAWarpNeedASync) {
  write(one, 0, 0, 0);
  one.warp_barrier(0, all, all);
  read(one, 0, 1, 0);
  EXPECT_EQ(count(), 0u);
  write(one, 0, 2, 4);
  read(one, 0, 1, 4);
  EXPECT_EQ(count(), 1u);
}

TEST_F(GlobalRaceTest, AFenceAndAnAtomicHandOver) {
  write(one, 0, 0, 64);
  one.fence({.warp = 0, .mask = all}, true);
  atomic(one, 0, 0, 0);
  atomic(two, 3, 0, 0);
  two.fence({.warp = 3, .mask = 1}, true);
  read(two, 3, 0, 64);
  EXPECT_EQ(count(), 0u);
  read(two, 3, 7, 64);  // another lane
  EXPECT_EQ(count(), 1u);
  two.warp_barrier(3, all, all);
  read(two, 3, 7, 64);
  EXPECT_EQ(count(), 1u);
  read(two, 1, 7, 64);  // has seen nothing
  EXPECT_EQ(count(), 2u);
}

TEST_F(GlobalRaceTest, TheReaderTakesAFenceAsWell) {
  write(one, 0, 0, 64);
  one.fence({.warp = 0, .mask = all}, true);
  atomic(one, 0, 0, 0);
  atomic(two, 3, 0, 0);
  read(two, 3, 0, 64);
  EXPECT_EQ(count(), 1u);
  EXPECT_TRUE(seen.races[0].now.access.misses_a_fence);
  two.fence({.warp = 3, .mask = 1}, false);  // for its own block
  read(two, 3, 0, 64);
  EXPECT_EQ(count(), 2u);
  two.block_barrier();
  read(two, 1, 0, 64);
  EXPECT_EQ(count(), 2u);
}

TEST_F(GlobalRaceTest, WithoutAFenceNothingIsHandedOver) {
  write(one, 0, 0, 64);
  atomic(one, 0, 0, 0);
  atomic(two, 3, 0, 0);
  read(two, 3, 7, 64);
  EXPECT_EQ(count(), 1u);
}

TEST_F(GlobalRaceTest, AFlagWithoutAFenceHandsOverWhatWasOnlyRead) {
  read(one, 2, 0, 64);
  write(one, 1, 0, 68);
  one.block_barrier();
  write(one, 0, 0, 0, 4, AccessStrength::strong);
  read(one, 0, 0, 72);  // behind the flag
  read(two, 3, 0, 0, 4, AccessStrength::strong);
  write(two, 3, 0, 64);
  EXPECT_EQ(count(), 0u);
  write(two, 3, 0, 72);
  EXPECT_EQ(count(), 1u);
  read(two, 3, 0, 68);  // was written, which takes a fence
  EXPECT_EQ(count(), 2u);
}

TEST_F(GlobalRaceTest, AFenceForTheBlockHandsNothingToOthers) {
  write(one, 0, 0, 64);
  one.fence({.warp = 0, .mask = all}, false);
  atomic(one, 0, 0, 0);
  atomic(one, 1, 0, 0);
  one.fence({.warp = 1, .mask = 1}, false);
  read(one, 1, 0, 64);
  EXPECT_EQ(count(), 0u);
  atomic(two, 3, 0, 0);
  two.fence({.warp = 3, .mask = all}, true);
  read(two, 3, 7, 64);
  EXPECT_EQ(count(), 1u);
}

TEST_F(GlobalRaceTest, ABarrierBeforeTheFenceReleasesTheWholeBlock) {
  write(one, 2, 0, 64);
  one.block_barrier();
  one.fence({.warp = 0, .mask = all}, true);
  write(one, 0, 0, 0, 4, AccessStrength::polling);
  read(two, 0, 0, 0, 4, AccessStrength::polling);
  two.block_barrier();
  read(two, 3, 7, 64);
  EXPECT_EQ(count(), 0u);
}

TEST_F(GlobalRaceTest, WhoReleasesHasNotAcquired) {
  HappensBefore three(4);
  three.start_block(3);
  write(one, 0, 0, 64);
  one.fence({.warp = 0, .mask = all}, true);
  atomic(one, 0, 0, 0);
  atomic(two, 0, 0, 0);
  write(two, 0, 0, 68);
  two.release({.warp = 0, .mask = all}, true);
  atomic(two, 0, 0, 4);
  atomic(three, 0, 0, 4);
  three.fence({.warp = 0, .mask = 1}, true);
  read(three, 0, 0, 68);
  EXPECT_EQ(count(), 0u);
  read(three, 0, 0, 64);
  EXPECT_EQ(count(), 1u);
  read(two, 0, 0, 64);
  EXPECT_EQ(count(), 2u);
}

TEST_F(GlobalRaceTest, WhoReadsForItsOwnBlockLearnsNothingOfOthers) {
  write(one, 0, 0, 64);
  one.fence({.warp = 0, .mask = all}, true);
  write(one, 0, 0, 0, 4, AccessStrength::strong);
  read(two, 3, 0, 0, 4, AccessStrength::strong_in_block);
  EXPECT_EQ(count(), 1u);  // of the flag itself
  two.fence({.warp = 3, .mask = all}, true);
  read(two, 3, 0, 64);
  EXPECT_EQ(count(), 2u);
  read(one, 1, 0, 0, 4, AccessStrength::strong_in_block);
  one.fence({.warp = 1, .mask = all}, true);
  read(one, 1, 0, 64);
  EXPECT_EQ(count(), 2u);
}

TEST_F(GlobalRaceTest, ChainsOfHandOversHold) {
  HappensBefore three(4);
  three.start_block(3);
  write(one, 0, 0, 64);
  one.fence({.warp = 0, .mask = all}, true);
  atomic(one, 0, 0, 0);
  atomic(two, 0, 0, 0);
  two.fence({.warp = 0, .mask = all}, true);
  atomic(two, 0, 0, 4);
  atomic(three, 0, 0, 4);
  three.fence({.warp = 0, .mask = 1}, true);
  read(three, 0, 0, 64);
  EXPECT_EQ(count(), 0u);
}

TEST_F(GlobalRaceTest, AtomicsRaceWithPlainAccesses) {
  atomic(one, 0, 0, 0);
  atomic(two, 0, 0, 0);
  EXPECT_EQ(count(), 0u);
  read(two, 1, 0, 0);
  EXPECT_EQ(count(), 1u);
  write(one, 1, 0, 8);
  atomic(two, 0, 0, 8);
  EXPECT_EQ(count(), 2u);
}

TEST_F(GlobalRaceTest, VolatileAgainstPlainRaces) {
  write(one, 0, 0, 0, 4, AccessStrength::polling);
  read(two, 0, 0, 0, 4, AccessStrength::polling);
  EXPECT_EQ(count(), 0u);
  read(two, 0, 0, 0);
  EXPECT_EQ(count(), 1u);
}

TEST_F(GlobalRaceTest, TheLastBlockMayResetTheTicket) {
  one.fence({.warp = 0, .mask = all}, true);
  atomic(one, 0, 0, 0);
  two.fence({.warp = 0, .mask = all}, true);
  atomic(two, 0, 0, 0);
  write(two, 0, 0, 0);
  EXPECT_EQ(count(), 0u);
}

TEST_F(GlobalRaceTest, EqualValuesDoNotRace) {
  write(one, 0, 0, 0);
  write(two, 0, 0, 0, 4, AccessStrength::plain, true);
  EXPECT_EQ(count(), 0u);
  write(one, 0, 0, 0);
  EXPECT_EQ(count(), 1u);
}

TEST_F(GlobalRaceTest, NeighbouringBytesAreNotOnePlace) {
  write(one, 0, 0, 0, 1);
  write(two, 0, 0, 1, 1);
  read(two, 0, 0, 2, 2);
  EXPECT_EQ(count(), 0u);
  read(two, 0, 0, 0, 4);
  EXPECT_EQ(count(), 1u);
}

TEST_F(GlobalRaceTest, RunsAreCheckedAsOneLaneAfterTheOther) {
  EXPECT_TRUE(checker.write_run({one, 0, 4}, base + 4096 - 64, 4));  // over two pages
  EXPECT_TRUE(checker.read_run({one, 0, 5}, base + 4096 - 64, 4));
  EXPECT_FALSE(checker.read_run({one, 0, 5}, base + 4096 - 60, 4));  // each its neighbour's
  EXPECT_FALSE(checker.read_run({two, 0, 5}, base + 4096 - 64, 4));
  EXPECT_FALSE(checker.write_run({two, 0, 5}, base + 4096 - 64, 4));
  EXPECT_TRUE(checker.read_run({two, 0, 5}, base + 8192, 16));
  read(one, 0, 0, 8192 + 500);
  write(one, 0, 0, 8192 + 500);
  ASSERT_EQ(count(), 1u);
  EXPECT_EQ(seen.races[0].earlier.access.thread, 31u);
}

TEST_F(GlobalRaceTest, ANewLaunchForgets) {
  write(one, 0, 0, 0);
  pages.start(1 << 20);
  GlobalRaces next(pages, 10, seen);
  std::uint64_t addresses[32] = {base};
  next.read({two, 0, 1}, 1, addresses, 4);
  EXPECT_EQ(count(), 0u);
}

TEST_F(GlobalRaceTest, WithoutRoomAPageIsNotChecked) {
  pages.start(4096);
  GlobalRaces next(pages, 10, seen);
  std::uint64_t addresses[32] = {base};
  next.write({one, 0, 1}, 1, addresses, 4, Values(false));
  addresses[0] = base + 4096;
  next.write({one, 0, 1}, 1, addresses, 4, Values(false));
  EXPECT_EQ(pages.unchecked(), 1u);
  pages.for_each_unchecked([](std::uint64_t address) { EXPECT_EQ(address, base + 4096); });
  EXPECT_EQ(pages.bytes(), 4096u);
  next.read({two, 0, 1}, 1, addresses, 4);
  EXPECT_EQ(count(), 0u);
}

TEST_F(GlobalRaceTest, RecordsThatNobodyNeedsAreUsedAgain) {
  write(one, 1, 3, 40);
  std::uint64_t addresses[32] = {base + 400};
  for (std::uint32_t i = 0; i < 3'000'000; ++i) {
    one.block_barrier();
    checker.read({one, 0, 1}, 1, addresses, 4);
  }
  read(two, 0, 5, 40);
  ASSERT_EQ(count(), 1u);
  EXPECT_EQ(seen.races[0].earlier.access.thread, 35u);
}

TEST_F(GlobalRaceTest, ATransferReadsAndWritesAsAGridOfItsOwn) {
  constexpr std::uint32_t instruction = 4;
  const auto always = [](std::uint64_t, std::uint32_t) { return true; };
  const auto never = [](std::uint64_t, std::uint32_t) { return false; };
  LaunchOrder order;
  order.add(4);
  write(one, 0, 0, 64);
  const LaunchOrder::Grid first = *order.add(1);
  checker.begin_grid(order, first, {}, instruction + 1, seen, {});
  TransferAccesses transfer(checker, instruction);
  transfer.read(base + 68, 300);
  transfer.begin_to_write();
  transfer.write(base + 501, 200, never);
  transfer.write(base + 64, 4, always);  // the same value
  EXPECT_EQ(count(), 0u);
  transfer.read(base + 1, 66);  // ends within the word
  ASSERT_EQ(count(), 2u);       // bytes 64 to 66 of it, as a pair of bytes each
  EXPECT_EQ(seen.races[0].now.grid, first);
  EXPECT_EQ(seen.races[0].now.access.instruction, instruction);
  EXPECT_FALSE(seen.races[0].now.access.store);

  const LaunchOrder::Grid beside = *order.add(1);
  checker.begin_grid(order, beside, {}, instruction + 1, seen, {});
  TransferAccesses(checker, instruction).read(base + 500, 1);
  EXPECT_EQ(count(), 2u);
  TransferAccesses(checker, instruction).read(base + 501, 1);
  EXPECT_EQ(count(), 3u);

  GridClock before;
  order.add_whole(before, first);
  order.add_whole(before, beside);
  const LaunchOrder::Grid behind = *order.add(1);
  checker.begin_grid(order, behind, before, instruction + 1, seen, {});
  TransferAccesses(checker, instruction).write(base + 500, 201, never);
  EXPECT_EQ(count(), 3u);
}

/// A line that warps of some blocks read over and over, until further reads are not looked at.
class ReadOverAndOver : public GlobalRaceTest {
 protected:
  static constexpr int often = 40;

  ReadOverAndOver() { three.start_block(3); }
  void read_line(HappensBefore& who, std::uint32_t warp, int times = 1) {
    for (; times > 0; --times) EXPECT_TRUE(checker.read_run({who, warp, 1}, base, 4));
  }
  void read_by_all() {
    read_line(one, 0);
    read_line(two, 0);
    read_line(three, 0, often);
  }
  /// Block 1 stores to a word of the line, which races with what `block` has read.
  void expect_race_of_store(std::uint32_t warp, std::uint64_t block) {
    write(one, warp, 5, 20);
    ASSERT_EQ(count(), 1u);
    EXPECT_EQ(seen.races[0].earlier.block, block);
  }

  HappensBefore three{4};
};

TEST_F(ReadOverAndOver, AStoreRacesWithAReaderOfAnyOfTheBlocks) {
  read_by_all();
  expect_race_of_store(0, 2);
}

TEST_F(ReadOverAndOver, WarpsOfOneBlockDoNotStandForAnother) {
  read_line(one, 0);
  read_line(one, 1);
  read_line(one, 2, often);
  read_line(two, 0);
  one.block_barrier();
  expect_race_of_store(0, 2);
}

TEST_F(ReadOverAndOver, AnEarlierBlockIsStillLookedAt) {
  read_by_all();
  one.block_barrier();
  read_line(one, 0);
  expect_race_of_store(1, 1);
}

TEST_F(ReadOverAndOver, WhatIsGivenToSomebodyNewIsReadForTheFirstTime) {
  read_by_all();
  checker.handed_over(base, 128);
  read_line(three, 0);
  expect_race_of_store(0, 3);
}

}  // namespace
}  // namespace gridstride::sim
