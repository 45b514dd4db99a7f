// Times of blocks that can be worked out by hand.
#include "common/simulator/count/block_work.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace gridstride::sim {
namespace {

using Work = std::vector<std::uint64_t>;

TEST(BlockWork, OneMultiprocessorDoesAllOfIt) {
  EXPECT_DOUBLE_EQ(time_of_blocks(Work{3, 1, 2}, 1, 1), 6);
  EXPECT_DOUBLE_EQ(time_of_blocks(Work{3, 1, 2}, 1, 2), 6);
}

TEST(BlockWork, ABlockGoesWhereRoomIsFirst) {
  // The first has 6; the second ends after 1, then its multiprocessor has 2 and 2.
  EXPECT_DOUBLE_EQ(time_of_blocks(Work{6, 1, 2, 2}, 2, 1), 6);
  EXPECT_DOUBLE_EQ(time_of_blocks(Work{1, 1, 1, 9}, 2, 1), 10);
}

TEST(BlockWork, BlocksOnOneMultiprocessorShareItsTime) {
  // Two places each: 4 and 4 beside 1 and 1, where all is done at 2 and nothing is left.
  EXPECT_DOUBLE_EQ(time_of_blocks(Work{4, 1, 4, 1}, 2, 2), 8);
  // One more comes where the short ones were.
  EXPECT_DOUBLE_EQ(time_of_blocks(Work{4, 1, 4, 1, 3}, 2, 2), 8);
}

TEST(BlockWork, AlikeBlocksAreNoImbalance) {
  EXPECT_FALSE(differ(Work{}));
  EXPECT_FALSE(differ(Work{100, 110, 120}));
  EXPECT_TRUE(differ(Work{100, 130}));
  EXPECT_DOUBLE_EQ(imbalance_of_blocks(Work(10, 7), 4, 2), 1);
}

TEST(BlockWork, LongBlocksAtTheEndAre) {
  Work work(40, 1);
  work.back() = 20;
  EXPECT_GT(imbalance_of_blocks(work, 4, 1), 1.5);
}

TEST(BlockWork, WarpsGoOnWithWhatTheyDrewLast) {
  const std::vector<Draw> draws = {{10, 32, 0}, {20, 1, 1}, {25, 1, 1}, {40, 30, 0}, {30, 2, 1}};
  const std::vector<double> ends = {100, 200};
  EXPECT_EQ(longest_behind_queue(draws, 2, ends), 170);
  EXPECT_EQ(longest_behind_queue(draws, 33, ends), 175);
  EXPECT_EQ(longest_behind_queue(std::vector<Draw>{{10, 32, 0}, {40, 30, 0}}, 30, ends), 60);
  EXPECT_EQ(longest_behind_queue(draws, 0, ends), 0);
  // What a warp waits for at a barrier is none of it, nor what it does behind that.
  const std::vector<Draw> sums = {{10, 32, 0}, {20, 2, 1}, {40, 30, 0},
                                  {70, 2, 0},  {90, 0, 0}, {95, 2, 0}};
  EXPECT_EQ(longest_behind_queue(sums, 34, ends), 30);
  EXPECT_EQ(longest_behind_queue({}, 32, ends), 0);
}

}  // namespace
}  // namespace gridstride::sim
