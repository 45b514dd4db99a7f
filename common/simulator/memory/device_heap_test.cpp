// The heap of kernels: its limit, what it refuses, how late it gives addresses out again.
#include "common/simulator/memory/device_heap.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace gridstride::sim {
namespace {

TEST(DeviceHeap, GivesWhatItsLimitAllows) {
  GlobalMemory memory(1 << 20);
  DeviceHeap heap(memory);
  heap.set_limit(1000);
  const DeviceAddress block = heap.allocate(900);
  EXPECT_NE(block, 0u);
  EXPECT_EQ(heap.allocate(100), 0u);
  EXPECT_TRUE(heap.release(block));
  EXPECT_NE(heap.allocate(100), 0u);
  EXPECT_EQ(heap.used(), 112u);
}

TEST(DeviceHeap, NothingAndTooMuchIsNull) {
  GlobalMemory memory(1 << 20);
  DeviceHeap heap(memory);
  EXPECT_EQ(heap.allocate(0), 0u);
  EXPECT_EQ(heap.allocate(~std::uint64_t{0}), 0u);
}

TEST(DeviceHeap, ReleasesOnlyItsOwnBlocksAndOnce) {
  GlobalMemory memory(1 << 20);
  DeviceHeap heap(memory);
  const DeviceAddress of_the_host = memory.allocate(64), block = heap.allocate(64);
  EXPECT_FALSE(heap.release(of_the_host));
  EXPECT_FALSE(memory.release(block));  // cudaFree
  EXPECT_FALSE(heap.release(block + 16));
  EXPECT_TRUE(heap.release(block));
  EXPECT_FALSE(heap.release(block));
  EXPECT_TRUE(memory.release(of_the_host));
}

TEST(DeviceHeap, FreedAddressesComeBackLateAndInBoundedNumber) {
  GlobalMemory memory(1 << 20);  // 8 MiB of addresses: 8192 blocks
  DeviceHeap heap(memory);
  const DeviceAddress first = heap.allocate(100);
  EXPECT_TRUE(heap.release(first));
  EXPECT_NE(heap.allocate(100), first);
  for (int i = 0; i < 100'000; ++i) {
    const DeviceAddress block = heap.allocate(100);
    ASSERT_NE(block, 0u) << i;
    ASSERT_TRUE(heap.release(block));
  }
}

}  // namespace
}  // namespace gridstride::sim
