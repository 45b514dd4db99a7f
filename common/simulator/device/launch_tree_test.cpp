// Order and times of a tree of launches, with grids that are only numbers.
#include "common/simulator/device/launch_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace gridstride::sim {
namespace {

constexpr DeviceLaunchCosts costs{.call = 6, .start = 4, .follow = 3, .interval = 0.25};

/// Grids by number: DeviceWork::kernel says which.
struct Grids : LaunchTree::Runner {
  std::map<std::size_t, std::vector<DeviceWork>> launches;
  std::map<std::size_t, double> seconds;
  double share = 0;
  std::size_t fails = 0;
  std::vector<std::size_t> ran;
  std::map<std::size_t, double> starts, ends;

  LaunchOrder launch_order;
  const LaunchOrder& order() const override { return launch_order; }

  GridOutcome run(const DeviceWork& work, const GridClock&, double start, std::uint64_t,
                  std::uint64_t& token) override {
    ran.push_back(work.kernel);
    starts[work.kernel] = start;
    token = work.kernel;
    GridOutcome outcome;
    outcome.seconds = seconds[work.kernel];
    outcome.share = share;
    outcome.failed = work.kernel == fails && fails != 0;
    outcome.work = launches[work.kernel];
    return outcome;
  }
  TransferOutcome transfer(const DeviceWork& work, const GridClock&, std::uint64_t) override {
    ran.push_back(work.kernel);
    return {.seconds = work.kernel == fails ? -1.0 : 1.0, .order = std::nullopt};
  }
  void finish(std::uint64_t token, double after) override { ends[token] = starts[token] + after; }

  double run_root(std::uint64_t seed = 0) {
    GridOutcome root;
    root.work = launches[0];
    root.share = share;
    starts[0] = 0;
    return LaunchTree(*this, costs, seed).run(std::move(root), 0);
  }
};

DeviceWork launch(std::size_t kernel, std::uint64_t stream = device_null_stream,
                  std::uint32_t turn = 1, std::uint64_t block = 0) {
  DeviceWork work;
  work.kernel = kernel;
  work.stream = stream;
  work.turn = turn;
  work.block = block;
  return work;
}

TEST(LaunchTree, AChildStartsAfterTheCallAndTheStart) {
  Grids grids;
  grids.launches[0] = {launch(1)};
  grids.seconds[1] = 5;
  EXPECT_EQ(grids.run_root(), 6 + 4 + 5);
  EXPECT_EQ(grids.ends[0], 15);
}

TEST(LaunchTree, AChildStartsWhenItsParentHasComeToTheCall) {
  GridOutcome root;
  root.seconds = 40;
  root.share = 0;
  root.block_cycles = 1000;
  root.work = {launch(1, fire_and_forget_stream), launch(2, fire_and_forget_stream, 2, 1)};
  root.work[0].cycle = 750;  // 30 seconds of 40; of block 1 nothing is known
  Grids grids;
  LaunchTree(grids, costs, 0).run(std::move(root), 0);
  EXPECT_DOUBLE_EQ(grids.starts[1], 30 + costs.start);
  EXPECT_DOUBLE_EQ(grids.starts[2], grids.starts[1] + costs.interval);
}

TEST(LaunchTree, AStreamGoesInOrderAndBlocksHaveTheirOwn) {
  Grids grids;
  grids.launches[0] = {launch(1, 0, 1, 0), launch(2, 0, 2, 0), launch(3, 0, 1, 1)};
  grids.seconds = {{1, 100}, {2, 1}, {3, 1}};
  grids.run_root();
  EXPECT_EQ(grids.ran, (std::vector<std::size_t>{1, 3, 2}));
  EXPECT_EQ(grids.starts[2], 10 + 100 + 3);
}

TEST(LaunchTree, WhatFollowsInAStreamWaitsForTheChildrenOfTheFirst) {
  Grids grids;
  grids.launches[0] = {launch(1), launch(2, 0, 2)};
  grids.launches[1] = {launch(3, fire_and_forget_stream)};
  grids.seconds = {{1, 1}, {2, 1}, {3, 50}};
  grids.run_root();
  EXPECT_EQ(grids.ran, (std::vector<std::size_t>{1, 3, 2}));
}

TEST(LaunchTree, BlocksShareNamedStreamsAndHaveNullStreamsOfTheirOwn) {
  constexpr std::uint64_t named = 0x101;
  Grids grids;
  grids.seconds = {{1, 100}, {2, 10}, {3, 100}, {4, 10}};
  grids.launches[0] = {launch(1, named, 1, 0), launch(2, named, 1, 1), launch(3, 0, 2, 0),
                       launch(4, 0, 2, 1)};
  grids.run_root();
  EXPECT_GE(grids.starts[2], grids.ends[1]);
  EXPECT_LT(grids.starts[4], grids.ends[3]);
}

TEST(LaunchTree, TailLaunchesComeLastOneAfterTheOther) {
  Grids grids;
  grids.launches[0] = {launch(8, tail_stream), launch(1), launch(9, tail_stream, 2)};
  grids.launches[1] = {launch(2), launch(7, tail_stream)};
  grids.seconds = {{1, 1}, {2, 20}, {7, 1}, {8, 1}, {9, 1}};
  grids.run_root();
  EXPECT_EQ(grids.ran, (std::vector<std::size_t>{1, 2, 7, 8, 9}));
  EXPECT_GE(grids.starts[9], grids.ends[8]);
}

TEST(LaunchTree, EventsOrderStreams) {
  Grids grids;
  DeviceWork record = launch(0, 0x101), wait = launch(0, 0x102);
  record.kind = DeviceWork::Kind::record;
  wait.kind = DeviceWork::Kind::wait;
  record.event = wait.event = 0x103;
  grids.launches[0] = {launch(1, 0x101), record, wait, launch(2, 0x102)};
  grids.seconds = {{1, 100}, {2, 1}};
  grids.run_root();
  EXPECT_GE(grids.starts[2], grids.ends[1]);
  grids.ran.clear();
  std::swap(grids.launches[0][1], grids.launches[0][2]);  // waits for what was never recorded
  grids.run_root();
  EXPECT_LT(grids.starts[2], grids.ends[1]);
}

TEST(LaunchTree, GridsThatFillTheDeviceTakeTurns) {
  Grids grids;
  for (std::size_t i = 1; i <= 10; ++i) {
    grids.launches[0].push_back(launch(i, fire_and_forget_stream, 1, i));
    grids.seconds[i] = 100;
  }
  grids.share = 1;
  EXPECT_GE(grids.run_root(), 1000);
  grids.share = 0.1;
  EXPECT_LT(grids.run_root(), 250);
}

TEST(LaunchTree, AFailureEndsAll) {
  Grids grids;
  grids.launches[0] = {launch(1), launch(2, 0, 2), launch(3, tail_stream)};
  grids.fails = 1;
  grids.run_root();
  EXPECT_EQ(grids.ran, (std::vector<std::size_t>{1}));
}

TEST(LaunchTree, AFailedCopyEndsAll) {
  Grids grids;
  DeviceWork copy = launch(5);
  copy.kind = DeviceWork::Kind::copy;
  grids.launches[0] = {copy, launch(2, 0, 2)};
  grids.fails = 5;
  grids.run_root();
  EXPECT_EQ(grids.ran, (std::vector<std::size_t>{5}));
}

TEST(LaunchTree, ASeedChangesTheOrderOfWhatIsFreeAndNothingElse) {
  Grids first, second;
  for (Grids* grids : {&first, &second}) {
    for (std::size_t i = 1; i <= 10; ++i) {
      grids->launches[0].push_back(launch(i, i <= 5 ? device_null_stream : fire_and_forget_stream));
    }
  }
  first.run_root(0);
  second.run_root(99);
  EXPECT_NE(first.ran, second.ran);
  std::erase_if(second.ran, [](std::size_t i) { return i > 5; });
  EXPECT_EQ(second.ran, (std::vector<std::size_t>{1, 2, 3, 4, 5}));
}

}  // namespace
}  // namespace gridstride::sim
