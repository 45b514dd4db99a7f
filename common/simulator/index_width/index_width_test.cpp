// What is found of indices that do not fit 32 bits, and what is right although it wraps.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "common/simulator/exec/test_grid.h"
#include "common/simulator/index_width/exact_value.h"
#include "common/simulator/index_width/narrow_indices.h"

namespace gridstride::sim {
namespace {

constexpr IntegerType s32{32, true}, u32{32, false}, s64{64, true}, u64{64, false};
constexpr std::int64_t large = (std::int64_t{1} << 33) + 0x12345679;
constexpr std::uint32_t threads = 256, many_blocks = large / threads + 1;

TEST(ExactValue, ANumberThatFitsIsWhatItsBitsAre) {
  for (const std::int64_t number : {0l, 1l, -5l, 2147483647l, -2147483648l}) {
    const ExactValue value = ExactValue::number(number, s32);
    EXPECT_EQ(static_cast<std::int64_t>(value.read(s32)), number);
    EXPECT_EQ(static_cast<std::int64_t>(value.converted(s32, s64).wrapped_by()), 0) << number;
  }
  EXPECT_EQ(static_cast<std::int64_t>(
                ExactValue::number(4294967295, u32).converted(u32, u64).wrapped_by()),
            0);
}

TEST(ExactValue, ANumberThatDoesNotFitIsOffWhenItIsWidened) {
  const ExactValue value = ExactValue::number(std::int64_t{1} << 31, s32);
  EXPECT_NE(value.converted(s32, s64).wrapped_by(), 0);
  EXPECT_EQ(static_cast<std::int64_t>(value.converted(u32, u64).wrapped_by()), 0);
  EXPECT_NE(ExactValue::number(-1, s32).converted(u32, u64).wrapped_by(), 0);
}

TEST(ExactValue, PlainBitsAreWhateverTheyAreReadAs) {
  const ExactValue value = ExactValue::plain(0xffffffff);
  EXPECT_EQ(value.converted(s32, s64).wrapped_by(), 0);
  EXPECT_EQ(value.converted(u32, u64).wrapped_by(), 0);
}

/// Of a kernel with two pointers, which are p0 and p1, and `n` (p2).
struct Launch {
  std::uint32_t blocks = many_blocks;
  std::int64_t n = large;
};
std::optional<Finding> look(const std::string& body, const Launch& launch = {}) {
  const TestGrid gpu(kernel_text(3, 0,
                                 "ld.param.u64 %rd1, [p0]; ld.param.u64 %rd2, [p1];"
                                 "ld.param.u64 %rd3, [p2]; mov.u32 %r1, %ctaid.x;"
                                 "mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;" +
                                     body + "ret;"));
  const KernelCode& code = gpu.program->kernels.front();
  std::vector<std::byte> arguments(code.argument_bytes);
  const std::uint64_t values[] = {0xa0100000000, 0xa0900000000,
                                  static_cast<std::uint64_t>(launch.n)};
  std::memcpy(arguments.data(), values, sizeof values);
  LaunchedKernel launched;
  launched.function = code.kernel;
  launched.grid = {launch.blocks, 1, 1};
  launched.block = {threads, 1, 1};
  launched.arguments = arguments;
  for (const ParamSlot& slot : code.parameters) launched.offsets.push_back(slot.offset);
  const PlaceNames names(*gpu.program, code, gpu.memory, launched.grid, launched.block, 0);
  return narrow_index(launched, code, names);
}

const std::string access = R"(
  setp.ge.s64 %p1, %rd4, %rd3;
  @%p1 bra $end;
  shl.b64 %rd5, %rd4, 2; add.s64 %rd6, %rd1, %rd5;
  ld.global.f32 %f1, [%rd6];
  $end:
)";

void expect_found(const std::string& body, const Launch& launch = {}) {
  const auto finding = look(body, launch);
  ASSERT_TRUE(finding) << body;
  EXPECT_EQ(finding->kind, FindingKind::narrow_index);
  EXPECT_NE(finding->message.find("does not fit the 32 bits"), std::string::npos);
}
void expect_right(const std::string& body, const Launch& launch = {}) {
  const auto finding = look(body, launch);
  EXPECT_FALSE(finding) << finding->message << body;
}

TEST(NarrowIndex, AProductOf32BitsThatIsWidenedIsFound) {
  expect_found("mad.lo.s32 %r4, %r1, %r2, %r3; cvt.s64.s32 %rd4, %r4;" + access);
  expect_found("mad.lo.s32 %r4, %r1, %r2, %r3; cvt.u64.u32 %rd4, %r4;" + access);
  expect_found("shl.b32 %r4, %r1, 8; add.s32 %r4, %r4, %r3; cvt.s64.s32 %rd4, %r4;" + access);
  expect_found(
      "mul.lo.s32 %r4, %r1, %r2; mul.wide.s32 %rd5, %r4, 4; add.s64 %rd6, %rd1, %rd5;"
      "st.global.u32 [%rd6+4], %r3;");
}

TEST(NarrowIndex, OneOf64BitsIsRight) {
  expect_right("mul.wide.u32 %rd4, %r1, %r2; cvt.u64.u32 %rd5, %r3; add.s64 %rd4, %rd4, %rd5;" +
               access);
  expect_right("mad.wide.u32 %rd4, %r1, %r2, %rd3; sub.s64 %rd4, %rd4, %rd3;" + access);
}

TEST(NarrowIndex, AGridThatIsCappedHasSmallIndices) {
  const std::string start = "mad.lo.s32 %r4, %r1, %r2, %r3; cvt.s64.s32 %rd4, %r4;";
  expect_right(start + access, {.blocks = 1024});
  // The loop goes on in 64 bits.
  expect_right(start + R"(
    mov.u32 %r5, %nctaid.x; mul.wide.u32 %rd7, %r5, %r2;
  $loop:
    shl.b64 %rd5, %rd4, 2; add.s64 %rd6, %rd1, %rd5;
    ld.global.f32 %f1, [%rd6];
    add.s64 %rd4, %rd4, %rd7;
    setp.lt.s64 %p1, %rd4, %rd3;
    @%p1 bra $loop;)",
               {.blocks = 1024});
}

TEST(NarrowIndex, ALoopThatCountsIn32BitsIsFoundInItsLastRound) {
  expect_found(R"(
    mad.lo.s32 %r4, %r1, %r2, %r3; cvt.s64.s32 %rd4, %r4;
    mov.u32 %r5, %nctaid.x; mul.lo.s32 %r6, %r5, %r2;
  $loop:
    shl.b64 %rd5, %rd4, 2; add.s64 %rd6, %rd1, %rd5;
    ld.global.f32 %f1, [%rd6];
    add.s32 %r4, %r4, %r6;
    cvt.s64.s32 %rd4, %r4;
    setp.lt.s64 %p1, %rd4, %rd3;
    @%p1 bra $loop;)",
               {.blocks = 1024});
}

TEST(NarrowIndex, ACutNumberIsFound) {
  expect_found("mul.wide.u32 %rd4, %r1, %r2; cvt.u32.u64 %r4, %rd4; cvt.u64.u32 %rd4, %r4;" +
               access);
}

TEST(NarrowIndex, WhatIsGuardedIsNotAccessed) {
  expect_right(
      "mul.lo.s32 %r4, %r1, %r2; mul.wide.s32 %rd5, %r4, 4; add.s64 %rd6, %rd1, %rd5;"
      "setp.lt.u32 %p1, %r1, 1000; @%p1 st.global.u32 [%rd6], %r3;");
}

TEST(NarrowIndex, MasksAndDifferencesMayWrap) {
  // A hash, of which some bits are an index.
  expect_right(
      "mul.lo.s32 %r4, %r1, -1640531535; and.b32 %r4, %r4, 1023; mul.wide.u32 %rd5, %r4, 4;"
      "add.s64 %rd6, %rd1, %rd5; ld.global.u32 %r5, [%rd6];");
  // Negative for a while.
  expect_right(
      "sub.s32 %r4, %r3, 1000; add.s32 %r4, %r4, 2000; mul.wide.u32 %rd5, %r4, 4;"
      "add.s64 %rd6, %rd1, %rd5; ld.global.u32 %r5, [%rd6];");
  // A negative offset.
  expect_right(
      "sub.s32 %r4, %r3, 1000; mul.wide.s32 %rd5, %r4, 4; add.s64 %rd6, %rd1, %rd5;"
      "ld.global.u32 %r5, [%rd6];");
}

TEST(NarrowIndex, WhatMemorySaysIsNotKnown) {
  expect_right(
      "ld.global.u32 %r4, [%rd2]; mad.lo.s32 %r4, %r4, %r2, %r3; mul.wide.s32 %rd5, %r4, 4;"
      "add.s64 %rd6, %rd1, %rd5; ld.global.u32 %r5, [%rd6];");
  // A loop that ends when a flag is set is left.
  expect_found(R"(
  $wait:
    ld.volatile.global.u32 %r4, [%rd2]; setp.eq.s32 %p1, %r4, 0;
    @%p1 bra $wait;
    mul.lo.s32 %r4, %r1, %r2; mul.wide.s32 %rd5, %r4, 4; add.s64 %rd6, %rd1, %rd5;
    ld.global.u32 %r5, [%rd6];)");
}

TEST(NarrowIndex, EndlessLoopsEnd) {
  expect_right("$loop: add.s32 %r4, %r4, 1; bra.uni $loop;");
  expect_right("$loop: add.s64 %rd3, %rd3, 1; setp.ne.s64 %p1, %rd3, 0; @%p1 bra $loop;");
}

}  // namespace
}  // namespace gridstride::sim
