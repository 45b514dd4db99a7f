// PTX that no compiler writes: refused when it is launched, and never a crash.
#include <gtest/gtest.h>

#include <string>

#include "common/simulator/base/unsupported.h"
#include "common/simulator/exec/test_grid.h"

namespace gridstride::sim {
namespace {

/// What launching a kernel of `body` says.
std::string refusal(const std::string& body, const std::string& module_part = "") {
  TestGrid gpu(kernel_text(1, 0, body, module_part));
  try {
    gpu.launch({1}, {32}, DeviceAddress{0});
  } catch (const Unsupported& error) {
    return error.what();
  }
  return "it ran";
}

void expect_refused(const std::string& text, const std::string& word) {
  EXPECT_NE(text.find(word), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("is not supported by the simulated GPU")) << text;
}

TEST(Hostile, RegistersNarrowerThanTheInstruction) {
  expect_refused(refusal("add.u64 %r1, %r2, %r3; ret;"), "add.u64");
  expect_refused(refusal("ld.global.u64 %r1, [%rd1]; ret;"), "ld.global.u64");
  expect_refused(refusal("ld.global.u32 %p1, [%rd1]; ret;"), "ld.global.u32");
  expect_refused(refusal("ld.global.u32 %r1, [%p1]; ret;"), "ld.global.u32");
  expect_refused(refusal("st.shared.v2.u64 [%r1], {%r2, %r3}; ret;"), "st.shared.v2.u64");
  expect_refused(refusal("atom.global.cas.b64 %rd1, [%rd2], %rd3, %r4; ret;"), "cas.b64");
  expect_refused(refusal("shfl.sync.idx.b32 %p1, %r1, 0, 31, -1; ret;"), "shfl");
  expect_refused(refusal("vote.sync.ballot.b32 %p1, %p2, -1; ret;"), "vote");
  expect_refused(refusal("bar.sync %p1; ret;"), "bar.sync");
  expect_refused(refusal("cvta.global.u64 %r1, %r2; ret;"), "cvta");
}

TEST(Hostile, WrongNumbersAndKindsOfOperands) {
  expect_refused(refusal("ld.global.u32 %r1; ret;"), "ld.global.u32");
  expect_refused(refusal("ld.global.v4.u32 {%r1, %r2}, [%rd1]; ret;"), "ld.global.v4.u32");
  expect_refused(refusal("ld.global.u32 %r1, %rd1; ret;"), "ld.global.u32");
  expect_refused(refusal("st.param.u32 [p0], %r1; ret;"), "st.param.u32");
  expect_refused(refusal("brx.idx %r1, nowhere; ret;"), "nowhere");
  expect_refused(refusal("ld.param.u64 %rd1, [p0+4]; ret;"), "parameters");
  expect_refused(refusal("ld.global.u32 %r1, [nothing]; ret;"), "nothing");
}

TEST(Hostile, MoreMemoryThanAnyDeviceHas) {
  expect_refused(refusal(".shared .align 4 .b8 a[4294967295]; .shared .b8 b[4294967295]; ret;"),
                 "shared memory");
  expect_refused(refusal(".local .align 4 .b8 a[1000000000]; ret;"), "local memory");
  EXPECT_THROW(TestGrid(kernel_text(0, 0, "ret;", ".global .b8 huge[1000000000000];")),
               Unsupported);
}

TEST(Hostile, AnEmptyKernelOnAHugeGridTimesOut) {
  TestGrid gpu(kernel_text(0, 0, ""));
  gpu.request.instruction_budget = 1000;
  EXPECT_EQ(gpu.launch({0x7fffffff, 65535, 65535}, {1}).error, 702);
}

TEST(Hostile, AWildJumpThroughAPointer) {
  TestGrid gpu(kernel_text(1, 0, R"(
    ld.param.u64 %rd1, [p0];
    { proto: .callprototype _ (); call %rd1, (), proto; }
    ret;)"));
  const GridResult result = gpu.launch({1}, {32}, DeviceAddress{0x1234});
  EXPECT_EQ(result.error, 718);
  EXPECT_NE(first_message(result).find("pointer"), std::string::npos);
}

TEST(Hostile, ABarrierNumberThatDoesNotExist) {
  TestGrid gpu(kernel_text(0, 1, "ld.param.u32 %r1, [n0]; bar.sync %r1; ret;"));
  EXPECT_EQ(gpu.launch({1}, {32}, 15).error, 0);
  EXPECT_EQ(gpu.launch({1}, {32}, 16).error, 719);
}

}  // namespace
}  // namespace gridstride::sim
