// Loads and stores of every width, space and vector length.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "common/simulator/exec/test_grid.h"

namespace gridstride::sim {
namespace {

using Values = std::vector<std::uint32_t>;

const char* const setup = R"(
  ld.param.u64 %rd1, [p0]; ld.param.u64 %rd2, [p1]; mov.u32 %r1, %tid.x;
)";

TEST(Memory, NarrowLoadsExtendAsTheirTypeSays) {
  TestGrid gpu(kernel_text(2, 0, std::string(setup) + R"(
    ld.global.u8 %r2, [%rd1]; ld.global.s8 %r3, [%rd1];
    ld.global.u16 %r4, [%rd1]; ld.global.s16 %r5, [%rd1];
    ld.global.s32 %rd5, [%rd1]; ld.global.u32 %rd6, [%rd1];
    ld.global.u8 %h1, [%rd1+1];
    st.global.u32 [%rd2], %r2; st.global.u32 [%rd2+4], %r3;
    st.global.u32 [%rd2+8], %r4; st.global.u32 [%rd2+12], %r5;
    st.global.u64 [%rd2+16], %rd5; st.global.u64 [%rd2+24], %rd6;
    st.global.u16 [%rd2+32], %h1; st.global.u8 [%rd2+34], %r5; st.global.u8 [%rd2+35], %rd5;
    ret;)"));
  const DeviceAddress in = gpu.upload(Values{0x80fffe90u});
  const DeviceAddress out = gpu.upload(Values(9, 0));
  const GridResult result = gpu.launch({1}, {1}, in, out);
  ASSERT_EQ(result.error, 0) << first_message(result);
  const Values expected{0x90,       0xffffff90, 0xfe90,     0xfffffe90, 0x80fffe90,
                        0xffffffff, 0x80fffe90, 0x00000000, 0x909000fe};
  EXPECT_EQ(gpu.download<std::uint32_t>(out, 9), expected);
}

TEST(Memory, VectorsMoveTheirElementsInOrder) {
  for (const char* space : {"global", "shared"}) {
    const bool shared = std::string(space) == "shared";
    TestGrid gpu(kernel_text(2, 0,
                             std::string(setup) + R"(
      .shared .align 16 .b8 area[4096];
      mul.wide.u32 %rd3, %r1, 16; add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3;
      mov.u64 %rd6, area; add.s64 %rd6, %rd6, %rd3;
      ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd4];)" +
                                 (shared ? R"(
      st.shared.v4.u32 [%rd6], {%r5, %r4, %r3, %r2};
      ld.shared.v2.u64 {%rd7, %rd8}, [%rd6];
      st.global.v2.u64 [%rd5], {%rd7, %rd8};)"
                                         : R"(
      st.global.v4.u32 [%rd5], {%r5, %r4, %r3, %r2};)") +
                                 " ret;"));
    Values in(4 * 40);
    for (std::uint32_t i = 0; i < in.size(); ++i) in[i] = i * 3;
    const DeviceAddress from = gpu.upload(in), to = gpu.memory.allocate(in.size() * 4);
    const GridResult result = gpu.launch({1}, {40}, from, to);
    ASSERT_EQ(result.error, 0) << first_message(result);
    EXPECT_TRUE(result.findings.empty()) << first_message(result);
    const auto out = gpu.download<std::uint32_t>(to, in.size());
    for (std::uint32_t i = 0; i < in.size(); ++i) EXPECT_EQ(out[i], in[i / 4 * 4 + 3 - i % 4]);
    EXPECT_EQ(result.counters.global_load_sectors, 16u + 4);
  }
}

TEST(Memory, LocalArraysBelongToOneThread) {
  TestGrid gpu(kernel_text(2, 0, std::string(setup) + R"(
    .local .align 16 .b8 depot[64];
    mov.u64 %rd3, depot; cvta.local.u64 %rd4, %rd3;
    st.local.u32 [%rd3], %r1;
    mul.lo.u32 %r2, %r1, 10; st.u32 [%rd4+4], %r2;
    and.b32 %r3, %r1, 1; mul.wide.u32 %rd5, %r3, 4; add.s64 %rd6, %rd3, %rd5;
    ld.local.u32 %r4, [%rd6];
    mul.wide.u32 %rd7, %r1, 4; add.s64 %rd8, %rd2, %rd7;
    st.global.u32 [%rd8], %r4;
    ret;)"));
  const DeviceAddress out = gpu.memory.allocate(64 * 4);
  const GridResult result = gpu.launch({1}, {64}, out, out);
  ASSERT_EQ(result.error, 0) << first_message(result);
  const auto v = gpu.download<std::uint32_t>(out, 64);
  for (std::uint32_t t = 0; t < 64; ++t) EXPECT_EQ(v[t], t % 2 ? t * 10 : t);
  EXPECT_EQ(result.counters.local_requests, 6u);
  EXPECT_EQ(result.counters.local_sectors, 2 * (4u + 4 + 8));  // the last one reads two words
}

TEST(Memory, TheL1GivesOneLineACycleFromTheSameBanks) {
  const auto passes = [](std::uint32_t words_apart) {
    TestGrid gpu(kernel_text(2, 0,
                             std::string(setup) + R"(
      mul.lo.u32 %r2, %r1, )" + std::to_string(4 * words_apart) +
                                 R"(;
      cvt.u64.u32 %rd3, %r2; add.s64 %rd3, %rd3, %rd1; ld.global.u32 %r3, [%rd3]; ret;)"));
    const DeviceAddress in = gpu.upload(Values(32 * 48, 1));
    return gpu.launch({1}, {32}, in, in).counters.l1_passes;
  };
  EXPECT_EQ(passes(1), 1u);
  EXPECT_EQ(passes(8), 8u);
  EXPECT_EQ(passes(32), 32u);
  EXPECT_EQ(passes(33), 8u);  // as an H200 does, within a clock (model/measure/latencies.csv)
  EXPECT_EQ(passes(48), 16u);
}

TEST(Memory, StoresToTheLinesOfTheOneBeforeMerge) {
  // Each lane two words of a record of its own, one after the other.
  const auto stored = [](std::uint32_t record_words) {
    TestGrid gpu(kernel_text(2, 0,
                             std::string(setup) + "mul.lo.u32 %r2, %r1, " +
                                 std::to_string(4 * record_words) +
                                 "; cvt.u64.u32 %rd3, %r2; add.s64 %rd3, %rd3, %rd2;"
                                 "st.global.u32 [%rd3], %r1; st.global.u32 [%rd3+4], %r1; ret;"));
    const DeviceAddress out = gpu.memory.allocate(32 * 4 * record_words);
    return gpu.launch({1}, {32}, out, out).counters;
  };
  EXPECT_EQ(stored(4).global_store_sectors, 2 * 16u);
  EXPECT_EQ(stored(4).merged_sectors, 16u);
  EXPECT_EQ(stored(4).l2_write_lines, 4u);
  EXPECT_EQ(stored(8).merged_sectors, 0u);
  EXPECT_EQ(stored(8).l2_write_lines, 2 * 8u);
}

TEST(Memory, ConstantAndGlobalVariablesHoldTheirInitialValues) {
  TestGrid gpu(kernel_text(2, 0, std::string(setup) + R"(
    mov.u64 %rd3, table; mul.wide.u32 %rd4, %r1, 4; add.s64 %rd3, %rd3, %rd4;
    ld.const.u32 %r2, [%rd3];
    mov.u64 %rd5, pointer; ld.global.u64 %rd6, [%rd5]; ld.u32 %r3, [%rd6];
    ld.global.u32 %r4, [counter]; add.u32 %r2, %r2, %r3; add.u32 %r2, %r2, %r4;
    add.s64 %rd7, %rd2, %rd4; st.global.u32 [%rd7], %r2;
    ret;)",
                           R"(
    .const .align 4 .b8 table[16] = {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4};
    .global .align 4 .u32 counter = 100;
    .global .align 8 .u64 pointer = generic(counter);)"));
  const DeviceAddress out = gpu.memory.allocate(16);
  const GridResult result = gpu.launch({1}, {4}, out, out);
  ASSERT_EQ(result.error, 0) << first_message(result);
  EXPECT_EQ(gpu.download<std::uint32_t>(out, 4), (Values{201, 202, 203, 204}));
  EXPECT_EQ(gpu.download<std::uint32_t>(gpu.symbol("counter"), 1)[0], 100u);
  EXPECT_EQ(result.counters.constant_requests, 1u + 2);  // the table and two parameters
  EXPECT_EQ(result.counters.constant_passes, 4u);        // each lane its own element of the table
  EXPECT_EQ(result.counters.constant_misses_apart, 1u);  // of one line
  EXPECT_EQ(result.counters.constant_lines, 0u);
}

TEST(Memory, SixteenBytesOfConstantsAreTwoLoads) {
  const auto passes = [](const std::string& type, const std::string& to) {
    TestGrid gpu(kernel_text(1, 0,
                             "mov.u32 %r1, %tid.x; mov.u64 %rd3, table; mul.wide.u32 %rd4, %r1, 16;"
                             "add.s64 %rd3, %rd3, %rd4; ld.const" +
                                 type + " " + to + ", [%rd3]; ret;",
                             ".const .align 16 .b8 table[64];"));
    return gpu.launch({1}, {4}, gpu.memory.allocate(16)).counters.constant_passes;
  };
  EXPECT_EQ(passes(".u32", "%r2"), 4u);
  EXPECT_EQ(passes(".v2.u32", "{%r2, %r3}"), 4u);
  EXPECT_EQ(passes(".v4.u32", "{%r2, %r3, %r4, %r5}"), 8u);
}

TEST(Memory, ParametersCanBeIndexed) {
  const std::string text = R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .align 4 .b8 s[20], .param .u64 out, .param .u16 h)
{ .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .b16 %h<2>;
  mov.b64 %rd1, s; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2;
  ld.param.u32 %r2, [%rd1]; ld.param.u64 %rd3, [out]; ld.param.u16 %h1, [h];
  cvt.u32.u16 %r3, %h1; add.u32 %r2, %r2, %r3;
  add.s64 %rd3, %rd3, %rd2; st.global.u32 [%rd3], %r2; ret; })";
  TestGrid gpu(text);
  struct Five {
    std::uint32_t v[5];
  };
  const DeviceAddress out = gpu.memory.allocate(20);
  const GridResult result = gpu.launch({1}, {5}, Five{{5, 6, 7, 8, 9}}, out, std::uint16_t{1000});
  ASSERT_EQ(result.error, 0) << first_message(result);
  EXPECT_EQ(gpu.download<std::uint32_t>(out, 5), (Values{1005, 1006, 1007, 1008, 1009}));
}

TEST(Memory, GenericAddressesTellTheirSpace) {
  TestGrid gpu(kernel_text(2, 0, std::string(setup) + R"(
    .shared .align 4 .b8 area[4];
    .local .align 4 .b8 depot[4];
    mov.u64 %rd3, area; cvta.shared.u64 %rd4, %rd3;
    mov.u64 %rd5, depot; cvta.local.u64 %rd6, %rd5;
    mov.u32 %r9, 0;
    isspacep.global %p1, %rd1; isspacep.shared %p2, %rd4; isspacep.local %p3, %rd6;
    isspacep.shared %p4, %rd1; isspacep.global %p5, %rd6;
    @%p1 add.u32 %r9, %r9, 1; @%p2 add.u32 %r9, %r9, 2; @%p3 add.u32 %r9, %r9, 4;
    @%p4 add.u32 %r9, %r9, 8; @%p5 add.u32 %r9, %r9, 16;
    mov.u64 %rd9, fixed; cvta.const.u64 %rd9, %rd9;
    isspacep.const %p6, %rd9; isspacep.const %p7, %rd1; isspacep.global %p8, %rd9;
    @%p6 add.u32 %r9, %r9, 32; @%p7 add.u32 %r9, %r9, 64; @%p8 add.u32 %r9, %r9, 128;
    cvta.to.shared.u64 %rd7, %rd4; sub.s64 %rd8, %rd7, %rd3; cvt.u32.u64 %r8, %rd8;
    add.u32 %r9, %r9, %r8;
    st.global.u32 [%rd2], %r9;
    ret;)",
                           ".const .align 4 .b8 fixed[4];"));
  const DeviceAddress out = gpu.memory.allocate(4);
  const GridResult result = gpu.launch({1}, {1}, out, out);
  ASSERT_EQ(result.error, 0) << first_message(result);
  EXPECT_EQ(gpu.download<std::uint32_t>(out, 1)[0], 7u + 32 + 128);
}

TEST(Memory, DynamicSharedMemoryStandsBehindTheStatic) {
  TestGrid gpu(kernel_text(2, 0, std::string(setup) + R"(
    .shared .align 4 .b8 fixed[20];
    mov.u32 %r2, dynamic; mov.u32 %r3, fixed;
    mov.u32 %r4, %dynamic_smem_size; mov.u32 %r5, %total_smem_size;
    st.shared.u32 [%r2+60], %r4; ld.shared.u32 %r6, [%r2+60];
    st.global.u32 [%rd2], %r2; st.global.u32 [%rd2+4], %r5; st.global.u32 [%rd2+8], %r6;
    ret;)",
                           ".extern .shared .align 16 .b8 dynamic[];"));
  gpu.request.dynamic_shared = 64;
  const DeviceAddress out = gpu.memory.allocate(12);
  const GridResult result = gpu.launch({1}, {1}, out, out);
  ASSERT_EQ(result.error, 0) << first_message(result);
  EXPECT_EQ(gpu.download<std::uint32_t>(out, 3), (Values{32, 96, 64}));
  EXPECT_EQ(gpu.info.kernels[0].static_shared, 32u);
}

TEST(Memory, ASecondLaunchFindsItsDataInTheL2) {
  TestGrid gpu(kernel_text(2, 0, std::string(setup) + R"(
    mul.wide.u32 %rd3, %r1, 4; add.s64 %rd3, %rd1, %rd3;
    ld.global.u32 %r2, [%rd3];
    add.u32 %r3, %r2, 1;  // waits for it
    ret;)"));
  const DeviceAddress in = gpu.upload(Values(256, 1));
  const GridResult cold = gpu.launch({1}, {256}, in, in);
  EXPECT_EQ(cold.counters.dram_read_sectors, 32u);
  const GridResult warm = gpu.launch({1}, {256}, in, in);
  EXPECT_EQ(warm.counters.dram_read_sectors, 0u);
  EXPECT_EQ(warm.counters.l2_hit_sectors, 32u);
  EXPECT_LT(warm.block_latency_cycles, cold.block_latency_cycles);
}

}  // namespace
}  // namespace gridstride::sim
