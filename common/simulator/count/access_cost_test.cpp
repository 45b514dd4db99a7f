// Sectors and wavefronts on patterns worked out by hand; the measured ones are run end to end in
// exec/golden_test.cpp.
#include "common/simulator/count/access_cost.h"

#include <gtest/gtest.h>

namespace gridstride::sim {
namespace {

constexpr std::uint32_t all = 0xffffffffu;

std::array<std::uint64_t, 32> addresses(std::uint64_t first, std::uint64_t stride) {
  std::array<std::uint64_t, 32> result;
  for (std::uint64_t lane = 0; lane < 32; ++lane) result[lane] = first + lane * stride;
  return result;
}

std::array<std::uint32_t, 32> offsets(std::uint32_t stride) {
  std::array<std::uint32_t, 32> result;
  for (std::uint32_t lane = 0; lane < 32; ++lane) result[lane] = lane * stride;
  return result;
}

TEST(Sectors, ConsecutiveAlignedWordsTakeFour) {
  const auto touches = touched_lines(addresses(1 << 20, 4).data(), all);
  EXPECT_EQ(touches.count, 1u);
  EXPECT_EQ(touches.sectors(), 4u);
  EXPECT_EQ(ideal_sectors(all, 4), 4u);
}

TEST(Sectors, MisalignedTakesOneMoreAndStrideOneEach) {
  EXPECT_EQ(touched_lines(addresses((1 << 20) + 4, 4).data(), all).sectors(), 5u);
  EXPECT_EQ(touched_lines(addresses(1 << 20, 32).data(), all).sectors(), 32u);
  EXPECT_EQ(touched_lines(addresses(1 << 20, 0).data(), all).sectors(), 1u);
}

TEST(Sectors, OnlyActiveLanesCount) {
  const auto touches = touched_lines(addresses(1 << 20, 128).data(), 0x5u);
  EXPECT_EQ(touches.count, 2u);
  EXPECT_EQ(touches.lines[1].line, (1 << 20) / 128 + 2u);
  EXPECT_EQ(ideal_sectors(0x5u, 4), 1u);
}

TEST(Wavefronts, StrideConflictsByTheGreatestCommonDivisor) {
  for (std::uint32_t stride = 0; stride <= 40; ++stride) {
    const auto at = offsets(stride * 4);
    for (const std::uint32_t lanes : {1u, 5u, 16u, 32u}) {
      const std::uint32_t mask = lanes == 32 ? all : (1u << lanes) - 1;
      const SharedCost general = shared_access_cost(at.data(), mask, 4);
      const SharedCost direct = shared_stride_cost(lanes, static_cast<std::int32_t>(stride) * 4);
      EXPECT_EQ(general.wavefronts, direct.wavefronts) << stride << " words, lanes " << lanes;
      EXPECT_EQ(direct.ideal, 1u);
    }
  }
}

TEST(Wavefronts, WideAccessesAreServedInGroups) {
  const SharedCost eight = shared_access_cost(offsets(8).data(), all, 8);
  EXPECT_EQ(eight.wavefronts, 2u);
  EXPECT_EQ(eight.ideal, 2u);
  const SharedCost sixteen = shared_access_cost(offsets(16).data(), all, 16);
  EXPECT_EQ(sixteen.wavefronts, 4u);
  EXPECT_EQ(shared_access_cost(offsets(0).data(), all, 16).wavefronts, 1u * 2);
}

TEST(Wavefronts, AtomicsOnOneAddressAreServedOneByOneUnlessTheyCount) {
  EXPECT_EQ(shared_atomic_cost(offsets(0).data(), all, false).wavefronts, 32u);
  EXPECT_EQ(shared_atomic_cost(offsets(0).data(), all, true).wavefronts, 1u);
  EXPECT_EQ(shared_atomic_cost(offsets(4).data(), all, false).wavefronts, 1u);
}

TEST(GlobalAtomics, ASectorCostsItsBusiestAddress) {
  const AtomicCost same = global_atomic_cost(addresses(4096, 0).data(), all);
  EXPECT_EQ(same.sectors, 32u);
  EXPECT_EQ(same.serial, 32u);
  const AtomicCost spread = global_atomic_cost(addresses(4096, 4).data(), all);
  EXPECT_EQ(spread.sectors, 4u);
  EXPECT_EQ(spread.serial, 1u);
}

}  // namespace
}  // namespace gridstride::sim
