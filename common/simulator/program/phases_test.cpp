// Where a kernel's phases begin and end, on kernels that run.
#include "common/simulator/program/phases.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "common/simulator/exec/test_grid.h"

namespace gridstride::sim {
namespace {

constexpr std::uint32_t warps = 4;

/// The phases of `body` when 2 blocks of 4 warps run it.
std::vector<Phase> phases(const std::string& body, const std::string& module_part = "") {
  TestGrid gpu(kernel_text(1, 0, "ld.param.u64 %rd1, [p0]; mov.u32 %r1, %tid.x;\n" + body + " ret;",
                           module_part));
  const GridResult result =
      gpu.launch({2}, {32 * warps}, gpu.upload(std::vector<std::uint32_t>(4096, 1)));
  EXPECT_EQ(result.error, 0) << first_message(result);
  Counters sum;
  for (const Phase& phase : result.phases) sum += phase.counters;
  EXPECT_EQ(sum.warp_instructions, result.counters.warp_instructions);
  EXPECT_EQ(sum.global_load_sectors, result.counters.global_load_sectors);
  return result.phases;
}

TEST(Phases, ABarrierEndsOne) {
  const std::vector<Phase> found = phases(R"(
    .shared .align 4 .b8 tile[512];
    shl.b32 %r2, %r1, 2; mov.u32 %r3, tile; add.s32 %r3, %r3, %r2;
    st.shared.u32 [%r3], %r1;
    bar.sync 0;
    xor.b32 %r3, %r3, 4;
    ld.shared.u32 %r4, [%r3];)");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_FALSE(found[0].behind_barrier);
  EXPECT_TRUE(found[1].behind_barrier);
  EXPECT_EQ(found[0].counters.shared_store_requests, 2 * warps);
  EXPECT_EQ(found[0].counters.shared_load_requests, 0u);
  EXPECT_EQ(found[1].counters.shared_load_requests, 2 * warps);
}

TEST(Phases, WhatNeedsALoadComesInTheNext) {
  const std::vector<Phase> found = phases(R"(
    mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd1, %rd2;
    ld.global.u32 %r2, [%rd2];
    ld.global.u32 %r3, [%rd2+1024];
    red.global.add.u32 [%rd1], %r2;)");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_FALSE(found[1].behind_barrier);
  EXPECT_EQ(found[0].counters.global_load_requests, 4 * warps);
  EXPECT_EQ(found[0].counters.global_atomic_requests, 0u);
  EXPECT_EQ(found[1].counters.global_atomic_requests, 2 * warps);
}

TEST(Phases, ALoopIsOneWhateverStandsInIt) {
  const std::vector<Phase> found = phases(R"(
    mov.u32 %r2, 0; mov.u32 %r5, 0;
  $again:
    mul.wide.u32 %rd2, %r2, 4; add.s64 %rd2, %rd1, %rd2;
    ld.global.u32 %r3, [%rd2];
    add.u32 %r5, %r5, %r3;
    bar.sync 0;
    mov.u32 %r4, 0;
  $inner:
    add.u32 %r4, %r4, 1;
    setp.lt.u32 %p1, %r4, 3;
    @%p1 bra $inner;
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p2, %r2, 5;
    @%p2 bra $again;
    red.global.add.u32 [%rd1+4096], %r5;)");
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[1].counters.global_load_requests, 5 * 2 * warps);
  EXPECT_EQ(found[1].counters.barriers, 5 * 2 * warps);
  EXPECT_FALSE(found[2].behind_barrier);
  EXPECT_EQ(found[2].counters.global_atomic_requests, 2 * warps);
}

TEST(Phases, EachBarrierCounts) {
  const std::vector<Phase> found = phases(R"(
    bar.sync 0;
    bar.sync 0;
    mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd1, %rd2;
    ld.global.u32 %r2, [%rd2];)");
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[1].counters.warp_instructions, 2 * warps);  // the second barrier itself
  EXPECT_TRUE(found[1].behind_barrier);
  EXPECT_TRUE(found[2].behind_barrier);
}

TEST(Phases, AKernelThatCallsIsOne) {
  const std::vector<Phase> found = phases("call.uni twice, (); bar.sync 0; call.uni twice, ();",
                                          ".func twice() { bar.sync 0; ret; }\n");
  EXPECT_EQ(found.size(), 1u);
}

}  // namespace
}  // namespace gridstride::sim
