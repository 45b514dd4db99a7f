// In which order blocks start, and what becomes of one that counts on it.
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "common/simulator/exec/test_grid.h"

namespace gridstride::sim {
namespace {

/// Each block waits for the one before it and then lets the next one go. `number` puts the block's
/// number into %r1.
std::string chain(const std::string& number) {
  return kernel_text(2, 0, "ld.param.u64 %rd1, [p0]; ld.param.u64 %rd2, [p1];" + number + R"(
    mul.wide.u32 %rd3, %r1, 4; add.s64 %rd3, %rd1, %rd3;
    setp.eq.u32 %p1, %r1, 0;
    @%p1 bra $go;
  $wait:
    ld.volatile.global.u32 %r2, [%rd3];
    setp.eq.u32 %p2, %r2, 0;
    @%p2 bra $wait;
  $go:
    st.volatile.global.u32 [%rd3+4], 1;
    ret;)");
}
const char* const by_index = "mov.u32 %r1, %ctaid.x;";
const char* const by_ticket = "atom.global.add.u32 %r1, [%rd2], 1;";

GridResult launch(const std::string& number, std::uint32_t blocks, std::uint64_t seed) {
  TestGrid gpu(chain(number));
  gpu.request.schedule_seed = seed;
  gpu.request.resident_blocks = 8;
  const std::vector<std::uint32_t> zeros(64);
  const DeviceAddress flags = gpu.upload(zeros), counter = gpu.upload(zeros);
  return gpu.launch({blocks}, {1}, flags, counter);
}

TEST(BlockOrder, TheFirstBlockIsTheFirstWithoutASchedule) {
  const GridResult result = launch(by_index, 20, 0);
  EXPECT_EQ(result.error, 0) << first_message(result);
}

TEST(BlockOrder, WhoWaitsForABlockThatHasNotStartedHangs) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const GridResult result = launch(by_index, 20, seed);
    EXPECT_EQ(result.error, 702);
    const std::string message = first_message(result);
    EXPECT_NE(message.find("The kernel hangs"), std::string::npos) << message;
    EXPECT_NE(message.find("12 of the 20 blocks have not started: 8 fit on the device at once"),
              std::string::npos)
        << message;
  }
}

/// As nvcc -G has it: each value goes through the thread's own local memory.
TEST(BlockOrder, WhatAThreadKeepsForItselfLetsNobodyGoOn) {
  TestGrid gpu(kernel_text(1, 0, R"(.local .align 4 .b8 own[4];
    ld.param.u64 %rd1, [p0];
    mov.u64 %rd2, own; cvta.local.u64 %rd2, %rd2;
  $wait:
    ld.volatile.global.u32 %r2, [%rd1];
    st.local.u32 [own], %r2;
    st.u32 [%rd2], %r2;
    setp.eq.u32 %p2, %r2, 0;
    @%p2 bra $wait;
    ret;)"));
  gpu.request.instruction_budget = 40'000'000;
  const GridResult result = gpu.launch({1}, {1}, gpu.upload(std::vector<std::uint32_t>(1)));
  EXPECT_EQ(result.error, 702);
  EXPECT_NE(first_message(result).find("The kernel hangs"), std::string::npos)
      << first_message(result);
}

TEST(BlockOrder, WithRoomForAllNobodyHangs) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const GridResult result = launch(by_index, 8, seed);
    EXPECT_EQ(result.error, 0) << first_message(result);
  }
}

/// The blocks that took an item each from a counter, in a loop.
std::set<std::uint32_t> blocks_at_work(std::uint64_t seed) {
  constexpr std::uint32_t items = 2000;
  TestGrid gpu(kernel_text(2, 0, R"(ld.param.u64 %rd1, [p0]; ld.param.u64 %rd2, [p1];
    mov.u32 %r1, %ctaid.x;
  $next:
    atom.global.add.u32 %r2, [%rd2], 1;
    setp.ge.u32 %p1, %r2, 2000;
    @%p1 bra $done;
    mul.wide.u32 %rd3, %r2, 4; add.s64 %rd3, %rd1, %rd3;
    st.global.u32 [%rd3], %r1;
    bra $next;
  $done:
    ret;)"));
  gpu.request.schedule_seed = seed;
  const DeviceAddress takers = gpu.upload(std::vector<std::uint32_t>(items));
  const GridResult result = gpu.launch({4}, {1}, takers, gpu.upload(std::vector<std::uint32_t>(1)));
  EXPECT_EQ(result.error, 0) << first_message(result);
  const auto who = gpu.download<std::uint32_t>(takers, items);
  return {who.begin(), who.end()};
}

TEST(BlockOrder, InAnotherOrderBlocksShareAQueueOfWork) {
  EXPECT_EQ(blocks_at_work(0).size(), 1u);
  int shared = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) shared += blocks_at_work(seed).size() > 1;
  EXPECT_GE(shared, 8);
}

/// The longest queue where eight blocks meet at one place, the eight after them at another, and `use`
/// is done with what they found, %r2.
std::uint64_t longest_queue(std::uint32_t resident, const std::string& use) {
  TestGrid gpu(kernel_text(1, 0,
                           R"(ld.param.u64 %rd1, [p0];
    mov.u32 %r1, %ctaid.x; shr.u32 %r1, %r1, 3; mul.wide.u32 %rd2, %r1, 1024;
    add.s64 %rd1, %rd1, %rd2;
    atom.global.add.u32 %r2, [%rd1], 1;)" +
                               use + "ret;"));
  gpu.request.resident_blocks = resident;
  const DeviceAddress places = gpu.upload(std::vector<std::uint32_t>(512));
  const GridResult result = gpu.launch({16}, {1}, places);
  EXPECT_EQ(result.error, 0) << first_message(result);
  return result.atomic_queues.sector;
}

TEST(BlockOrder, AtomicsWaitForThoseOfBlocksThatRunAtTheSameTime) {
  const std::string use = "add.u32 %r3, %r2, 1;";
  EXPECT_EQ(longest_queue(8, use), 16u);
  EXPECT_EQ(longest_queue(16, use), 8u);
}

TEST(BlockOrder, AtomicsWhoseResultsNobodyUsesQueueWithThoseOfTheNextBlocks) {
  EXPECT_EQ(longest_queue(4, ""), 16u);
  EXPECT_EQ(longest_queue(8, ""), 8u);
}

/// Of 16 blocks on four multiprocessors, one at a time on each. `length`: sets %r2, the rounds of a loop,
/// from %r1, the block's number.
GridResult of_loops(const std::string& length) {
  TestGrid gpu(kernel_text(1, 0, "mov.u32 %r1, %ctaid.x;" + length + R"(
  $again:
    add.u32 %r2, %r2, -1;
    setp.ne.u32 %p1, %r2, 0;
    @%p1 bra $again;
    ret;)"));
  gpu.request.resident_blocks = gpu.request.multiprocessors = 4;
  return gpu.launch({16}, {32}, gpu.upload(std::vector<std::uint32_t>(1)));
}

TEST(BlockOrder, BlocksThatAreAlikeAreNoImbalance) {
  const GridResult result = of_loops("mov.u32 %r2, 1000;");
  EXPECT_EQ(result.error, 0) << first_message(result);
  EXPECT_EQ(result.imbalance, 1);
  EXPECT_EQ(result.latency_spread, 1);
}

TEST(BlockOrder, ALongBlockKeepsAMultiprocessorBusyLonger) {
  // The fourth from the end takes eleven times as long: 3 and 11 of 26 at one of four.
  const GridResult result = of_loops("setp.eq.u32 %p1, %r1, 12; selp.u32 %r2, 11000, 1000, %p1;");
  EXPECT_EQ(result.error, 0) << first_message(result);
  EXPECT_NEAR(result.imbalance, 14 / 6.5, 0.1);
  EXPECT_NEAR(result.latency_spread, 14 / 4.0, 0.2);
}

TEST(BlockOrder, AQueueThatOneBlockEmptiesIsSharedByAllThatAreResident) {
  TestGrid gpu(kernel_text(1, 0, R"(ld.param.u64 %rd1, [p0];
  $again:
    atom.global.add.u32 %r1, [%rd1], 1;
    setp.ge.u32 %p1, %r1, 4000;
    @%p1 ret;
    bra.uni $again;)"));
  gpu.request.resident_blocks = gpu.request.multiprocessors = 4;
  const GridResult result = gpu.launch({16}, {1}, gpu.upload(std::vector<std::uint32_t>(1)));
  EXPECT_EQ(result.error, 0) << first_message(result);
  EXPECT_EQ(result.imbalance, 1);
  // The latency is the mean of four blocks, of which three find nothing; a quarter of all in each of 4 places,
  // and then three rounds of nothing.
  EXPECT_NEAR(result.latency_spread, 1.0 / 4, 0.01);
}

TEST(BlockOrder, ATicketIsRightInAnyOrder) {
  for (const std::uint64_t seed : {0u, 1u, 2u, 3u}) {
    const GridResult result = launch(by_ticket, 20, seed);
    EXPECT_EQ(result.error, 0) << first_message(result);
    EXPECT_TRUE(result.findings.empty()) << first_message(result);
  }
}

}  // namespace
}  // namespace gridstride::sim
