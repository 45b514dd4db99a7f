// Program order on the control flow of small kernels.
#include "common/simulator/analysis/program_order.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace gridstride::sim {
namespace {

using Order = std::vector<std::int32_t>;

TEST(ProgramOrder, BothSidesOfAnIfComeBeforeWhatFollows) {
  // 0 branches to 1 and 3; 1 goes on to 2; 3 stands behind 2 in the text but joins it.
  EXPECT_EQ(program_order({{1, 3}, {2}, {}, {2}}), (Order{0, 1, 3, 2}));
}

TEST(ProgramOrder, ALoopIsContiguousAndItsExitFollows) {
  // 0 -> 1 (head) -> 3 (exit) or 2 (body, placed after the exit in the text as 4)
  EXPECT_EQ(program_order({{1}, {2, 3}, {}, {4}, {1}}), (Order{0, 1, 3, 4, 2}));
}

TEST(ProgramOrder, NestedLoops) {
  // 0 -> 1 outer head -> 2 inner head -> 2 | 3 outer latch -> 1 | 4
  EXPECT_EQ(program_order({{1}, {2}, {2, 3}, {1, 4}, {}}), (Order{0, 1, 2, 3, 4}));
}

TEST(ProgramOrder, ABreakOutOfALoopComesAfterTheWholeLoop) {
  // head 1, break block 2 (leaves to 5), body 3, latch 4, exit 5
  EXPECT_EQ(program_order({{1}, {2, 3}, {5}, {4}, {1, 5}, {}}), (Order{0, 1, 3, 4, 2, 5}));
}

TEST(ProgramOrder, UnreachableNodesAreLeftOut) {
  EXPECT_EQ(program_order({{2}, {2}, {}}), (Order{0, 2}));
}

TEST(ProgramOrder, TwoEntriesIntoALoopStillEnd) {
  const Order order = program_order({{1, 2}, {2}, {1, 3}, {}});
  EXPECT_EQ(order, (Order{0, 1, 2, 3}));
}

}  // namespace
}  // namespace gridstride::sim
