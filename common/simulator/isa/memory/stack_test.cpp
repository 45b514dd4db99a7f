// alloca, stacksave and stackrestore.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "common/simulator/exec/test_grid.h"

namespace gridstride::sim {
namespace {

using Values = std::vector<std::uint32_t>;

/// Stores %r9 of each thread to its place at p0.
std::string with_result(const std::string& body) {
  return kernel_text(1, 0, R"(
    mov.u32 %r1, %tid.x; cvt.u64.u32 %rd2, %r1;
)" + body + R"(
    ld.param.u64 %rd30, [p0]; cvta.to.global.u64 %rd31, %rd30;
    mul.wide.u32 %rd32, %r1, 4; add.s64 %rd33, %rd31, %rd32;
    st.global.u32 [%rd33], %r9;
    ret;)");
}

Values results(const std::string& body, std::uint32_t threads) {
  TestGrid gpu(with_result(body));
  const DeviceAddress out = gpu.upload(Values(threads));
  const GridResult result = gpu.launch({1}, {threads}, out);
  EXPECT_EQ(result.error, 0) << first_message(result);
  return gpu.download<std::uint32_t>(out, threads);
}

TEST(Alloca, GivesEachLaneMemoryOfItsOwnSize) {
  // Lane i takes 4 * (i + 1) bytes twice; the second block must leave the first one alone.
  EXPECT_EQ(results(R"(
    add.s32 %r2, %r1, 1; mul.wide.u32 %rd3, %r2, 4;
    alloca.u64 %rd4, %rd3, 16; alloca.u64 %rd5, %rd3, 16;
    add.s64 %rd6, %rd4, %rd3; add.s64 %rd7, %rd5, %rd3;
    st.local.u32 [%rd6+-4], %r1; st.local.u32 [%rd7+-4], 99;
    ld.local.u32 %r9, [%rd6+-4];)",
                    3),
            (Values{0, 1, 2}));
}

TEST(Alloca, KeepsTheAlignmentAskedFor) {
  EXPECT_EQ(results(R"(
    mov.u64 %rd3, 5; alloca.u64 %rd4, %rd3, 8; alloca.u64 %rd5, %rd3, 64;
    cvt.u32.u64 %r2, %rd5; and.b32 %r9, %r2, 63;)",
                    2),
            (Values{0, 0}));
}

TEST(Alloca, LeavesRoomForFunctionsThatCallThemselves) {
  TestGrid gpu(kernel_text(1, 0, R"(
    mov.u32 %r1, %tid.x; mov.u64 %rd3, 64; alloca.u64 %rd4, %rd3, 16;
    { .param .b32 a; .param .b32 b;
      st.param.b32 [a], %r1; call.uni (b), sum, (a); ld.param.b32 %r9, [b]; }
    ld.param.u64 %rd1, [p0]; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2;
    st.global.u32 [%rd1], %r9;
    ret;)",
                           R"(
.func (.param .b32 result) sum(.param .b32 n)
{
    .local .align 8 .b8 here[16]; .reg .b32 %r<5>; .reg .pred %p<2>;
    ld.param.u32 %r1, [n]; st.local.u32 [here], %r1;
    mov.u32 %r3, 0; setp.eq.u32 %p1, %r1, 0;
    @%p1 bra $end;
    sub.u32 %r2, %r1, 1;
    { .param .b32 a; .param .b32 b;
      st.param.b32 [a], %r2; call.uni (b), sum, (a); ld.param.b32 %r3, [b]; }
  $end:
    ld.local.u32 %r4, [here]; add.u32 %r3, %r3, %r4; st.param.b32 [result], %r3;
    ret;
})"));
  const DeviceAddress out = gpu.upload(Values(32));
  const GridResult result = gpu.launch({1}, {32}, out);
  EXPECT_EQ(result.error, 0) << first_message(result);
  EXPECT_EQ(gpu.download<std::uint32_t>(out, 32)[31], 31u * 32 / 2);
}

TEST(Stack, WhatWasTakenSinceItWasSavedIsGivenBack) {
  // In a loop of 1000 rounds that take 1 KiB each: without the restore the stack would overflow.
  EXPECT_EQ(results(R"(
    mov.u32 %r9, 0; mov.u64 %rd3, 1024;
again:
    stacksave.u64 %rd10; alloca.u64 %rd4, %rd3, 16; st.local.u32 [%rd4], %r9;
    stackrestore.u64 %rd10;
    add.s32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 1000; @%p1 bra again;)",
                    1),
            (Values{1000}));
}

GridResult failing(const std::string& body) {
  TestGrid gpu(with_result(body));
  return gpu.launch({1}, {1}, gpu.upload(Values(1)));
}

TEST(Alloca, MoreThanTheStackHoldsEndsTheGrid) {
  const GridResult result = failing("mov.u64 %rd3, 100000; alloca.u64 %rd4, %rd3, 16;");
  EXPECT_EQ(result.error, 714);
  EXPECT_NE(first_message(result).find("takes 100000 bytes with alloca"), std::string::npos)
      << first_message(result);
}

TEST(Stack, RestoringWhatWasNeverSavedEndsTheGrid) {
  EXPECT_EQ(failing("mov.u64 %rd3, 77777; stackrestore.u64 %rd3;").error, 719);
}

}  // namespace
}  // namespace gridstride::sim
