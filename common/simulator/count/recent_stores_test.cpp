// Which stores go on in a sector of the same block.
#include "common/simulator/count/recent_stores.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace gridstride::sim {
namespace {

TEST(RecentStores, TheSecondStoreToASectorIsOneAgain) {
  RecentStores stores;
  EXPECT_FALSE(stores.add(1000));
  EXPECT_TRUE(stores.add(1000));
  EXPECT_FALSE(stores.add(1001));
  EXPECT_TRUE(stores.add(1000));
}

TEST(RecentStores, AWarpGoesOnWhereItHasJustStored) {
  RecentStores stores;
  EXPECT_FALSE(stores.goes_on(0, 1000, 4));
  EXPECT_TRUE(stores.goes_on(0, 1000, 4));
  EXPECT_FALSE(stores.goes_on(0, 1004, 4));
  EXPECT_FALSE(stores.goes_on(1, 1004, 4));
  EXPECT_FALSE(stores.goes_on(1, 1004, 3));
  EXPECT_FALSE(stores.goes_on(1, 1004, 8));
  EXPECT_FALSE(stores.goes_on(1, 1004, 8));  // too many
}

TEST(RecentStores, HoldsHundredsOfRowsAndNotAllOfALargeArray) {
  RecentStores stores;
  for (std::uint64_t row = 0; row < 256; ++row) stores.add(1'000'000 + row * 8192);
  int again = 0;
  for (std::uint64_t row = 0; row < 256; ++row) again += stores.add(1'000'000 + row * 8192);
  EXPECT_GT(again, 170);  // four fifths have a place of their own
  for (std::uint64_t sector = 0; sector < 100'000; ++sector) stores.add(sector);
  again = 0;
  for (std::uint64_t sector = 0; sector < 50'000; ++sector) again += stores.add(sector);
  EXPECT_EQ(again, 0);
}

}  // namespace
}  // namespace gridstride::sim
