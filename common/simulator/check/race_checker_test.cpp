// Which pairs of accesses race, and which are ordered.
#include "common/simulator/check/race_checker.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/simulator/check/shared_flags.h"

namespace gridstride::sim {
namespace {

constexpr std::uint32_t all = 0xffffffffu;

struct Recorder : RaceSink {
  struct Race {
    RacingAccess earlier, now;
    std::uint32_t offset;
  };
  std::vector<Race> races;
  void race(const RacingAccess& earlier, const RacingAccess& now, std::uint32_t offset) override {
    races.push_back({earlier, now, offset});
  }
};

struct Changing : StoredValues {
  bool changes_nothing(std::uint32_t) const override { return false; }
};
struct Silent : StoredValues {
  bool changes_nothing(std::uint32_t) const override { return true; }
};

class SharedRaces : public testing::Test {
 protected:
  void read(std::uint32_t warp, std::uint32_t lane, std::uint32_t offset, std::uint32_t at = 1) {
    std::uint32_t offsets[32] = {};
    offsets[lane] = offset;
    checker.read(warp, 1u << lane, offsets, 4, at);
  }
  void write(std::uint32_t warp, std::uint32_t lane, std::uint32_t offset, std::uint32_t at = 2) {
    std::uint32_t offsets[32] = {};
    offsets[lane] = offset;
    checker.write(warp, 1u << lane, offsets, 4, at, Changing());
  }
  void atomic(std::uint32_t warp, std::uint32_t lane, std::uint32_t offset, std::uint32_t at = 3) {
    std::uint32_t offsets[32] = {};
    offsets[lane] = offset;
    checker.atomic(warp, 1u << lane, offsets, 4, at);
  }
  std::size_t count() const { return seen.races.size(); }

  Recorder seen;
  HappensBefore order{4};
  SharedFlags flags{order};
  SharedRaceChecker checker{1024, 4, order, seen};
};

TEST_F(SharedRaces, WriteAndReadOfTwoWarpsRace) {
  write(0, 3, 40, 7);
  read(1, 5, 40, 8);
  ASSERT_EQ(count(), 1u);
  EXPECT_EQ(seen.races[0].earlier.thread, 3u);
  EXPECT_EQ(seen.races[0].earlier.instruction, 7u);
  EXPECT_TRUE(seen.races[0].earlier.store);
  EXPECT_EQ(seen.races[0].now.thread, 37u);
  EXPECT_FALSE(seen.races[0].now.store);
  EXPECT_EQ(seen.races[0].offset, 40u);
}

TEST_F(SharedRaces, ReadAndWriteOfTwoWarpsRaceWhoeverRead) {
  for (std::uint32_t warp = 0; warp < 4; ++warp) read(warp, 0, 0);
  write(2, 0, 0);
  EXPECT_EQ(count(), 1u);
}

TEST_F(SharedRaces, ABlockBarrierOrders) {
  write(0, 3, 40);
  order.block_barrier();
  read(1, 5, 40);
  order.block_barrier();
  write(2, 5, 40);
  EXPECT_EQ(count(), 0u);
}

TEST_F(SharedRaces, OneThreadAloneIsInOrder) {
  write(0, 3, 40);
  read(0, 3, 40);
  write(0, 3, 40);
  EXPECT_EQ(count(), 0u);
}

TEST_F(SharedRaces, LanesOfOneWarpRaceWithoutASync) {
  write(0, 3, 40);
  read(0, 4, 40);
  EXPECT_EQ(count(), 1u);
}

TEST_F(SharedRaces, AWarpSyncOrdersLanesButNotWarps) {
  write(0, 3, 40);
  order.warp_barrier(0, all, all);
  read(0, 4, 40);
  EXPECT_EQ(count(), 0u);
  read(1, 4, 40);
  EXPECT_EQ(count(), 1u);
}

TEST_F(SharedRaces, AWarpSyncOfSomeLanesOrdersThose) {
  write(0, 3, 40);
  write(0, 20, 80);
  order.warp_barrier(0, 0xff, all);
  read(0, 4, 40);  // both in the mask
  EXPECT_EQ(count(), 0u);
  read(0, 4, 80);  // lane 20 was not
  EXPECT_EQ(count(), 1u);
}

TEST_F(SharedRaces, WarpSyncsChain) {
  write(0, 0, 40);
  order.warp_barrier(0, 0b011, all);
  order.warp_barrier(0, 0b110, all);
  read(0, 2, 40);  // 0 -> 1 -> 2
  EXPECT_EQ(count(), 0u);
}

TEST_F(SharedRaces, ABarrierOfSomeWarpsOrdersThose) {
  write(0, 0, 0);
  write(2, 0, 64);
  order.partial_barrier(0b0011);
  read(1, 0, 0);
  EXPECT_EQ(count(), 0u);
  read(1, 0, 64);
  EXPECT_EQ(count(), 1u);
}

TEST_F(SharedRaces, WhoArrivesWithoutWaitingIsOrderedBeforeThoseWhoWait) {
  write(0, 0, 0);
  const HappensBefore::Arrival arrival = order.arrive(0);
  write(0, 0, 64);
  order.partial_barrier(0b0010, {&arrival, 1});
  read(1, 0, 0);
  EXPECT_EQ(count(), 0u);
  read(1, 0, 64);
  EXPECT_EQ(count(), 1u);
}

TEST_F(SharedRaces, AtomicsDoNotRaceWithEachOtherButWithPlainAccesses) {
  atomic(0, 0, 0);
  atomic(1, 0, 0);
  EXPECT_EQ(count(), 0u);
  read(2, 0, 0);
  EXPECT_EQ(count(), 1u);
  write(3, 0, 4);
  atomic(0, 0, 4);
  EXPECT_EQ(count(), 2u);
}

TEST_F(SharedRaces, AtomicsBehindABarrierAreRememberedToo) {
  write(0, 0, 0);
  order.block_barrier();
  atomic(0, 0, 0);
  atomic(1, 0, 0);
  EXPECT_EQ(count(), 0u);
  read(2, 0, 0);
  ASSERT_EQ(count(), 1u);
  EXPECT_EQ(seen.races[0].earlier.thread, 32u);
  atomic(3, 0, 0);  // the read has no barrier behind it
  EXPECT_EQ(count(), 2u);
}

TEST_F(SharedRaces, WritingWhatIsThereDoesNotRaceWithAWrite) {
  const std::uint32_t offsets[32] = {};
  checker.write(0, 1, offsets, 4, 1, Changing());
  checker.write(1, 1, offsets, 4, 1, Silent());
  EXPECT_EQ(count(), 0u);
  checker.read(2, 1, offsets, 4, 2);
  EXPECT_EQ(count(), 1u);
}

TEST_F(SharedRaces, ALoopWithoutBarrierRacesWithItself) {
  std::uint32_t offsets[32];
  for (std::uint32_t lane = 0; lane < 32; ++lane) offsets[lane] = 4 * lane;
  checker.write(0, all, offsets, 4, 9, Changing());
  for (std::uint32_t lane = 0; lane < 32; ++lane) offsets[lane] = 4 * ((lane + 1) % 32);
  checker.write(0, all, offsets, 4, 9, Changing());
  EXPECT_EQ(count(), 32u);
}

TEST_F(SharedRaces, WideAccessesTouchAllTheirCells) {
  std::uint32_t offsets[32] = {};
  checker.write(0, 1, offsets, 16, 1, Changing());
  read(1, 0, 12);
  EXPECT_EQ(count(), 1u);
}

TEST_F(SharedRaces, ANewBlockForgets) {
  write(0, 0, 0);
  order.start_block(1);
  read(1, 0, 0);
  EXPECT_EQ(count(), 0u);
}

TEST_F(SharedRaces, RunsAreCheckedAsOneLaneAfterTheOther) {
  EXPECT_TRUE(checker.write_run(0, 32, 0, 4, 1));
  EXPECT_TRUE(checker.read_run(0, 32, 0, 4, 2));   // each its own
  EXPECT_FALSE(checker.read_run(0, 32, 4, 4, 2));  // each its neighbour's
  EXPECT_FALSE(checker.read_run(1, 32, 0, 4, 2));
  EXPECT_FALSE(checker.write_run(1, 32, 0, 4, 2));
  order.block_barrier();
  EXPECT_TRUE(checker.write_run(1, 32, 0, 4, 2));
  EXPECT_EQ(count(), 0u);
}

TEST_F(SharedRaces, ARunOfWideElements) {
  EXPECT_TRUE(checker.write_run(0, 8, 0, 16, 1));
  read(1, 0, 124);
  ASSERT_EQ(count(), 1u);
  EXPECT_EQ(seen.races[0].earlier.thread, 7u);
}

TEST_F(SharedRaces, ABroadcastReadIsRememberedForAllItsLanes) {
  checker.read_one(0, all, 0, 4, 1);
  write(0, 0, 0);  // lane 0 read it too, and so did others
  EXPECT_EQ(count(), 1u);
  order.block_barrier();
  checker.read_one(0, all, 0, 4, 1);
  write(0, 31, 0);
  EXPECT_EQ(count(), 2u);
}

TEST_F(SharedRaces, ALockWithAFenceOrders) {
  atomic(0, 0, 0);
  write(0, 0, 64);
  const Knowledge left = order.hand_over({.warp = 0, .mask = 1});
  atomic(0, 0, 0);
  order.acquire({.warp = 1, .mask = 1}, left);
  write(1, 0, 64);
  EXPECT_EQ(count(), 0u);
  read(2, 0, 64);  // has not had the lock
  EXPECT_EQ(count(), 1u);
}

TEST_F(SharedRaces, WhatFollowsAFenceIsNotReleased) {
  const Knowledge left = order.hand_over({.warp = 0, .mask = 1});
  write(0, 0, 64);
  order.acquire({.warp = 1, .mask = 1}, left);
  read(1, 0, 64);
  EXPECT_EQ(count(), 1u);
}

TEST_F(SharedRaces, WhatIsInFlightIsOrderedBeforeNothingUntilItLands) {
  std::uint32_t offsets[32] = {40};
  checker.write_in_flight(0, 1, offsets, 16, 5, 0);
  order.block_barrier();
  read(0, 0, 44);
  EXPECT_EQ(count(), 1u);
  EXPECT_TRUE(seen.races[0].earlier.in_flight);
  EXPECT_EQ(seen.races[0].earlier.instruction, 5u);
  EXPECT_FALSE(checker.read_run(1, 4, 40, 4, 1));
  checker.land(0, 40, 16);
  read(0, 0, 48);
  EXPECT_EQ(count(), 1u);  // the own thread, which has waited
  read(1, 0, 48);
  EXPECT_EQ(count(), 2u);  // another one
  EXPECT_FALSE(seen.races[1].earlier.in_flight);
  order.block_barrier();
  read(1, 0, 52);
  EXPECT_EQ(count(), 2u);
}

TEST_F(SharedRaces, LanesOfOneCopyMayBringTheSameToOnePlace) {
  const std::uint32_t offsets[32] = {40, 40};
  checker.write_in_flight(0, 3, offsets, 4, 5, /*unchanged=*/2);
  EXPECT_EQ(count(), 0u);
  checker.write_in_flight(0, 3, offsets, 4, 6, /*unchanged=*/3);  // another instruction
  EXPECT_EQ(count(), 1u);
  checker.write_in_flight(1, 3, offsets, 4, 6, /*unchanged=*/3);  // another warp
  EXPECT_EQ(count(), 2u);
  const std::uint32_t others[32] = {80, 80};
  checker.write_in_flight(0, 3, others, 4, 5, /*unchanged=*/0);
  EXPECT_EQ(count(), 3u);
}

TEST_F(SharedRaces, ANewBlockFindsNothingInFlight) {
  std::uint32_t offsets[32] = {40};
  checker.write_in_flight(0, 1, offsets, 4, 5, 0);
  checker.start_block(order.start_block(1));
  read(1, 0, 40);
  EXPECT_EQ(count(), 0u);
}

TEST_F(SharedRaces, WhatOthersSawLandedIsThereForThoseWhoKnowOfIt) {
  std::uint32_t offsets[32] = {40};
  checker.write_in_flight(0, 1, offsets, 4, 5, 0);
  checker.land(0, 40, 4, /*for_others=*/true);
  order.acquire_copies({.warp = 1, .mask = 1}, 0);
  order.tick();
  read(1, 0, 40);
  EXPECT_EQ(count(), 0u);
  read(1, 1, 40);  // another lane
  EXPECT_EQ(count(), 1u);
  EXPECT_TRUE(seen.races[0].earlier.in_flight);
  EXPECT_EQ(seen.races[0].earlier.thread, 0u);
  read(0, 0, 40);  // began the copy and has not waited
  EXPECT_EQ(count(), 2u);
  order.block_barrier();
  read(0, 0, 40);
  EXPECT_EQ(count(), 2u);
}

TEST_F(SharedRaces, AFlagCarriesWhatWasReleasedIntoIt) {
  const std::uint32_t one[32] = {100}, other[32] = {104};
  write(0, 0, 64);
  order.fence({.warp = 0, .mask = 1}, false);
  flags.store({.warp = 0, .mask = 1}, one);
  write(1, 0, 68);
  order.fence({.warp = 1, .mask = 1}, false);
  flags.store({.warp = 1, .mask = 1}, other);
  flags.load({.warp = 2, .mask = 1}, one, true);
  read(2, 0, 64);
  EXPECT_EQ(count(), 0u);
  read(2, 0, 68);
  EXPECT_EQ(count(), 1u);
  flags.load({.warp = 2, .mask = 1}, other, true);
  read(2, 0, 68);
  EXPECT_EQ(count(), 1u);
}

TEST_F(SharedRaces, AFenceReleasesWhatTheLanesThatPassItKnow) {
  const std::uint32_t one[32] = {100};
  write(0, 5, 64);
  order.fence({.warp = 0, .mask = 1}, false);
  flags.store({.warp = 0, .mask = 1}, one);
  flags.load({.warp = 1, .mask = 1}, one, true);
  read(1, 0, 64);
  EXPECT_EQ(count(), 1u);
  order.warp_barrier(0, all, all);
  order.fence({.warp = 0, .mask = 1}, false);
  flags.store({.warp = 0, .mask = 1}, one);
  flags.load({.warp = 1, .mask = 1}, one, true);
  read(1, 0, 64);
  EXPECT_EQ(count(), 1u);
}

TEST_F(SharedRaces, AnAtomicDoesNotHideThePlainStoreOfItsThread) {
  write(0, 0, 40, 5);
  atomic(0, 0, 40);
  atomic(1, 0, 40);
  ASSERT_EQ(count(), 1u);
  EXPECT_EQ(seen.races[0].earlier.instruction, 5u);
  order.block_barrier();
  atomic(1, 0, 40);
  EXPECT_EQ(count(), 1u);
}

TEST_F(SharedRaces, AnAtomicDoesNotHideThoseOfOtherThreads) {
  for (const std::uint32_t lane : {5u, 1u, 0u}) atomic(lane == 0 ? 1 : 0, lane, 40);
  write(1, 0, 40);
  ASSERT_EQ(count(), 1u);
  EXPECT_EQ(seen.races[0].earlier.thread, 5u);
  order.block_barrier();
  atomic(0, 5, 80);
  atomic(1, 0, 80);
  EXPECT_FALSE(checker.read_run(1, 4, 80, 4, 1));
  EXPECT_FALSE(checker.write_run(1, 4, 80, 4, 1));
  read(1, 0, 80);
  EXPECT_EQ(count(), 2u);
  order.block_barrier();
  EXPECT_TRUE(checker.read_run(1, 4, 80, 4, 1));
  EXPECT_TRUE(checker.write_run(1, 4, 80, 4, 1));
}

TEST_F(SharedRaces, VolatileAccessesOfTwoWarpsAreFlagsAndOfOneWarpAreNot) {
  checker.set_kind(AccessStrength::polling);
  write(0, 0, 64);
  read(1, 0, 64);
  EXPECT_EQ(count(), 0u);
  read(0, 1, 64);
  EXPECT_EQ(count(), 1u);
}

}  // namespace
}  // namespace gridstride::sim
