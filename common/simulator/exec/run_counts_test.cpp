// Instructions that a warp does in a row are counted as one run: every one of them must come out as if
// it had been counted by itself, which the blocks with a scoreboard do.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "common/simulator/exec/test_grid.h"

namespace gridstride::sim {
namespace {

/// A loop, branches of some lanes, one of them within another, and a guard, in warps of 32 and of 18 lanes.
constexpr char branches[] = R"(
    mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 7; mov.u32 %r3, 0;
LOOP:
    add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, %r2; mul.lo.u32 %r4, %r3, 3;
    @%p1 bra LOOP;
    setp.lt.u32 %p2, %r1, 5; add.u32 %r5, %r4, 1;
    @%p2 bra SOME;
    add.u32 %r5, %r5, 2; setp.lt.u32 %p3, %r1, 20; xor.b32 %r6, %r5, 1;
    @%p3 bra INNER;
    add.u32 %r6, %r6, 4; add.u32 %r6, %r6, 5;
INNER:
    add.u32 %r6, %r6, %r5;
SOME:
    @%p2 add.u32 %r6, %r5, 8; add.u32 %r6, %r6, 1; bar.sync 0; add.u32 %r6, %r6, 2;
    ret;)";

TEST(RunCounts, AreThoseOfBlocksWithAScoreboard) {
  TestGrid gpu(kernel_text(0, 0, branches));
  const Counters four = gpu.launch({4}, {50}).counters;  // each of them has one
  const Counters many = gpu.launch({400}, {50}).counters;
  EXPECT_GT(four.divergent_branches, 0u);
  EXPECT_EQ(many.warp_instructions, 100 * four.warp_instructions);
  EXPECT_EQ(many.thread_instructions, 100 * four.thread_instructions);
  EXPECT_EQ(many.divergent_branches, 100 * four.divergent_branches);
  EXPECT_EQ(many.integer_instructions, 100 * four.integer_instructions);
}

TEST(RunCounts, EndWithTheAccessThatEndsTheGrid) {
  TestGrid gpu(kernel_text(1, 0, R"(
    ld.param.u64 %rd1, [p0]; mov.u32 %r1, %ctaid.x; mul.wide.u32 %rd2, %r1, 1048576;
    add.s64 %rd3, %rd1, %rd2; ld.global.u32 %r2, [%rd3]; add.u32 %r2, %r2, 1; add.u32 %r2, %r2, 2;
    ret;)"));
  const DeviceAddress word = gpu.upload(std::vector<std::uint32_t>(1, 0));
  // Block 0 has a scoreboard and does all 8; block 1 has none and is stopped at the fifth.
  const GridResult result = gpu.launch({8}, {32}, word);
  EXPECT_NE(result.error, 0);
  EXPECT_EQ(result.counters.warp_instructions, 8u + 5u);
  EXPECT_EQ(result.counters.thread_instructions, (8u + 5u) * 32);
}

TEST(RunCounts, ADivisionThatRoundsCorrectlyAsksTheSpecialUnitsTwice) {
  const auto counted = [](const std::string& what) {
    TestGrid gpu(kernel_text(1, 0, what + ".f32 %f1, %f2, %f3; ret;"));
    return gpu.launch({1}, {32}, DeviceAddress{0}).counters;
  };
  EXPECT_EQ(counted("div.rn").special_slots, 2u);
  EXPECT_EQ(counted("div.full").special_slots, 1u);
  // A lab may bound how many there are; it is still one.
  EXPECT_EQ(counted("div.rn").special_instructions, 1u);
}

}  // namespace
}  // namespace gridstride::sim
