// Where paths reconverge, on graphs whose answer can be seen.
#include "common/simulator/analysis/post_dominators.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace gridstride::sim {
namespace {

using Graph = std::vector<std::vector<std::int32_t>>;
using Nodes = std::vector<std::int32_t>;

TEST(PostDominators, BothSidesOfABranchMeetBehindIt) {
  EXPECT_EQ(post_dominators(Graph{{1, 2}, {3}, {3}, {}}), (Nodes{3, 3, 3, 4}));
}

TEST(PostDominators, AnEarlyReturnLeavesNothingButTheEnd) {
  // 0 returns early or goes on to 1, which branches to 2 and 3.
  EXPECT_EQ(post_dominators(Graph{{4, 1}, {2, 3}, {3}, {4}, {}}), (Nodes{4, 3, 3, 4, 5}));
  EXPECT_EQ(post_dominators(Graph{{1, 2}, {}, {}}), (Nodes{3, 3, 3}));
}

TEST(PostDominators, ALoopIsLeftThroughWhatStandsBehindIt) {
  EXPECT_EQ(post_dominators(Graph{{1}, {2, 3}, {1}, {}}), (Nodes{1, 3, 1, 4}));
}

TEST(PostDominators, WhatNeverEndsHasNone) {
  EXPECT_EQ(post_dominators(Graph{{1, 2}, {1}, {}}), (Nodes{2, -1, 3}));
}

}  // namespace
}  // namespace gridstride::sim
