// Bits of written bytes, at every alignment.
#include "common/simulator/memory/written_bytes.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace gridstride::sim {
namespace {

TEST(WrittenBytes, HoldsWhatWasSetAtEveryAlignment) {
  for (std::uint64_t begin = 0; begin < 20; ++begin) {
    for (const std::uint64_t count : {1, 3, 7, 8, 9, 64, 130}) {
      WrittenBytes written(300);
      written.set(begin, count);
      EXPECT_TRUE(written.all(begin, count));
      EXPECT_FALSE(written.all(begin, count + 1));
      EXPECT_TRUE(begin == 0 || !written.all(begin - 1, count));
      written.clear(begin + count / 2, 1);
      EXPECT_FALSE(written.all(begin, count));
      EXPECT_TRUE(written.all(begin, count / 2));
    }
  }
}

TEST(WrittenBytes, KnowsWhatALaneHasWritten) {
  WrittenBytes written(64);
  written.set_lane(4, 4);
  EXPECT_TRUE(written.all_of_lane(4, 4));
  EXPECT_FALSE(written.all_of_lane(4, 8));
  EXPECT_FALSE(written.all_of_lane(3, 1));
  EXPECT_EQ(written.missing_of_lane(4, 4), 0u);
  EXPECT_EQ(written.missing_of_lane(3, 8), 0xe1u);
  written.set_lane(16, 16);
  EXPECT_TRUE(written.all(16, 16));
}

TEST(WrittenBytes, CopiesGapsToo) {
  WrittenBytes written(200);
  written.set(0, 100);
  written.clear(10, 2);
  written.copy(101, 0, 50);
  EXPECT_TRUE(written.all(101, 10));
  EXPECT_FALSE(written.all(111, 1));
  EXPECT_TRUE(written.all(113, 38));
  written.copy(1, 0, 50);  // overlapping
  EXPECT_TRUE(written.all(0, 11));
  EXPECT_FALSE(written.all(11, 1));
}

}  // namespace
}  // namespace gridstride::sim
