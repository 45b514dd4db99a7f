// Branches, loops, calls and exits: who computes what, and how often lanes ran together.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "common/simulator/base/unsupported.h"
#include "common/simulator/exec/test_grid.h"

namespace gridstride::sim {
namespace {

/// Puts the thread's index in the grid into %r1 and the address of its element of p0 into %rd1.
const char* const prologue = R"(
  ld.param.u64 %rd1, [p0];
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
  mad.lo.s32 %r1, %r1, %r2, %r3;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd1, %rd1, %rd2;
)";

std::uint64_t counter(const GridResult& result, std::uint64_t Counters::*member) {
  return result.counters.*member;
}

TEST(ControlFlow, VectorAdd) {
  TestGrid gpu(kernel_text(3, 1, R"(
    ld.param.u64 %rd1, [p0]; ld.param.u64 %rd2, [p1]; ld.param.u64 %rd3, [p2];
    ld.param.u32 %r9, [n0];
    mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
    mad.lo.s32 %r4, %r1, %r2, %r3;
    setp.ge.s32 %p1, %r4, %r9;
    @%p1 bra $done;
    cvta.to.global.u64 %rd1, %rd1; mul.wide.s32 %rd4, %r4, 4;
    add.s64 %rd5, %rd1, %rd4; add.s64 %rd6, %rd2, %rd4; add.s64 %rd7, %rd3, %rd4;
    ld.global.nc.f32 %f1, [%rd5]; ld.global.f32 %f2, [%rd6];
    add.f32 %f3, %f1, %f2;
    st.global.f32 [%rd7], %f3;
  $done:
    ret;)"));
  constexpr int n = 1000;
  std::vector<float> a(n), b(n);
  std::iota(a.begin(), a.end(), 0.f);
  std::iota(b.begin(), b.end(), 0.5f);
  const DeviceAddress pa = gpu.upload(a), pb = gpu.upload(b), pc = gpu.memory.allocate(n * 4);
  const GridResult result = gpu.launch({4}, {256}, pa, pb, pc, n);
  EXPECT_EQ(result.error, 0) << first_message(result);
  const auto c = gpu.download<float>(pc, n);
  for (int i = 0; i < n; ++i) ASSERT_EQ(c[i], a[i] + b[i]) << i;
  EXPECT_EQ(result.counters.global_load_requests, 2u * 32);  // 31 full warps and one of 8 lanes
  EXPECT_EQ(result.counters.global_load_sectors, 2u * (31 * 4 + 1));
  EXPECT_EQ(result.counters.global_store_sectors, 31u * 4 + 1);
  EXPECT_EQ(result.counters.branches, 32u);
  EXPECT_EQ(result.counters.divergent_branches, 1u);
  EXPECT_EQ(result.counters.flops, 1000u);
  EXPECT_GT(result.block_latency_cycles, 600);
}

TEST(ControlFlow, BothSidesOfAnIfMeetAgain) {
  TestGrid gpu(kernel_text(1, 0, std::string(prologue) + R"(
    and.b32 %r4, %r1, 1;
    setp.eq.u32 %p1, %r4, 0;
    @%p1 bra $even;
    mov.u32 %r5, 100; bra.uni $join;
  $even:
    mov.u32 %r5, 200;
  $join:
    add.u32 %r5, %r5, %r1;
    st.global.u32 [%rd1], %r5;
    ret;)"));
  const DeviceAddress out = gpu.memory.allocate(128);
  const GridResult result = gpu.launch({1}, {32}, out);
  const auto values = gpu.download<std::uint32_t>(out, 32);
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(values[i], i + (i % 2 ? 100 : 200));
  EXPECT_EQ(result.counters.divergent_branches, 1u);
  EXPECT_EQ(result.counters.global_store_requests, 1u);  // the store ran once, for all lanes
}

TEST(ControlFlow, LoopsOfDifferentLength) {
  TestGrid gpu(kernel_text(1, 0, std::string(prologue) + R"(
    mov.u32 %r4, 0; mov.u32 %r5, 0;
  $loop:
    setp.ge.u32 %p1, %r4, %r1;
    @%p1 bra $done;
    add.u32 %r5, %r5, %r4;
    add.u32 %r4, %r4, 1;
    bra.uni $loop;
  $done:
    st.global.u32 [%rd1], %r5;
    ret;)"));
  const DeviceAddress out = gpu.memory.allocate(128);
  const GridResult result = gpu.launch({1}, {32}, out);
  const auto values = gpu.download<std::uint32_t>(out, 32);
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(values[i], i * (i - 1) / 2 * (i > 0));
  EXPECT_EQ(result.counters.global_store_requests, 1u);
  EXPECT_EQ(result.counters.branches, 32u);
}

TEST(ControlFlow, BreakAndContinue) {
  // for (i = 0; i < 20; ++i) { if (i == t) break; if (i & 1) continue; sum += i; }
  TestGrid gpu(kernel_text(1, 0, std::string(prologue) + R"(
    mov.u32 %r4, 0; mov.u32 %r5, 0;
  $loop:
    setp.eq.u32 %p1, %r4, %r1;
    @%p1 bra $done;
    and.b32 %r6, %r4, 1;
    setp.ne.u32 %p2, %r6, 0;
    @%p2 bra $next;
    add.u32 %r5, %r5, %r4;
  $next:
    add.u32 %r4, %r4, 1;
    setp.lt.u32 %p3, %r4, 20;
    @%p3 bra $loop;
  $done:
    st.global.u32 [%rd1], %r5;
    ret;)"));
  const DeviceAddress out = gpu.memory.allocate(128);
  const GridResult result = gpu.launch({1}, {32}, out);
  const auto values = gpu.download<std::uint32_t>(out, 32);
  for (std::uint32_t t = 0; t < 32; ++t) {
    std::uint32_t sum = 0;
    for (std::uint32_t i = 0; i < 20 && i != t; ++i) sum += i % 2 ? 0 : i;
    EXPECT_EQ(values[t], sum) << t;
  }
  EXPECT_EQ(result.counters.global_store_requests, 1u);
}

TEST(ControlFlow, ABranchTableSendsLanesToDifferentCases) {
  TestGrid gpu(kernel_text(1, 0, std::string(prologue) + R"(
    and.b32 %r4, %r1, 3;
    $table: .branchtargets $c0, $c1, $c2, $c1;
    brx.idx %r4, $table;
  $c0: mov.u32 %r5, 10; bra.uni $join;
  $c1: mov.u32 %r5, 11; bra.uni $join;
  $c2: mov.u32 %r5, 12;
  $join:
    st.global.u32 [%rd1], %r5;
    ret;)"));
  const DeviceAddress out = gpu.memory.allocate(128);
  const GridResult result = gpu.launch({1}, {32}, out);
  EXPECT_EQ(result.error, 0) << first_message(result);
  const auto values = gpu.download<std::uint32_t>(out, 32);
  const std::uint32_t expected[] = {10, 11, 12, 11};
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(values[t], expected[t % 4]);
  EXPECT_EQ(counter(result, &Counters::global_store_requests), 1u);
}

TEST(ControlFlow, LanesThatLeaveEarlyDoNotStopTheOthers) {
  TestGrid gpu(kernel_text(1, 0, std::string(prologue) + R"(
    setp.lt.u32 %p1, %r1, 10;
    @%p1 exit;
    setp.lt.u32 %p2, %r1, 20;
    @%p2 ret;
    st.global.u32 [%rd1], %r1;
    ret;)"));
  const DeviceAddress out = gpu.upload(std::vector<std::uint32_t>(64, 7));
  const GridResult result = gpu.launch({1}, {64}, out);
  EXPECT_EQ(result.error, 0) << first_message(result);
  const auto values = gpu.download<std::uint32_t>(out, 64);
  for (std::uint32_t t = 0; t < 64; ++t) EXPECT_EQ(values[t], t < 20 ? 7 : t);
}

TEST(ControlFlow, ColdCodeBehindTheEndOfALoopDoesNotDelayTheLoop) {
  // Odd lanes take a detour that stands behind the store in the text; they rejoin before it.
  TestGrid gpu(kernel_text(1, 0, std::string(prologue) + R"(
    and.b32 %r4, %r1, 1;
    setp.ne.u32 %p1, %r4, 0;
    @%p1 bra $detour;
  $back:
    st.global.u32 [%rd1], %r1;
    ret;
  $detour:
    add.u32 %r1, %r1, 1000;
    bra.uni $back;)"));
  const DeviceAddress out = gpu.memory.allocate(128);
  const GridResult result = gpu.launch({1}, {32}, out);
  const auto values = gpu.download<std::uint32_t>(out, 32);
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(values[t], t + (t % 2 ? 1000 : 0));
  EXPECT_EQ(result.counters.global_store_requests, 1u);
}

const char* const factorial = R"(
.func (.param .b32 result) factorial(.param .b32 n)
{
  .reg .pred %p<2>; .reg .b32 %r<5>;
  ld.param.u32 %r1, [n];
  mov.u32 %r2, 1;
  setp.lt.u32 %p1, %r1, 2;
  @%p1 bra $end;
  sub.u32 %r3, %r1, 1;
  { .param .b32 a; .param .b32 b;
    st.param.b32 [a], %r3;
    call.uni (b), factorial, (a);
    ld.param.b32 %r4, [b]; }
  mul.lo.u32 %r2, %r1, %r4;
$end:
  st.param.b32 [result], %r2;
  ret;
}
)";

TEST(ControlFlow, RecursionKeepsEachLanesValues) {
  TestGrid gpu(kernel_text(1, 0, std::string(prologue) + R"(
    and.b32 %r4, %r1, 7;
    { .param .b32 a; .param .b32 b;
      st.param.b32 [a], %r4;
      call.uni (b), factorial, (a);
      ld.param.b32 %r5, [b]; }
    st.global.u32 [%rd1], %r5;
    ret;)",
                           factorial));
  const DeviceAddress out = gpu.memory.allocate(128);
  const GridResult result = gpu.launch({1}, {32}, out);
  EXPECT_EQ(result.error, 0) << first_message(result);
  const std::uint32_t expected[] = {1, 1, 2, 6, 24, 120, 720, 5040};
  const auto values = gpu.download<std::uint32_t>(out, 32);
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(values[t], expected[t % 8]) << t;
  EXPECT_EQ(result.counters.global_store_requests, 1u);
}

TEST(ControlFlow, EndlessRecursionIsAStackOverflow) {
  TestGrid gpu(kernel_text(1, 0, std::string(prologue) + R"(
    { .param .b32 a; .param .b32 b;
      st.param.b32 [a], 100000;
      call.uni (b), factorial, (a);
      ld.param.b32 %r5, [b]; }
    st.global.u32 [%rd1], %r5;
    ret;)",
                           factorial));
  const GridResult result = gpu.launch({1}, {32}, gpu.memory.allocate(128));
  EXPECT_EQ(result.error, 714);
  EXPECT_NE(first_message(result).find("stack overflows"), std::string::npos);
}

TEST(ControlFlow, CallsThroughPointersGoWhereEachLanePoints) {
  TestGrid gpu(kernel_text(1, 0, std::string(prologue) + R"(
    and.b32 %r4, %r1, 1;
    setp.eq.u32 %p1, %r4, 0;
    mov.u64 %rd3, twice; mov.u64 %rd4, negative;
    selp.b64 %rd5, %rd3, %rd4, %p1;
    { .param .b32 a; .param .b32 b;
      st.param.b32 [a], %r1;
      proto: .callprototype (.param .b32 _) _ (.param .b32 _);
      call (b), %rd5, (a), proto;
      ld.param.b32 %r5, [b]; }
    st.global.u32 [%rd1], %r5;
    ret;)",
                           R"(
.func (.param .b32 result) twice(.param .b32 n)
{ .reg .b32 %r<3>; ld.param.u32 %r1, [n]; add.u32 %r2, %r1, %r1; st.param.b32 [result], %r2; ret; }
.func (.param .b32 result) negative(.param .b32 n)
{ .reg .b32 %r<3>; ld.param.u32 %r1, [n]; neg.s32 %r2, %r1; st.param.b32 [result], %r2; ret; })"));
  const DeviceAddress out = gpu.memory.allocate(128);
  const GridResult result = gpu.launch({1}, {32}, out);
  EXPECT_EQ(result.error, 0) << first_message(result);
  const auto values = gpu.download<std::int32_t>(out, 32);
  for (int t = 0; t < 32; ++t) EXPECT_EQ(values[t], t % 2 == 0 ? 2 * t : -t);
  EXPECT_EQ(result.counters.global_store_requests, 1u);
}

TEST(ControlFlow, SpecialRegistersOfAThreeDimensionalLaunch) {
  TestGrid gpu(kernel_text(1, 0, R"(
    ld.param.u64 %rd1, [p0];
    mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.z;
    mov.u32 %r4, %ntid.x; mov.u32 %r5, %ntid.y;
    mad.lo.u32 %r6, %r3, %r5, %r2; mad.lo.u32 %r6, %r6, %r4, %r1;
    mov.u32 %r7, %ctaid.z; mov.u32 %r8, %nctaid.y; mov.u32 %r9, %ctaid.y;
    mad.lo.u32 %r7, %r7, %r8, %r9;
    mov.u32 %r8, %nctaid.x; mov.u32 %r9, %ctaid.x; mad.lo.u32 %r7, %r7, %r8, %r9;
    mov.u32 %r10, %ntid.z; mul.lo.u32 %r10, %r10, %r5; mul.lo.u32 %r10, %r10, %r4;
    mad.lo.u32 %r11, %r7, %r10, %r6;
    mul.wide.u32 %rd2, %r11, 4; add.s64 %rd1, %rd1, %rd2;
    mov.u32 %r12, %laneid; mov.u32 %r13, %warpid; mad.lo.u32 %r13, %r13, 32, %r12;
    sub.u32 %r14, %r13, %r6;
    add.u32 %r14, %r14, %r11;
    st.global.u32 [%rd1], %r14;
    ret;)"));
  const std::size_t total = 2 * 3 * 4 * 5 * 2 * 7;
  const DeviceAddress out = gpu.memory.allocate(total * 4);
  const GridResult result = gpu.launch({2, 3, 4}, {5, 2, 7}, out);
  EXPECT_EQ(result.error, 0) << first_message(result);
  const auto values = gpu.download<std::uint32_t>(out, total);
  for (std::uint32_t i = 0; i < total; ++i) ASSERT_EQ(values[i], i);
}

TEST(ControlFlow, TrapsStopTheGrid) {
  TestGrid gpu(kernel_text(1, 0, std::string(prologue) + R"(
    setp.eq.u32 %p1, %r1, 5;
    @%p1 trap;
    st.global.u32 [%rd1], %r1;
    ret;)"));
  const GridResult result = gpu.launch({1}, {32}, gpu.memory.allocate(128));
  EXPECT_EQ(result.error, 719);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].kind, FindingKind::invalid_instruction);
  EXPECT_NE(result.findings[0].message.find("(5, 0, 0)"), std::string::npos);
}

TEST(ControlFlow, AnEndlessLoopTimesOut) {
  TestGrid gpu(kernel_text(1, 0, std::string(prologue) + R"(
  $loop:
    add.u32 %r1, %r1, 1;
    bra.uni $loop;)"));
  gpu.request.instruction_budget = 100'000;
  const GridResult result = gpu.launch({1}, {32}, gpu.memory.allocate(128));
  EXPECT_EQ(result.error, 702);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].kind, FindingKind::timeout);
  EXPECT_NE(result.findings[0].message.find("loop"), std::string::npos);
}

TEST(ControlFlow, BlocksThatComputeWithoutEndDoNotWaitForOneAnother) {
  TestGrid gpu(kernel_text(1, 0, std::string(prologue) + R"(
    mov.u32 %r1, 1;
  $loop:
    add.u32 %r1, %r1, 1;
    setp.ne.u32 %p1, %r1, 0;  // four thousand million rounds
    @%p1 bra $loop;
    ret;)"));
  gpu.request.schedule_seed = 3;  // blocks take turns
  gpu.request.resident_blocks = 2;
  gpu.request.instruction_budget = 60'000'000;  // more than blocks may look without a change
  gpu.request.issue_rate = 1e9;
  const GridResult result = gpu.launch({2}, {64}, gpu.memory.allocate(128));
  EXPECT_EQ(result.error, 702);
  EXPECT_NE(first_message(result).find("at least 0.06 s"), std::string::npos)
      << first_message(result);
  EXPECT_NE(first_message(result).find("does it ever end?"), std::string::npos);
}

TEST(ControlFlow, AnEndlessLoopAroundABarrierTimesOutToo) {
  TestGrid gpu(kernel_text(1, 0, std::string(prologue) + R"(
  $loop:
    bar.sync 0;
    add.u32 %r1, %r1, 1;
    bra.uni $loop;)"));
  gpu.request.instruction_budget = 100'000;
  const GridResult result = gpu.launch({1}, {64}, gpu.memory.allocate(128));
  EXPECT_EQ(result.error, 702);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].kind, FindingKind::timeout);
}

TEST(ControlFlow, WhatIsNotKnownIsRefusedByNameWhenItIsLaunched) {
  TestGrid gpu(kernel_text(0, 0, "frobnicate.b32 %r1, %r2; ret;"));
  try {
    gpu.launch({1}, {32});
    FAIL() << "it ran";
  } catch (const Unsupported& error) {
    EXPECT_NE(std::string(error.what()).find("frobnicate.b32"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find(" k "), std::string::npos);
  }
}

}  // namespace
}  // namespace gridstride::sim
