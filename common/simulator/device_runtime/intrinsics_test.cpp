// Functions of the device runtime: printf, malloc and free, assert.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "common/simulator/base/unsupported.h"
#include "common/simulator/device_runtime/print_buffer.h"
#include "common/simulator/exec/test_grid.h"

namespace gridstride::sim {
namespace {

using Values = std::vector<std::uint32_t>;

/// The bytes of a string with its end, as a PTX initialiser.
std::string bytes(const std::string& text) {
  std::string list;
  for (const char letter : text) list += std::to_string(static_cast<int>(letter)) + ", ";
  return "[" + std::to_string(text.size() + 1) + "] = {" + list + "0};\n";
}

const char* const print_declaration = R"(
  .extern .func (.param .b32 func_retval0) vprintf (.param .b64 a, .param .b64 b);
)";

/// What a kernel prints that calls printf(format, …) with what `fill` stores into its buffer at
/// %rd3; `value`: what printf returned to the last thread.
std::string printed(const std::string& format, const std::string& fill, std::uint32_t threads = 1,
                    std::uint32_t* value = nullptr) {
  TestGrid gpu(kernel_text(1, 0,
                           R"(
    .local .align 8 .b8 depot[64];
    mov.u32 %r1, %tid.x;
    mov.u64 %rd3, depot; cvta.local.u64 %rd4, %rd3;
    mov.u64 %rd5, format; cvta.global.u64 %rd6, %rd5; mov.u64 %rd7, name;)" +
                               fill + R"(
    { .param .b64 p0; .param .b64 p1; .param .b32 result;
      st.param.b64 [p0], %rd6; st.param.b64 [p1], %rd4;
      call.uni (result), vprintf, (p0, p1);
      ld.param.b32 %r9, [result]; }
    ld.param.u64 %rd1, [p0]; st.global.u32 [%rd1], %r9;
    ret;)",
                           std::string(print_declaration) + ".global .align 1 .b8 format" +
                               bytes(format) + ".global .align 1 .b8 name" + bytes("lane")));
  gpu.request.checks.look_for(FindingKind::global_race, false);  // every thread stores what it got
  PrintBuffer text;
  gpu.request.printed = &text;
  const DeviceAddress out = gpu.upload(Values{0});
  const GridResult result = gpu.launch({1}, {threads}, out);
  EXPECT_EQ(result.error, 0) << first_message(result);
  if (value) *value = gpu.download<std::uint32_t>(out, 1)[0];
  return text.take();
}

TEST(Printf, PrintsOneLineForEachThread) {
  EXPECT_EQ(printed("%s %d of %u\n", R"(
    st.local.u64 [%rd3], %rd7; st.local.u32 [%rd3+8], %r1; st.local.u32 [%rd3+12], 2;)",
                    2),
            "lane 0 of 2\nlane 1 of 2\n");
}

TEST(Printf, WidthsAndTypes) {
  EXPECT_EQ(printed("[%5d|%-4u|%05.1f|%lld|%x|%c|%%|%*d]", R"(
    st.local.u32 [%rd3], -7; st.local.u32 [%rd3+4], 8;
    mov.f64 %fd1, 0d4004000000000000; st.local.f64 [%rd3+8], %fd1;
    st.local.u64 [%rd3+16], -5; st.local.u32 [%rd3+24], 255; st.local.u32 [%rd3+28], 65;
    st.local.u32 [%rd3+32], 4; st.local.u32 [%rd3+36], 1;)"),
            "[   -7|8   |002.5|-5|ff|A|%|   1]");
}

TEST(Printf, AHugeWidthIsCut) {
  EXPECT_LT(printed("%999999999d", "st.local.u32 [%rd3], 1;").size(), 1100u);
}

TEST(Printf, ShortIntegersAreCut) {
  EXPECT_EQ(printed("%hd %hu %hhd %hhx %ld", R"(
    st.local.u32 [%rd3], 98303; st.local.u32 [%rd3+4], -1; st.local.u32 [%rd3+8], 384;
    st.local.u32 [%rd3+12], -1; st.local.u64 [%rd3+16], -1;)"),
            "32767 65535 -128 ff -1");
}

TEST(Printf, LongTextsAreWhole) {
  const std::string format = "%700d|";
  EXPECT_EQ(printed(format, "st.local.u32 [%rd3], 1;"), std::string(699, ' ') + "1|");
}

TEST(Printf, ReturnsTheNumberOfArguments) {
  std::uint32_t value = 99;
  EXPECT_EQ(printed("nothing %%\n", "", 1, &value), "nothing %\n");
  EXPECT_EQ(value, 0u);
  printed("%d %*d", R"(
    st.local.u32 [%rd3], 1; st.local.u32 [%rd3+4], 2; st.local.u32 [%rd3+8], 3;)",
          1, &value);
  EXPECT_EQ(value, 3u);
  EXPECT_EQ(printed("ignored", "mov.u64 %rd6, 0;", 1, &value), "");
  EXPECT_EQ(value, ~0u);
}

TEST(DeviceHeap, WhatIsAllocatedCanBeUsedUntilItIsFreed) {
  const std::string body = R"(
    ld.param.u64 %rd1, [p0];
    { .param .b64 a; .param .b64 r;
      st.param.b64 [a], 64; call.uni (r), malloc, (a); ld.param.b64 %rd2, [r]; }
    st.u32 [%rd2+60], 5; ld.u32 %r2, [%rd2+60]; st.global.u32 [%rd1], %r2;
    { .param .b64 a; st.param.b64 [a], %rd2; call.uni free, (a); }
    %AGAIN%
    ret;)";
  const char* const declarations = R"(
    .extern .func (.param .b64 r) malloc (.param .b64 n);
    .extern .func free (.param .b64 p);)";
  const auto text = [&](const std::string& again) {
    std::string filled = body;
    return kernel_text(1, 0, filled.replace(filled.find("%AGAIN%"), 7, again), declarations);
  };
  TestGrid right(text(""));
  const DeviceAddress out = right.upload(Values{0});
  const GridResult result = right.launch({1}, {1}, out);
  EXPECT_EQ(result.error, 0) << first_message(result);
  EXPECT_EQ(right.download<std::uint32_t>(out, 1)[0], 5u);

  TestGrid stale(text("ld.u32 %r2, [%rd2];"));
  const GridResult late = stale.launch({1}, {1}, stale.upload(Values{0}));
  ASSERT_EQ(late.findings.size(), 1u);
  EXPECT_EQ(late.findings[0].kind, FindingKind::use_after_free);

  TestGrid twice(text("{ .param .b64 a; st.param.b64 [a], %rd2; call.uni free, (a); }"));
  const GridResult again = twice.launch({1}, {1}, twice.upload(Values{0}));
  EXPECT_EQ(again.error, 719);
  ASSERT_EQ(again.findings.size(), 1u);
  EXPECT_EQ(again.findings[0].kind, FindingKind::double_free);
}

TEST(Assert, NamesTheConditionAndStops) {
  TestGrid gpu(kernel_text(0, 0, R"(
    mov.u64 %rd1, condition; cvta.global.u64 %rd1, %rd1;
    mov.u64 %rd2, file; cvta.global.u64 %rd2, %rd2;
    { .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;
      st.param.b64 [a], %rd1; st.param.b64 [b], %rd2; st.param.b32 [c], 17;
      st.param.b64 [d], %rd2; st.param.b64 [e], 1;
      call.uni __assertfail, (a, b, c, d, e); }
    ret;)",
                           R"(
    .extern .func __assertfail
      (.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);)" +
                               (".global .align 1 .b8 condition" + bytes("n > 0")) +
                               ".global .align 1 .b8 file" + bytes("/tmp/kernel.cu")));
  const GridResult result = gpu.launch({1}, {1});
  EXPECT_EQ(result.error, 710);
  EXPECT_NE(first_message(result).find("fails the assertion 'n > 0' (kernel.cu, line 17)"),
            std::string::npos)
      << first_message(result);
}

TEST(Extern, AFunctionThatNobodyDefinesIsRefusedByName) {
  TestGrid gpu(kernel_text(0, 0, "call.uni mystery; ret;", ".extern .func mystery ();"));
  try {
    gpu.launch({1}, {1});
    FAIL() << "it ran";
  } catch (const Unsupported& error) {
    EXPECT_NE(std::string(error.what()).find("mystery"), std::string::npos);
  }
}

}  // namespace
}  // namespace gridstride::sim
