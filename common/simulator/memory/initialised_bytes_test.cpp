// Bits of initialised bytes, at every alignment.
#include "common/simulator/memory/initialised_bytes.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace gridstride::sim {
namespace {

TEST(InitialisedBytes, HoldsWhatWasSetAtEveryAlignment) {
  for (std::uint64_t begin = 0; begin < 20; ++begin) {
    for (const std::uint64_t count : {1, 3, 7, 8, 9, 64, 130}) {
      InitialisedBytes initialised(300);
      initialised.set(begin, count);
      EXPECT_TRUE(initialised.all(begin, count));
      EXPECT_FALSE(initialised.all(begin, count + 1));
      EXPECT_TRUE(begin == 0 || !initialised.all(begin - 1, count));
      initialised.clear(begin + count / 2, 1);
      EXPECT_FALSE(initialised.all(begin, count));
      EXPECT_TRUE(initialised.all(begin, count / 2));
    }
  }
}

TEST(InitialisedBytes, KnowsWhatALaneHasInitialised) {
  InitialisedBytes initialised(64);
  initialised.set_lane(4, 4);
  EXPECT_TRUE(initialised.all_of_lane(4, 4));
  EXPECT_FALSE(initialised.all_of_lane(4, 8));
  EXPECT_FALSE(initialised.all_of_lane(3, 1));
  EXPECT_EQ(initialised.missing_of_lane(4, 4), 0u);
  EXPECT_EQ(initialised.missing_of_lane(3, 8), 0xe1u);
  initialised.set_lane(16, 16);
  EXPECT_TRUE(initialised.all(16, 16));
}

TEST(InitialisedBytes, CopiesGapsToo) {
  InitialisedBytes initialised(200);
  initialised.set(0, 100);
  initialised.clear(10, 2);
  initialised.copy(101, 0, 50);
  EXPECT_TRUE(initialised.all(101, 10));
  EXPECT_FALSE(initialised.all(111, 1));
  EXPECT_TRUE(initialised.all(113, 38));
  initialised.copy(1, 0, 50);  // overlapping
  EXPECT_TRUE(initialised.all(0, 11));
  EXPECT_FALSE(initialised.all(11, 1));
}

}  // namespace
}  // namespace gridstride::sim
