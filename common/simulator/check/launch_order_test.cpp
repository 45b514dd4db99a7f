// What lies before a grid of a launch tree.
#include "common/simulator/check/launch_order.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace gridstride::sim {
namespace {

/// Whether an access of the first block of `grid` lies before who knows `known`.
bool is_before(const LaunchOrder& order, const GridClock& known, LaunchOrder::Grid grid) {
  return order.is_before(order.first_block(grid),
                         [&](std::uint64_t block, std::uint32_t thread, std::uint32_t timestamp) {
                           return known.covers(block, thread, timestamp);
                         });
}

TEST(LaunchOrder, NumbersBlocksThroughTheTree) {
  LaunchOrder order;
  order.add(4);
  EXPECT_EQ(order.add(10, 0), 1u);
  EXPECT_EQ(order.add(1, 1), 2u);
  EXPECT_EQ(order.first_block(0), 0u);
  for (const LaunchOrder::Grid grid : {0u, 1u, 2u}) {
    EXPECT_EQ(order.grid_of(order.first_block(grid)), grid);
  }
  EXPECT_EQ(order.grid_of(order.first_block(1) + 9), 1u);
}

TEST(LaunchOrder, AGridHasEndedWithWhatItLaunched) {
  LaunchOrder order;
  order.add(1);
  order.add(1, 0);  // 1: of which 2 comes
  order.add(1, 1);
  order.add(1, 0);  // 3, beside 1
  GridClock known;
  order.add_whole(known, 1);
  EXPECT_TRUE(is_before(order, known, 1));
  EXPECT_TRUE(is_before(order, known, 2));
  EXPECT_FALSE(is_before(order, known, 0));
  EXPECT_FALSE(is_before(order, known, 3));
}

TEST(LaunchOrder, TailLaunchesComeBehindAllElse) {
  LaunchOrder order;
  order.add(1);
  order.add(1, 0);        // 1
  order.add(1, 0, true);  // 2, which launches 3
  order.add(1, 2);
  GridClock known;
  order.add_ended(known, 0);
  EXPECT_TRUE(is_before(order, known, 0));
  EXPECT_TRUE(is_before(order, known, 1));
  EXPECT_FALSE(is_before(order, known, 2));
  EXPECT_FALSE(is_before(order, known, 3));
  order.add_whole(known, 2);
  EXPECT_TRUE(is_before(order, known, 3));
}

TEST(LaunchOrder, TakesNoMoreBlocksThanItHasNumbersFor) {
  LaunchOrder order;
  order.add(1);
  EXPECT_FALSE(order.add(0xffff'ffff, 0));
  EXPECT_TRUE(order.add(0xffff'0000, 0));
  EXPECT_FALSE(order.add(0x10000, 0));
}

}  // namespace
}  // namespace gridstride::sim
