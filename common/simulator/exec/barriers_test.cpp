// Block barriers: who waits, who is let go, and when a barrier is a mistake.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/simulator/exec/test_grid.h"

namespace gridstride::sim {
namespace {

using Values = std::vector<std::uint32_t>;

const char* const setup = R"(
  .shared .align 4 .b8 box[1024];
  ld.param.u64 %rd1, [p0]; mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2;
  mov.u32 %r2, box; shl.b32 %r3, %r1, 2; add.u32 %r4, %r2, %r3;
)";
const char* const files = ".file 1 \"kernel.cu\"\n";

TEST(Barrier, AllWarpsSeeWhatAllWrote) {
  // Reverses 256 numbers.
  TestGrid gpu(kernel_text(1, 0, std::string(setup) + R"(
    st.shared.u32 [%r4], %r1;
    bar.sync 0;
    sub.u32 %r5, 255, %r1; shl.b32 %r5, %r5, 2; add.u32 %r5, %r2, %r5;
    ld.shared.u32 %r6, [%r5];
    st.global.u32 [%rd1], %r6;
    ret;)"));
  const DeviceAddress out = gpu.memory.allocate(1024);
  for (const std::uint64_t seed : {0u, 1u, 2u, 3u}) {
    gpu.request.schedule_seed = seed;
    const GridResult result = gpu.launch({1}, {256}, out);
    EXPECT_TRUE(result.findings.empty()) << first_message(result);
    const auto v = gpu.download<std::uint32_t>(out, 256);
    for (std::uint32_t t = 0; t < 256; ++t) ASSERT_EQ(v[t], 255 - t);
    EXPECT_EQ(result.counters.barriers, 8u);
  }
}

TEST(Barrier, ThreadsThatHaveEndedAreNotWaitedFor) {
  TestGrid gpu(kernel_text(1, 0, std::string(setup) + R"(
    setp.ge.u32 %p1, %r1, 40;
    @%p1 exit;
    st.shared.u32 [%r4], %r1;
    bar.sync 0;
    ld.shared.u32 %r6, [%r2+156];
    st.global.u32 [%rd1], %r6;
    ret;)"));
  const DeviceAddress out = gpu.upload(Values(128, 0));
  const GridResult result = gpu.launch({1}, {128}, out);
  EXPECT_EQ(result.error, 0) << first_message(result);
  EXPECT_EQ(gpu.download<std::uint32_t>(out, 40)[7], 39u);
}

TEST(Barrier, ReductionsCountAllThreads) {
  TestGrid gpu(kernel_text(1, 0, std::string(setup) + R"(
    setp.lt.u32 %p1, %r1, 70;
    bar.red.popc.u32 %r5, 0, %p1;
    bar.red.and.pred %p2, 0, %p1; selp.u32 %r6, 1000, 0, %p2; add.u32 %r5, %r5, %r6;
    bar.red.or.pred %p3, 0, !%p1; selp.u32 %r6, 2000, 0, %p3; add.u32 %r5, %r5, %r6;
    st.global.u32 [%rd1], %r5;
    ret;)"));
  const DeviceAddress out = gpu.memory.allocate(512);
  gpu.launch({1}, {128}, out);
  EXPECT_EQ(gpu.download<std::uint32_t>(out, 128)[100], 2070u);
  gpu.launch({1}, {64}, out);
  EXPECT_EQ(gpu.download<std::uint32_t>(out, 64)[3], 1064u);
}

TEST(Barrier, NamedBarriersJoinSomeWarps) {
  // Warps 0 and 1 meet at barrier 1, warps 2 and 3 at barrier 2.
  TestGrid gpu(kernel_text(1, 0, std::string(setup) + R"(
    st.shared.u32 [%r4], %r1;
    shr.u32 %r5, %r1, 6; add.u32 %r6, %r5, 1;
    bar.sync %r6, 64;
    xor.b32 %r7, %r1, 32; shl.b32 %r7, %r7, 2; add.u32 %r7, %r2, %r7;
    ld.shared.u32 %r8, [%r7];
    st.global.u32 [%rd1], %r8;
    ret;)"));
  const DeviceAddress out = gpu.memory.allocate(512);
  const GridResult result = gpu.launch({1}, {128}, out);
  EXPECT_TRUE(result.findings.empty()) << first_message(result);
  const auto v = gpu.download<std::uint32_t>(out, 128);
  for (std::uint32_t t = 0; t < 128; ++t) EXPECT_EQ(v[t], t ^ 32);
}

TEST(Barrier, AProducerArrivesAndGoesOn) {
  TestGrid gpu(kernel_text(1, 0, std::string(setup) + R"(
    setp.ge.u32 %p1, %r1, 32;
    @%p1 bra $consumer;
    st.shared.u32 [%r4], %r1;
    bar.arrive 1, 64;
    ret;
  $consumer:
    bar.sync 1, 64;
    ld.shared.u32 %r5, [%r4+-128];
    st.global.u32 [%rd1], %r5;
    ret;)"));
  const DeviceAddress out = gpu.memory.allocate(256);
  for (const std::uint64_t seed : {0u, 1u, 2u, 3u, 4u}) {
    gpu.request.schedule_seed = seed;
    const GridResult result = gpu.launch({1}, {64}, out);
    EXPECT_EQ(result.error, 0) << first_message(result);
    EXPECT_TRUE(result.findings.empty()) << first_message(result);
    EXPECT_EQ(gpu.download<std::uint32_t>(out, 64)[40], 8u);
  }
}

TEST(BarrierDivergence, HalfAWarpAtABarrierTheOtherHalfNeverReachesIt) {
  // The other half waits for the first at a barrier of its own.
  TestGrid gpu(kernel_text(1, 0, std::string(setup) + R"(
    setp.lt.u32 %p1, %r1, 16;
    @!%p1 bra $other;
    .loc 1 10 1
    bar.sync 0;
    bra.uni $end;
  $other:
    .loc 1 20 1
    bar.sync 1;
  $end:
    ret;)",
                           files));
  const GridResult result = gpu.launch({1}, {32}, gpu.memory.allocate(128));
  EXPECT_EQ(result.error, 719);
  ASSERT_EQ(result.findings.size(), 1u);
  const Finding& finding = result.findings[0];
  EXPECT_EQ(finding.kind, FindingKind::barrier_divergence);
  EXPECT_EQ(lines_of(finding), std::pair(10u, 20u));
  EXPECT_NE(finding.message.find("threads 0 to 15"), std::string::npos) << finding.message;
  EXPECT_NE(finding.message.find("threads 16 to 31"), std::string::npos) << finding.message;
}

TEST(BarrierDivergence, LanesOfOneWarpAtTwoBarrierInstructions) {
  TestGrid gpu(kernel_text(1, 0, std::string(setup) + R"(
    and.b32 %r5, %r1, 1; setp.eq.u32 %p1, %r5, 0;
    @%p1 bra $even;
    .loc 1 12 1
    bar.sync 0;
    bra.uni $end;
  $even:
    .loc 1 14 1
    bar.sync 0;
  $end:
    ret;)",
                           files));
  const GridResult result = gpu.launch({1}, {64}, gpu.memory.allocate(128));
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].kind, FindingKind::barrier_divergence);
  EXPECT_EQ(lines_of(result.findings[0]), std::pair(12u, 14u));
  EXPECT_NE(first_message(result).find("same __syncthreads()"), std::string::npos);
}

TEST(BarrierDivergence, ABarrierInALoopThatSomeThreadsLeaveEarly) {
  // Thread t goes round t times, with a barrier in every round; then all meet at another barrier.
  TestGrid gpu(kernel_text(1, 0, std::string(setup) + R"(
    mov.u32 %r5, 0;
  $loop:
    setp.ge.u32 %p1, %r5, %r1;
    @%p1 bra $out;
    .loc 1 7 1
    bar.sync 0;
    add.u32 %r5, %r5, 1;
    bra.uni $loop;
  $out:
    .loc 1 9 1
    bar.sync 0;
    ret;)",
                           files));
  const GridResult result = gpu.launch({1}, {32}, gpu.memory.allocate(128));
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].kind, FindingKind::barrier_divergence);
}

TEST(BarrierDivergence, WholeWarpsMayUseDifferentInstructions) {
  TestGrid gpu(kernel_text(1, 0, std::string(setup) + R"(
    setp.lt.u32 %p1, %r1, 32;
    @%p1 bra $first;
    bar.sync 0;
    bra.uni $end;
  $first:
    bar.sync 0;
  $end:
    ret;)"));
  const GridResult result = gpu.launch({1}, {64}, gpu.memory.allocate(128));
  EXPECT_EQ(result.error, 0) << first_message(result);
  EXPECT_TRUE(result.findings.empty());
}

TEST(SkippedBarrier, NamesWhoWentRoundIt) {
  // The first warp waits inside the condition, the second goes round and ends.
  TestGrid gpu(kernel_text(1, 0, std::string(setup) + R"(
    setp.ge.u32 %p1, %r1, 32;
    @%p1 bra $behind;
    .loc 1 8 1
    bar.sync 0;
  $behind:
    st.global.u32 [%rd1], %r1;
    ret;)",
                           files));
  const DeviceAddress out = gpu.memory.allocate(256);
  const GridResult result = gpu.launch({1}, {64}, out);
  EXPECT_EQ(result.error, 0);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].kind, FindingKind::skipped_barrier);
  EXPECT_EQ(result.findings[0].where.line, 8u);
  EXPECT_NE(first_message(result).find("threads 0 to 31 wait at the barrier in line 8, round which "
                                       "threads 32 to 63 have gone"),
            std::string::npos)
      << first_message(result);
  gpu.request.checks = checks_named("memory,races,init,leaks");
  EXPECT_TRUE(gpu.launch({1}, {64}, out).findings.empty());
}

/// Threads 0 to 15 wait in line 8 for what line 6 has stored; the others go round and read in line
/// 10. `behind` follows.
std::string half_a_warp_waits(const std::string& before, const std::string& behind) {
  return kernel_text(1, 0, std::string(setup) + R"(
    xor.b32 %r8, %r3, 64; add.u32 %r8, %r2, %r8;
    .loc 1 6 1
    st.shared.u32 [%r4], %r1;
    )" + before + R"(
    setp.ge.u32 %p1, %r1, 16;
    @%p1 bra $behind;
    .loc 1 8 1
    bar.sync 0;
  $behind:
    .loc 1 10 1
    ld.shared.u32 %r9, [%r8];
    )" + behind + R"(
    st.global.u32 [%rd1], %r1;
    ret;)",
                     files);
}

constexpr const char* race_behind =
    " As it is, there is a race in box, element 0 of 4 bytes, at offset 0x0 of shared memory: "
    "thread (0, 0, 0) of block (0, 0, 0) writes it in line 6 and thread (16, 0, 0) of block (0, 0, "
    "0) reads it in line 10.";

TEST(SkippedBarrier, IsSaidInsteadOfTheRacesBehindIt) {
  TestGrid gpu(half_a_warp_waits("", ""));
  const DeviceAddress out = gpu.memory.allocate(256);
  for (const std::uint32_t threads : {32u, 64u}) {
    const GridResult result = gpu.launch({1}, {threads}, out);
    ASSERT_EQ(result.findings.size(), 1u) << threads;
    EXPECT_EQ(result.findings[0].kind, FindingKind::skipped_barrier);
    EXPECT_EQ(result.findings[0].where.line, 8u);
    EXPECT_NE(first_message(result).find(race_behind), std::string::npos) << first_message(result);
  }
  gpu.request.checks = checks_named("races");
  const GridResult result = gpu.launch({1}, {32}, out);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].kind, FindingKind::shared_race);
}

TEST(BarrierDivergence, IsSaidInsteadOfTheRacesBehindIt) {
  TestGrid gpu(half_a_warp_waits("", ".loc 1 12 1\n bar.sync 0;"));
  const GridResult result = gpu.launch({1}, {64}, gpu.memory.allocate(256));
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].kind, FindingKind::barrier_divergence);
  EXPECT_NE(first_message(result).find("threads 16 to 31 wait at the barrier in line 12 while "
                                       "threads 0 to 15 of the same warp wait at another one in "
                                       "line 8"),
            std::string::npos)
      << first_message(result);
  EXPECT_NE(first_message(result).find(race_behind), std::string::npos) << first_message(result);
}

TEST(SkippedBarrier, ARaceBeforeItIsSaidAsWell) {
  TestGrid gpu(half_a_warp_waits(".loc 1 7 1\n ld.shared.u32 %r9, [%r8];", ""));
  const GridResult result = gpu.launch({1}, {32}, gpu.memory.allocate(256));
  ASSERT_EQ(result.findings.size(), 2u);
  EXPECT_EQ(result.findings[0].kind, FindingKind::skipped_barrier);
  EXPECT_EQ(result.findings[1].kind, FindingKind::shared_race);
  EXPECT_EQ(result.findings[1].where.line, 7u);
}

TEST(SkippedBarrier, IsNoneWhenNobodyIsLeftWaiting) {
  // All of a block go round it, or none.
  TestGrid gpu(kernel_text(1, 1, std::string(setup) + R"(
    ld.param.u32 %r5, [n0];
    setp.eq.u32 %p1, %r5, 0;
    @%p1 bra $behind;
    bar.sync 0;
  $behind:
    st.global.u32 [%rd1], %r1;
    ret;)"));
  const DeviceAddress out = gpu.memory.allocate(256);
  for (const std::uint32_t enter : {0u, 1u}) {
    EXPECT_TRUE(gpu.launch({1}, {64}, out, enter).findings.empty()) << enter;
  }
}

TEST(NamedBarrier, IsForOneNumberOfThreads) {
  TestGrid gpu(kernel_text(0, 0, R"(
    mov.u32 %r1, %tid.x;
    setp.ge.u32 %p1, %r1, 32;
    @%p1 bra $second;
    .loc 1 6 1
    bar.arrive 1, 64;
    ret;
  $second:
    .loc 1 8 1
    bar.sync 1, 32;
    ret;)",
                           files));
  const GridResult result = gpu.launch({1}, {64});
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].kind, FindingKind::barrier_divergence);
  EXPECT_EQ(result.findings[0].where.line, 8u);
  EXPECT_NE(
      first_message(result).find("In block (0, 0, 0) threads come to barrier 1 for 32 threads "
                                 "in line 8, and others have come to it for 64 threads in "
                                 "line 6."),
      std::string::npos)
      << first_message(result);
}

/// One instruction, and a number that differs from warp to warp.
TEST(NamedBarrier, IsNamedWithItsNumberWhereTheBlockHangs) {
  TestGrid gpu(kernel_text(0, 0, R"(
    mov.u32 %r1, %tid.x;
    shr.u32 %r1, %r1, 5;
    .loc 1 6 1
    bar.sync %r1, 64;
    ret;)",
                           files));
  const GridResult result = gpu.launch({1}, {64});
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_NE(first_message(result).find(
                "threads 0 to 31 wait at the barrier in line 6 (number 0, for 64 threads) and "
                "threads 32 to 63 wait at the barrier in line 6 (number 1, for 64 threads)."),
            std::string::npos)
      << first_message(result);
}

}  // namespace
}  // namespace gridstride::sim
