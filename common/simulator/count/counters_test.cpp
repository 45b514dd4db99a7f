// Sums keep every field; figures are what their names say; hot addresses are found.
#include "common/simulator/count/counters.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <set>
#include <string>

#include "common/simulator/count/atomic_queues.h"

namespace gridstride::sim {
namespace {

double figure(const Counters& counters, const std::string& name) {
  for (const NamedCounter& counter : named_counters()) {
    if (counter.name == name) return counter.value(counters);
  }
  ADD_FAILURE() << "no counter named " << name;
  return -1;
}

TEST(Counters, AdditionLeavesNoFieldOut) {
  // Counters is nothing but 64-bit sums, so it can be filled and read as an array of them.
  constexpr std::size_t fields = sizeof(Counters) / sizeof(std::uint64_t);
  std::uint64_t values[fields];
  for (std::size_t i = 0; i < fields; ++i) values[i] = i + 1;
  Counters one;
  std::memcpy(static_cast<void*>(&one), values, sizeof one);
  Counters sum = one;
  sum += one;
  std::uint64_t sums[fields];
  std::memcpy(sums, &sum, sizeof sum);
  for (std::size_t i = 0; i < fields; ++i) EXPECT_EQ(sums[i], 2 * (i + 1)) << "field " << i;
}

TEST(Counters, NamesAreDistinctAndDescribed) {
  std::set<std::string> names;
  for (const NamedCounter& counter : named_counters()) {
    EXPECT_TRUE(names.insert(counter.name).second) << counter.name;
    EXPECT_GT(std::strlen(counter.description), 10u) << counter.name;
  }
}

TEST(Counters, FiguresOfACoalescedKernelWithConflicts) {
  Counters c;
  c.warp_instructions = 10;
  c.thread_instructions = 160;
  c.branches = 4;
  c.divergent_branches = 1;
  c.global_load_requests = 3;
  c.global_load_sectors = 12;
  c.global_store_requests = 1;
  c.global_store_sectors = 32;
  c.shared_load_requests = 2;
  c.shared_load_wavefronts = 9;
  c.shared_load_ideal = 2;
  c.dram_read_sectors = 2;
  c.dram_write_sectors = 1;
  EXPECT_EQ(figure(c, "active_lanes_per_instruction"), 16);
  EXPECT_EQ(figure(c, "branch_efficiency"), 0.75);
  EXPECT_EQ(figure(c, "sectors_per_request"), 11);
  EXPECT_EQ(figure(c, "load_sectors_per_request"), 4);
  EXPECT_EQ(figure(c, "store_sectors_per_request"), 32);
  EXPECT_EQ(figure(c, "global_sectors"), 44);
  EXPECT_EQ(figure(c, "bank_conflicts"), 7);
  EXPECT_EQ(figure(c, "shared_wavefronts"), 9);
  EXPECT_EQ(figure(c, "dram_bytes"), 96);
}

TEST(Counters, NothingDoneIsNoDivisionByZero) {
  for (const NamedCounter& counter : named_counters()) {
    const double value = counter.value(Counters{});
    EXPECT_EQ(value, std::string(counter.name).ends_with("efficiency") ? 1 : 0) << counter.name;
  }
}

TEST(AtomicQueues, TheLongestIsKnownAmongMany) {
  AtomicQueues queues;
  for (std::uint64_t i = 0; i < 1000; ++i) queues.add(0x7000'0000'0000 + i * 1024, 1, false);
  EXPECT_EQ(queues.longest().piece, 1u);
  queues.add(0x7000'0000'0000 + 77 * 1024, 320, true);
  EXPECT_EQ(queues.longest().float_sector, 321u);
  EXPECT_EQ(queues.longest().sector, 1u);
}

TEST(AtomicQueues, BlocksThatFollowOneAnotherAddUp) {
  constexpr std::uint64_t base = 0x7000'0000'0000;
  AtomicQueues queues;
  queues.add(base, 5, false);
  queues.add(base + 1024, 3, false);
  queues.next_blocks();
  queues.add(base, 1, false);
  queues.add(base + 1024, 4, false);
  EXPECT_EQ(queues.longest().sector, 9u);
  EXPECT_EQ(queues.longest().piece, 9u);
  EXPECT_EQ(queues.longest().all, 13u);
}

TEST(AtomicQueues, SectorsOfOnePieceWaitForOneAnother) {
  AtomicQueues queues;
  for (std::uint64_t i = 0; i < 8; ++i) queues.add(0x7000'0000'0000 + i * 32, 2, false);
  EXPECT_EQ(queues.longest().sector, 2u);
  EXPECT_EQ(queues.longest().piece, 16u);
  // The odd 256 bytes of a kilobyte are another unit's, the next even ones this one's.
  for (std::uint64_t i = 8; i < 16; ++i) queues.add(0x7000'0000'0000 + i * 32, 2, false);
  EXPECT_EQ(queues.longest().piece, 16u);
  for (std::uint64_t i = 16; i < 24; ++i) queues.add(0x7000'0000'0000 + i * 32, 2, false);
  EXPECT_EQ(queues.longest().piece, 32u);
}

TEST(AtomicQueues, LoadsThatMustSeeStoresQueueToo) {
  AtomicQueues queues;
  queues.add(0x7000'0000'0000, 5, false);
  for (int i = 0; i < 3; ++i) queues.add_load(0x7000'0000'0080);
  EXPECT_EQ(queues.longest().piece, 8u);
  EXPECT_EQ(queues.longest().sector, 5u);
}

}  // namespace
}  // namespace gridstride::sim
