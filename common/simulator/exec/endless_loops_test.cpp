// Loops that never end are found soon, and loops that only take long are not called endless.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "common/simulator/base/error_of.h"
#include "common/simulator/exec/test_grid.h"

namespace gridstride::sim {
namespace {

constexpr const char* file = ".file 1 \"kernel.cu\"\n";

class EndlessLoop : public testing::Test {
 protected:
  /// Runs `body` with p0, an array, and n0 = 7.
  GridResult run(const std::string& body, std::uint32_t threads = 64,
                 const std::string& module_part = "") {
    TestGrid gpu(kernel_text(1, 1, body, file + module_part));
    gpu.request.instruction_budget = 400'000'000;
    const DeviceAddress array = gpu.upload(std::vector<std::uint32_t>(1024, 1));
    const GridResult result = gpu.launch({2}, {threads}, array, std::uint32_t{7});
    issued_ = result.counters.warp_instructions;
    return result;
  }
  void expect_endless(const GridResult& result, std::uint32_t line) {
    ASSERT_EQ(result.findings.size(), 1u) << first_message(result);
    const Finding& finding = result.findings.front();
    EXPECT_EQ(finding.kind, FindingKind::timeout);
    EXPECT_NE(finding.message.find("never ends"), std::string::npos) << finding.message;
    EXPECT_EQ(finding.where.line, line) << finding.message;
    EXPECT_EQ(result.error, 702);
    EXPECT_LT(issued_, 20'000'000u) << "that takes a second or two";
  }
  void expect_finite(const GridResult& result) {
    EXPECT_TRUE(result.findings.empty()) << first_message(result);
    EXPECT_EQ(result.error, 0);
  }

  std::uint64_t issued_ = 0;
};

const std::string begin = R"(
  ld.param.u64 %rd1, [p0]; ld.param.u32 %r1, [n0]; mov.u32 %r2, %tid.x;
  mul.wide.u32 %rd2, %r2, 4; add.s64 %rd2, %rd1, %rd2;
)";

TEST_F(EndlessLoop, WhoseConditionNeverChanges) {
  expect_endless(run(begin + R"(
    mov.u32 %r3, 0;
loop:
    .loc 1 12 0
    st.global.u32 [%rd2], %r2;
    setp.lt.s32 %p1, %r3, %r1;
    @%p1 bra loop;
    ret;)"),
                 12);
}

TEST_F(EndlessLoop, WithoutAWayOut) {
  expect_endless(run(begin + R"(
loop:
    .loc 1 5 0
    atom.global.add.u32 %r3, [%rd1], 1;
    bra loop;)"),
                 5);
}

TEST_F(EndlessLoop, ThatCountsInACircle) {
  expect_endless(run(begin + R"(
    mov.u32 %r3, 0;
loop:
    .loc 1 8 0
    ld.global.u32 %r4, [%rd2]; add.u32 %r4, %r4, %r3; st.global.u32 [%rd2], %r4;
    add.u32 %r3, %r3, 3; and.b32 %r3, %r3, 1023;
    setp.lt.u32 %p1, %r3, 1024;
    @%p1 bra loop;
    ret;)"),
                 8);
}

TEST_F(EndlessLoop, AroundABarrier) {
  expect_endless(run(begin + R"(
    mov.u32 %r3, 0;
loop:
    .loc 1 9 0
    bar.sync 0;
    xor.b32 %r3, %r3, 1;
    setp.lt.u32 %p1, %r3, 2;
    @%p1 bra loop;
    ret;)",
                     256),
                 9);
}

TEST_F(EndlessLoop, OfOneLaneOfOneWarp) {
  expect_endless(run(begin + R"(
    setp.ne.u32 %p2, %r2, 37;
    @%p2 ret;
loop:
    .loc 1 21 0
    st.volatile.global.u32 [%rd2], %r2;
    setp.eq.u32 %p1, %r2, 37;
    @%p1 bra loop;
    ret;)"),
                 21);
}

TEST_F(EndlessLoop, InAFunctionThatIsCalled) {
  const std::string function = R"(
.visible .func spin(.param .b32 n)
{
  .reg .b32 %r<5>; .reg .pred %p<3>;
  ld.param.u32 %r1, [n]; mov.u32 %r2, 0;
again:
  .loc 1 3 0
  add.u32 %r3, %r3, 1;
  setp.lt.u32 %p1, %r2, %r1;
  @%p1 bra again;
  ret;
}
)";
  expect_endless(run(begin + R"(
    { .param .b32 a; st.param.b32 [a], %r1; call spin, (a); }
    ret;)",
                     32, function),
                 3);
}

TEST_F(EndlessLoop, WhoseConditionReadsMemoryThatNobodyWrites) {
  // A search that takes the middle for its lower end again and again; one thread of 64 comes to that.
  expect_endless(run(begin + R"(
    st.global.u32 [%rd2], %r2;
    bar.sync 0;
    setp.ne.u32 %p2, %r2, 40;
    @%p2 ret;
    mov.u32 %r3, 3; mov.u32 %r4, 4;
loop:
    .loc 1 16 0
    add.u32 %r5, %r3, %r4; shr.u32 %r5, %r5, 1;
    mul.wide.u32 %rd3, %r5, 4; add.s64 %rd3, %rd1, %rd3;
    ld.global.u32 %r6, [%rd3];
    setp.lt.u32 %p1, %r6, %r2;
    selp.b32 %r3, %r5, %r3, %p1;
    selp.b32 %r4, %r4, %r5, %p1;
    setp.lt.u32 %p3, %r3, %r4;
    @%p3 bra loop;
    ret;)"),
                 16);
}

TEST_F(EndlessLoop, ThatStoresTheSameAgainAndAgain) {
  expect_endless(run(begin + R"(
    st.global.u32 [%rd2], %r1;
loop:
    .loc 1 7 0
    ld.global.u32 %r3, [%rd2];
    st.global.u32 [%rd2], %r3;
    setp.eq.u32 %p1, %r3, 7;
    @%p1 bra loop;
    ret;)",
                     32),
                 7);
}

/// Counts from 1 to 6 in memory, then begins again: `if (x > 5) x = 0; x += 1` while x < 100.
TEST_F(EndlessLoop, ThatCountsInACircleInMemory) {
  expect_endless(run(begin + R"(
    .shared .align 4 .b8 box[1024];
    mov.u32 %r8, box; shl.b32 %r9, %r2, 2; add.u32 %r8, %r8, %r9;
    mov.u32 %r4, 1; st.shared.u32 [%r8], %r4;
loop:
    .loc 1 12 0
    ld.shared.u32 %r3, [%r8];
    setp.gt.u32 %p2, %r3, 5;
    selp.b32 %r3, 0, %r3, %p2;
    add.u32 %r3, %r3, 1;
    st.shared.u32 [%r8], %r3;
    setp.lt.u32 %p1, %r3, 100;
    @%p1 bra loop;
    ret;)",
                     96),
                 12);
}

// What follows ends, and is left alone.

/// All that the loop loads and stores is the same for 2^22 rounds, and then it is not.
TEST_F(EndlessLoop, IsNoneWhoseStoreWillBeLoaded) {
  expect_finite(run(begin + R"(
    mov.u32 %r5, %ctaid.x;
    setp.ne.u32 %p2, %r5, 0;
    @%p2 ret;
    mov.u32 %r4, 0; st.global.u32 [%rd2], %r4;
loop:
    ld.global.u32 %r3, [%rd2];
    add.u32 %r4, %r4, 1;
    shr.u32 %r6, %r4, 22;
    st.global.u32 [%rd2], %r6;
    setp.eq.u32 %p1, %r3, 0;
    @%p1 bra loop;
    ret;)",
                    32));
}

/// Without volatile the compiler could do anything here; the machine does what is written.
TEST_F(EndlessLoop, IsNoneThatReadsWhatAnotherWarpWillWrite) {
  TestGrid gpu(kernel_text(1, 1, begin + R"(
    setp.ge.u32 %p2, %r2, 32;
    @%p2 bra writer;
loop:
    ld.global.u32 %r3, [%rd1];
    setp.eq.u32 %p1, %r3, 1;
    @%p1 bra loop;
    ret;
writer:
    mov.u32 %r6, 0;
work:
    add.u32 %r6, %r6, 1;
    setp.lt.u32 %p3, %r6, 300000;
    @%p3 bra work;
    mov.u32 %r7, 2;
    st.global.u32 [%rd1], %r7;
    ret;)"));
  gpu.request.instruction_budget = 400'000'000;
  const DeviceAddress array = gpu.upload(std::vector<std::uint32_t>(1024, 1));
  EXPECT_EQ(gpu.launch({1}, {64}, array, std::uint32_t{7}).error, 0) << "it has a race, and ends";
}

TEST_F(EndlessLoop, IsNoneThatReadsWhatItWrites) {
  const GridResult result = run(begin + R"(
loop:
    ld.global.u32 %r3, [%rd2];
    add.u32 %r3, %r3, 1;
    st.global.u32 [%rd2], %r3;
    setp.lt.u32 %p1, %r3, 500000;
    @%p1 bra loop;
    ret;)",
                                32);
  EXPECT_EQ(result.error, 0) << "the blocks race, and end";
}

TEST_F(EndlessLoop, IsNoneThatCountsFar) {
  expect_finite(run(begin + R"(
    mov.u32 %r3, 0;
loop:
    add.u32 %r3, %r3, 1;
    setp.lt.u32 %p1, %r3, 3000000;
    @%p1 bra loop;
    ret;)",
                    32));
}

TEST_F(EndlessLoop, IsNoneThatWaitsForMemory) {
  // The second block's store ends the first block's loop, whose registers do not change meanwhile.
  expect_finite(run(begin + R"(
    mov.u32 %r5, %ctaid.x;
    setp.eq.u32 %p2, %r5, 1;
    @%p2 bra writer;
loop:
    ld.volatile.global.u32 %r3, [%rd1];
    setp.eq.u32 %p1, %r3, 1;
    @%p1 bra loop;
    ret;
writer:
    mov.u32 %r6, 0;
work:
    add.u32 %r6, %r6, 1;
    setp.lt.u32 %p3, %r6, 100000;
    @%p3 bra work;
    mov.u32 %r7, 2;
    st.volatile.global.u32 [%rd1], %r7;
    ret;)",
                    32));
}

TEST_F(EndlessLoop, IsNoneThatDrawsFromACounter) {
  expect_finite(run(begin + R"(
loop:
    atom.global.add.u32 %r3, [%rd1], 1;
    setp.lt.u32 %p1, %r3, 2000000;
    @%p1 bra loop;
    ret;)",
                    32));
}

/// Two warps meet again and again while a third waits for the end: it has not come back to where it waits.
TEST_F(EndlessLoop, IsNoneOfAWarpThatWaitsForOthers) {
  expect_finite(run(begin + R"(
    setp.lt.u32 %p2, %r2, 32;
    @%p2 bra last;
    mov.u32 %r3, 0;
loop:
    bar.sync 2, 64;
    add.u32 %r3, %r3, 1;
    setp.lt.u32 %p1, %r3, 5000;
    @%p1 bra loop;
last:
    bar.sync 1, 96;
    ret;)",
                    96));
}

/// The same inner loop with the same count, again and again: what is around it ends.
TEST_F(EndlessLoop, IsNoneAroundEqualInnerLoops) {
  expect_finite(run(begin + R"(
    mov.u32 %r4, 0;
outer:
    mov.u32 %r3, 0;
inner:
    add.u32 %r3, %r3, 1;
    setp.lt.u32 %p1, %r3, 4096;
    @%p1 bra inner;
    add.u32 %r4, %r4, 1;
    setp.lt.u32 %p2, %r4, 600;
    @%p2 bra outer;
    ret;)",
                    32));
}

TEST_F(EndlessLoop, IsNoneWhereACalledFunctionLoopsTheSameEachTime) {
  const std::string function = R"(
.visible .func count()
{
  .reg .b32 %r<5>; .reg .pred %p<3>;
  mov.u32 %r2, 0;
again:
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p1, %r2, 4096;
  @%p1 bra again;
  ret;
}
)";
  expect_finite(run(begin + R"(
    mov.u32 %r4, 0;
outer:
    call count;
    add.u32 %r4, %r4, 1;
    setp.lt.u32 %p2, %r4, 600;
    @%p2 bra outer;
    ret;)",
                    32, function));
}

TEST_F(EndlessLoop, AtAnMbarrierThatOneNeverComesTo) {
  const GridResult result = run(begin + R"(
    .shared .align 8 .b64 phases;
    mov.u32 %r3, phases;
    setp.ne.u32 %p1, %r2, 0;
    @!%p1 mbarrier.init.shared.b64 [%r3], 65;
    bar.sync 0;
    mbarrier.arrive.shared.b64 %rd3, [%r3];
loop:
    .loc 1 12 0
    mbarrier.test_wait.shared.b64 %p2, [%r3], %rd3;
    @!%p2 bra loop;
    ret;)");
  ASSERT_EQ(result.findings.size(), 1u) << first_message(result);
  EXPECT_NE(first_message(result).find("1 of the 65 arrivals"), std::string::npos)
      << first_message(result);
  // Each of these is dear: so many take two seconds.
  EXPECT_LT(issued_, 6'000'000u);
}

}  // namespace
}  // namespace gridstride::sim
