// Where texels lie.
#include "common/simulator/texture/array_layout.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <vector>

#include "common/simulator/texture/region_parts.h"

namespace gridstride::sim {
namespace {

TEST(ArrayLayout, GivesEachByteAPlaceOfItsOwn) {
  const ArrayLayout layout(100, 13, 3, false);
  std::set<std::uint64_t> places;
  for (unsigned z = 0; z < 3; ++z) {
    for (unsigned y = 0; y < 13; ++y) {
      for (unsigned x = 0; x < 100; ++x) {
        const std::uint64_t at = layout.offset(x, y, z);
        EXPECT_LT(at, layout.bytes());
        const ArrayLayout::Spot spot = layout.spot_at(at);
        EXPECT_TRUE(spot.x == x && spot.y == y && spot.z == z) << x << ' ' << y << ' ' << z;
        places.insert(at);
      }
    }
  }
  EXPECT_EQ(places.size(), 3u * 13 * 100);
}

TEST(ArrayLayout, ASectorHoldsSixteenBytesOfTwoRows) {
  const ArrayLayout layout(256, 64, 1, false);
  std::set<std::uint64_t> sectors;
  for (unsigned y = 6; y < 8; ++y) {
    for (unsigned x = 80; x < 96; ++x) sectors.insert(layout.offset(x, y, 0) / 32);
  }
  EXPECT_EQ(sectors.size(), 1u);
}

TEST(ArrayLayout, ASquareOfWordsTouchesAsFewSectorsAsARow) {
  const ArrayLayout layout(4096, 64, 1, false);
  std::set<std::uint64_t> square, row;
  for (unsigned i = 0; i < 32; ++i) {
    square.insert(layout.offset(i % 8 * 4, i / 8, 0) / 32);  // 8 x 4 words
    row.insert(layout.offset(i * 4, 0, 0) / 32);
  }
  EXPECT_EQ(square.size(), 4u);
  EXPECT_EQ(row.size(), 8u);
}

TEST(ArrayLayout, OneDimensionalArraysArePlain) {
  const ArrayLayout layout(100, 1, 2, true);
  EXPECT_EQ(layout.offset(99, 0, 0), 99u);
  EXPECT_EQ(layout.offset(3, 0, 1), 128u + 3);
}

TEST(RegionParts, AreDenseAndComplete) {
  for (const std::uint64_t most : {1u, 7u, 10u, 25u, 60u, 1000u}) {
    const RegionSize region{10, 3, 4};
    std::vector<int> seen(120);
    for_each_part(region, most, [&](const RegionPart& part) {
      EXPECT_LE(part.bytes(), most);
      std::uint64_t at = part.at;
      for (std::uint64_t z = 0; z < part.size.depth; ++z) {
        for (std::uint64_t y = 0; y < part.size.height; ++y) {
          for (std::uint64_t x = 0; x < part.size.width; ++x, ++at) {
            EXPECT_EQ(at, ((part.z + z) * 3 + part.y + y) * 10 + part.x + x);
            ++seen.at(at);
          }
        }
      }
    });
    EXPECT_EQ(seen, std::vector<int>(120, 1)) << most;
  }
}

}  // namespace
}  // namespace gridstride::sim
