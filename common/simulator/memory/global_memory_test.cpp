// The registry of allocations: what is found, what is not, what is remembered after a release.
#include "common/simulator/memory/global_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace gridstride::sim {
namespace {

TEST(GlobalMemory, AddressesAreAlignedAndOnePastTheEndIsNobodys) {
  GlobalMemory memory(1 << 20);
  const DeviceAddress a = memory.allocate(512), b = memory.allocate(1);
  EXPECT_EQ(a % 512, 0u);
  EXPECT_EQ(b % 512, 0u);
  EXPECT_TRUE(memory.contains(a, 512));
  EXPECT_FALSE(memory.contains(a, 513));
  EXPECT_FALSE(memory.contains(a + 511, 2));
  EXPECT_EQ(memory.find(a + 512), nullptr);
  EXPECT_EQ(memory.find(a - 1), nullptr);
  EXPECT_EQ(memory.find(b)->serial, 2u);
}

TEST(GlobalMemory, CapacityIsWhatIsLive) {
  GlobalMemory memory(4096);
  const DeviceAddress a = memory.allocate(3000);
  EXPECT_EQ(memory.allocate(2000), 0u);
  EXPECT_EQ(memory.allocate(~std::uint64_t{0}), 0u);
  EXPECT_EQ(memory.used(), 3000u);
  EXPECT_TRUE(memory.release(a));
  EXPECT_EQ(memory.used(), 0u);
  EXPECT_NE(memory.allocate(4096), 0u);
}

TEST(GlobalMemory, SharedAllocationsHavePagesOfTheirOwn) {
  using Origin = Allocation::Origin;
  GlobalMemory memory(1 << 16);
  const DeviceAddress before = memory.allocate(100);
  const DeviceAddress managed = memory.allocate_pages(100, Origin::managed);
  const DeviceAddress after = memory.allocate(100);
  EXPECT_EQ(managed % 4096, 0u);
  EXPECT_GT(managed, before + 4096 - 1);
  EXPECT_GE(after, managed + 4096);
  EXPECT_FALSE(memory.contains(managed, 101));
  EXPECT_FALSE(memory.release(managed));
  EXPECT_TRUE(memory.release(managed, Origin::managed));
  EXPECT_EQ(memory.nearest(managed)->serial, 1u);
}

TEST(GlobalMemory, PinnedMemoryUsesNothingUpButHasItsOwnLimit) {
  using Origin = Allocation::Origin;
  GlobalMemory memory(1 << 16);
  EXPECT_NE(memory.allocate_pages(1 << 16, Origin::pinned), 0u);
  EXPECT_EQ(memory.used(), 0u);
  EXPECT_EQ(memory.allocate_pages(1, Origin::pinned), 0u);
  EXPECT_NE(memory.allocate(1 << 16), 0u);
}

TEST(GlobalMemory, ReleasedPagesAreHandedOutAgainAsPages) {
  using Origin = Allocation::Origin;
  GlobalMemory memory(1 << 16);
  for (int i = 0; i < 100; ++i) {
    const DeviceAddress small = memory.allocate(3000);
    const DeviceAddress pages = memory.allocate_pages(9000, Origin::managed);
    ASSERT_NE(small, 0u);
    ASSERT_NE(pages, 0u);
    ASSERT_EQ(pages % 4096, 0u);
    ASSERT_TRUE(small + 3000 <= pages || pages + 3 * 4096 <= small);
    ASSERT_TRUE(memory.release(small));
    ASSERT_TRUE(memory.release(pages, Origin::managed));
  }
}

TEST(GlobalMemory, PlacesAllocationsAsAnH200Does) {
  GlobalMemory memory(64 << 20);
  const DeviceAddress large = memory.allocate(3 << 20);
  const DeviceAddress a = memory.allocate(8), b = memory.allocate(8);
  const DeviceAddress other = memory.allocate(1 << 20);
  EXPECT_EQ(large % (2 << 20), 0u);
  EXPECT_EQ(a % (2 << 20), 0u);
  EXPECT_EQ(b, a + 512);
  EXPECT_EQ(other % (2 << 20), 0u);
}

TEST(GlobalMemory, ReleaseOnlyTakesTheStartOfALiveAllocation) {
  GlobalMemory memory(1 << 20);
  const DeviceAddress a = memory.allocate(1024);
  const DeviceAddress variable = memory.allocate(4, "counter");
  EXPECT_FALSE(memory.release(a + 4));
  EXPECT_FALSE(memory.release(variable));
  EXPECT_TRUE(memory.release(a));
  EXPECT_FALSE(memory.release(a));
}

TEST(GlobalMemory, AReleasedAllocationIsRememberedAndItsContentsAreNot) {
  GlobalMemory memory(1 << 20);
  const DeviceAddress a = memory.allocate(64 << 10);
  std::fill_n(memory.host(a), 64 << 10, std::byte{7});
  ASSERT_TRUE(memory.release(a));
  EXPECT_EQ(memory.find(a + 8), nullptr);
  ASSERT_NE(memory.nearest(a + 8), nullptr);
  EXPECT_FALSE(memory.nearest(a + 8)->live);
  for (int i = 0; i < 64 << 10; ++i) ASSERT_EQ(memory.host(a)[i], std::byte{0}) << i;
}

TEST(GlobalMemory, NearestTakesTheCloserSide) {
  GlobalMemory memory(1 << 20);
  EXPECT_EQ(memory.nearest(GlobalMemory::base), nullptr);
  const DeviceAddress a = memory.allocate(512), b = memory.allocate(512);
  EXPECT_EQ(memory.nearest(a + 600)->begin, a);
  EXPECT_EQ(memory.nearest(b - 4)->begin, b);
  EXPECT_EQ(memory.nearest(0)->begin, a);
  EXPECT_EQ(memory.nearest(b + 100000)->begin, b);
}

TEST(GlobalMemory, AddressesComeBackOnlyWhenTheRangeIsUsedUp) {
  GlobalMemory memory(64 << 10);
  const DeviceAddress first = memory.allocate(32 << 10);
  ASSERT_TRUE(memory.release(first));
  int until_reuse = 0;
  for (DeviceAddress a = 0; a != first; ++until_reuse) {
    ASSERT_LT(until_reuse, 1000);
    a = memory.allocate(32 << 10);
    ASSERT_NE(a, 0u);
    if (a != first) memory.release(a);
  }
  EXPECT_GE(until_reuse, 15);
}

TEST(GlobalMemory, ADeviceAddressFaultsOnTheHost) {
  GlobalMemory memory(1 << 20);
  const DeviceAddress a = memory.allocate(4);
  EXPECT_DEATH(*reinterpret_cast<volatile int*>(a) = 1, "");
}

TEST(GlobalMemory, KnowsWhatWasNeverReleased) {
  GlobalMemory memory(1 << 20);
  memory.allocate(64, "variable");
  const DeviceAddress first = memory.allocate(100);
  memory.allocate(200);
  memory.release(first);
  const auto left = memory.unreleased();
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].size, 200u);
  EXPECT_EQ(left[0].serial, 2u);
}

TEST(GlobalMemory, ANewAllocationHoldsNothingAndAVariableZeros) {
  GlobalMemory memory(1 << 20);
  const DeviceAddress variable = memory.allocate(64, "variable"), plain = memory.allocate(64);
  EXPECT_TRUE(memory.initialised().all(variable - GlobalMemory::base, 64));
  EXPECT_FALSE(memory.initialised().all(plain - GlobalMemory::base, 1));
}

}  // namespace
}  // namespace gridstride::sim
