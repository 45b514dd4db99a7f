// Atomics: what they compute, what they return, what they cost; threads that wait for each other.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/simulator/base/unsupported.h"
#include "common/simulator/exec/test_grid.h"

namespace gridstride::sim {
namespace {

using Values = std::vector<std::uint32_t>;

const char* const setup = R"(
  ld.param.u64 %rd1, [p0]; mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r2, %r2, %r3, %r1;
)";

/// The word at p0 after `operation` by 64 threads of 2 blocks; starts as `start`.
std::uint32_t after(const std::string& operation, std::uint32_t start) {
  TestGrid gpu(kernel_text(1, 0, setup + operation + " ret;"));
  const DeviceAddress out = gpu.upload(Values{start});
  const GridResult result = gpu.launch({2}, {32}, out);
  EXPECT_EQ(result.error, 0) << first_message(result);
  return gpu.download<std::uint32_t>(out, 1)[0];
}

TEST(Atomics, EveryOperationOn32Bits) {
  EXPECT_EQ(after("red.global.add.u32 [%rd1], %r2;", 5), 5 + 63u * 64 / 2);
  EXPECT_EQ(after("atom.global.add.s32 %r4, [%rd1], -1;", 5), 5u - 64);
  EXPECT_EQ(after("atom.global.min.s32 %r4, [%rd1], -3;", 5), -3u);
  EXPECT_EQ(after("atom.global.min.u32 %r4, [%rd1], -3;", 5), 5u);
  EXPECT_EQ(after("atom.max.u32 %r4, [%rd1], %r2;", 5), 63u);
  EXPECT_EQ(after("red.global.or.b32 [%rd1], %r2;", 0), 63u);
  EXPECT_EQ(after("red.global.and.b32 [%rd1], 12;", 0xff), 12u);
  EXPECT_EQ(after("red.global.xor.b32 [%rd1], %r2;", 1), 1u);
  EXPECT_EQ(after("atom.global.inc.u32 %r4, [%rd1], 9;", 0), 64u % 10);
  EXPECT_EQ(after("atom.global.dec.u32 %r4, [%rd1], 9;", 0), (10u - 64 % 10) % 10);
  EXPECT_EQ(after("atom.global.exch.b32 %r4, [%rd1], 44;", 0), 44u);
  EXPECT_EQ(after("atom.global.cas.b32 %r4, [%rd1], 7, 8;", 7), 8u);
  EXPECT_EQ(after("atom.global.cas.b32 %r4, [%rd1], 7, 8;", 6), 6u);
  EXPECT_EQ(after("atom.acq_rel.gpu.global.add.u32 %r4, [%rd1], 1;", 0), 64u);
}

TEST(Atomics, FloatsAnd64Bits) {
  TestGrid gpu(kernel_text(3, 0, std::string(setup) + R"(
    ld.param.u64 %rd2, [p1]; ld.param.u64 %rd3, [p2];
    red.global.add.f32 [%rd1], 0f3F000000;
    cvt.u64.u32 %rd5, %r2;
    atom.global.max.u64 %rd6, [%rd2], %rd5;
    red.global.add.f64 [%rd3], 0d3FD0000000000000;
    ret;)"));
  const DeviceAddress f = gpu.upload(std::vector<float>{1});
  const DeviceAddress u = gpu.upload(std::vector<std::uint64_t>{3});
  const DeviceAddress d = gpu.upload(std::vector<double>{0});
  const GridResult result = gpu.launch({2}, {32}, f, u, d);
  EXPECT_EQ(result.error, 0) << first_message(result);
  EXPECT_EQ(gpu.download<float>(f, 1)[0], 33.f);
  EXPECT_EQ(gpu.download<std::uint64_t>(u, 1)[0], 63u);
  EXPECT_EQ(gpu.download<double>(d, 1)[0], 16.0);
}

/// The first `count` words at p0, which start as 0, after `operation` by one warp.
Values words_after(const std::string& operation, std::size_t count) {
  TestGrid gpu(kernel_text(1, 0, setup + operation + " ret;"));
  const DeviceAddress out = gpu.upload(Values(count, 0));
  const GridResult result = gpu.launch({1}, {32}, out);
  EXPECT_EQ(result.error, 0) << first_message(result);
  return gpu.download<std::uint32_t>(out, count);
}

TEST(Atomics, SixteenBits) {
  // 1 is 3c00 as f16 and 3f80 as bf16; 32 of them are 5000 and 4200.
  EXPECT_EQ(words_after("mov.b16 %h1, 0x3c00; red.global.add.noftz.f16 [%rd1], %h1;", 1)[0],
            0x5000u);
  EXPECT_EQ(words_after("mov.b16 %h1, 0x3f80; atom.add.noftz.bf16 %h2, [%rd1+2], %h1;", 1)[0],
            0x42000000u);
  EXPECT_EQ(words_after("mov.b32 %r5, 0x40003c00; red.add.noftz.f16x2 [%rd1], %r5;", 1)[0],
            0x54005000u);
  EXPECT_EQ(
      words_after("mov.b32 %r5, 0x40003f80; atom.global.add.noftz.bf16x2 _, [%rd1], %r5;", 1)[0],
      0x42804200u);
  // The smallest subnormal number stays: 32 of them are 32 units.
  EXPECT_EQ(words_after("mov.b16 %h1, 1; red.global.add.noftz.f16 [%rd1], %h1;", 1)[0], 32u);
  // Rounded to even: 2048 + 1 is 2048 in f16.
  EXPECT_EQ(words_after(R"(
      mov.b16 %h1, 0x6800; mov.b16 %h3, 0x3c00; setp.eq.u32 %p1, %r1, 0;
      @%p1 st.global.b16 [%rd1], %h1; bar.sync 0;
      atom.global.add.noftz.f16 %h2, [%rd1], %h3; ld.volatile.global.b16 %h4, [%rd1];)",
                        1)[0],
            0x6800u);
  EXPECT_EQ(words_after("mov.b16 %h1, 0; mov.b16 %h2, 7; atom.global.cas.b16 %h3, [%rd1+2], %h1, "
                        "%h2;",
                        1)[0],
            0x70000u);
}

TEST(Atomics, Vectors) {
  // As __half2 {1, 2} and so on; 32 lanes.
  const Values floats = words_after(
      "atom.global.add.v4.f32 {%f1, %f2, _, %f4}, [%rd1], {0f3F800000, 0f40000000, 0f40800000, "
      "0f41000000};",
      4);
  EXPECT_EQ(floats, (Values{0x42000000, 0x42800000, 0x43000000, 0x43800000}));
  EXPECT_EQ(words_after("red.global.add.v2.f32 [%rd1], {0f3F800000, 0f40000000};", 2),
            (Values{0x42000000, 0x42800000}));
  EXPECT_EQ(words_after("mov.b32 %r5, 0x3c00; mov.b32 %r6, 0x40000000; "
                        "red.global.add.noftz.v2.f16x2 [%rd1], {%r5, %r6};",
                        2),
            (Values{0x5000, 0x54000000}));
  EXPECT_EQ(words_after("mov.b16 %h1, 0x3c00; mov.b16 %h2, 0x4000; "
                        "red.global.max.noftz.v4.f16 [%rd1], {%h1, %h2, %h1, %h2};",
                        2),
            (Values{0x40003c00, 0x40003c00}));
}

TEST(Atomics, WhatDoesNotExistIsRefused) {
  for (const char* operation :
       {"red.shared.add.v2.f32 [%r1], {%f1, %f2};", "red.global.add.v2.u32 [%rd1], {%r1, %r2};",
        "red.global.add.v8.f32 [%rd1], {%f1, %f2, %f1, %f2, %f1, %f2, %f1, %f2};",
        "red.global.add.f16 [%rd1], %h1;", "atom.global.xor.noftz.f16 %h2, [%rd1], %h1;",
        "atom.global.exch.b16 %h2, [%rd1], %h1;", "red.global.add.noftz.f32 [%rd1], %f1;"}) {
    TestGrid gpu(kernel_text(1, 0, setup + std::string(operation) + " ret;"));
    EXPECT_THROW(gpu.launch({1}, {32}, gpu.upload(Values(1, 0))), Unsupported) << operation;
  }
}

TEST(Atomics, EachLaneGetsTheValueBeforeItsOwn) {
  TestGrid gpu(kernel_text(2, 0, std::string(setup) + R"(
    ld.param.u64 %rd2, [p1];
    mov.u32 %r5, 1;
    atom.global.add.u32 %r4, [%rd1], %r5;
    mul.wide.u32 %rd3, %r4, 4; add.s64 %rd3, %rd2, %rd3;
    st.global.u32 [%rd3], %r2;
    ret;)"));
  const DeviceAddress next = gpu.upload(Values{0}), out = gpu.memory.allocate(64 * 4);
  gpu.launch({2}, {32}, next, out);
  Values order = gpu.download<std::uint32_t>(out, 64);
  std::sort(order.begin(), order.end());
  for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(order[i], i);
}

TEST(Atomics, FloatsBelowTheNormalOnesVanishInGlobalMemoryOnly) {
  // 0f00000001 is the smallest subnormal number.
  EXPECT_EQ(after("red.global.add.f32 [%rd1], 0f00000001;", 0), 0u);
  EXPECT_EQ(after("red.add.f32 [%rd1], 0f00000001;", 0), 0u);
  TestGrid gpu(kernel_text(1, 0, std::string(setup) + R"(
    .shared .align 4 .b8 total[4];
    mov.u32 %r5, total;
    setp.eq.u32 %p1, %r1, 0;
    @%p1 st.shared.u32 [%r5], 0;
    bar.sync 0;
    red.shared.add.f32 [%r5], 0f00000001;
    bar.sync 0;
    @%p1 ld.shared.u32 %r7, [%r5];
    @%p1 st.global.u32 [%rd1], %r7;
    ret;)"));
  const DeviceAddress out = gpu.memory.allocate(4);
  const GridResult result = gpu.launch({1}, {64}, out);
  EXPECT_EQ(result.error, 0) << first_message(result);
  EXPECT_EQ(gpu.download<std::uint32_t>(out, 1)[0], 64u);
}

TEST(Atomics, SharedAndGenericReachTheSameWord) {
  TestGrid gpu(kernel_text(1, 0, std::string(setup) + R"(
    .shared .align 4 .b8 total[4];
    mov.u32 %r5, total;
    mov.u64 %rd5, total; cvta.shared.u64 %rd6, %rd5;
    setp.eq.u32 %p1, %r1, 0;
    @%p1 st.shared.u32 [%r5], 0;
    bar.sync 0;
    red.shared.add.u32 [%r5], 2;
    atom.add.u32 %r6, [%rd6], %r1;
    bar.sync 0;
    ld.u32 %r7, [%rd6];
    @%p1 st.global.u32 [%rd1], %r7;
    ret;)"));
  const DeviceAddress out = gpu.memory.allocate(4);
  const GridResult result = gpu.launch({1}, {64}, out);
  EXPECT_EQ(result.error, 0) << first_message(result);
  EXPECT_TRUE(result.findings.empty()) << first_message(result);
  EXPECT_EQ(gpu.download<std::uint32_t>(out, 1)[0], 128u + 63 * 64 / 2);
  EXPECT_EQ(result.counters.shared_atomic_requests, 4u);
}

TEST(AtomicCost, AConstantOnAUniformAddressIsOneOperationAFloatIsNot) {
  const auto launch = [](const std::string& operation) {
    TestGrid gpu(kernel_text(1, 0, setup + operation + " ret;"));
    return gpu.launch({4}, {32}, gpu.upload(Values(32, 0)));
  };
  const GridResult constant = launch("red.global.add.u32 [%rd1], 1;");
  EXPECT_EQ(constant.counters.global_atomic_requests, 4u);
  EXPECT_EQ(constant.counters.global_atomic_sectors, 4u);
  EXPECT_EQ(constant.atomic_queues.sector, 4u);
  const GridResult floats = launch("red.global.add.f32 [%rd1], 0f3F800000;");
  EXPECT_EQ(floats.counters.global_atomic_sectors, 128u);
  EXPECT_EQ(floats.counters.global_atomic_serial, 128u);
  EXPECT_EQ(floats.atomic_queues.float_sector, 128u);
  // The same address in every lane, but only the data say so: nothing is aggregated.
  const GridResult data = launch(R"(
    ld.global.u32 %r5, [%rd1]; mul.wide.u32 %rd2, %r5, 4; add.s64 %rd2, %rd1, %rd2;
    red.global.add.u32 [%rd2+64], 1;)");
  EXPECT_EQ(data.counters.global_atomic_sectors, 128u);
  const GridResult spread = launch(R"(
    mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd1, %rd2; red.global.add.u32 [%rd2], 1;)");
  EXPECT_EQ(spread.counters.global_atomic_sectors, 16u);
  EXPECT_EQ(spread.atomic_queues.sector, 4u);
}

TEST(AtomicCost, AReductionOnAUniformAddressIsOneOperationUnlessItsResultIsRead) {
  const auto sectors = [](const std::string& operation) {
    TestGrid gpu(kernel_text(1, 0, setup + operation + " ret;"));
    return gpu.launch({4}, {32}, gpu.upload(Values(32, 0))).counters.global_atomic_sectors;
  };
  EXPECT_EQ(sectors("red.global.max.u32 [%rd1], %r2;"), 4u);
  EXPECT_EQ(sectors("atom.global.max.u32 %r4, [%rd1], %r2;"), 4u);
  EXPECT_EQ(sectors("atom.global.max.u32 %r4, [%rd1], %r2; st.global.u32 [%rd1+64], %r4;"), 128u);
}

TEST(AtomicCost, AddingOneInSharedMemoryCountsLanes) {
  const auto launch = [](const std::string& value) {
    TestGrid gpu(kernel_text(1, 0,
                             std::string(setup) + R"(
      .shared .align 4 .b8 total[4];
      mov.u32 %r5, total;
      atom.shared.add.u32 %r6, [%r5], )" +
                                 value + "; ret;"));
    return gpu.launch({1}, {32}, gpu.memory.allocate(4)).counters.shared_atomic_wavefronts;
  };
  EXPECT_EQ(launch("1"), 1u);
  EXPECT_EQ(launch("%r1"), 32u);
}

TEST(AtomicCost, AdditionsThatLoopContendWhenWarpsAreAtOnePlace) {
  // Each lane adds its number, as 64 bits: one round for each lane at the place.
  const auto launch = [](const std::string& place, Dim3 threads) {
    TestGrid gpu(kernel_text(1, 0, std::string(setup) + R"(
      .shared .align 8 .b8 totals[256];
      mov.u32 %r5, totals;
      shr.u32 %r6, %r1, 5;
      mad.lo.u32 %r5, %r6, )" + place + R"(, %r5;
      cvt.u64.u32 %rd2, %r1;
      atom.shared.add.u64 %rd3, [%r5], %rd2;
      atom.shared.add.u64 %rd3, [%r5], %rd2; ret;)"));
    return gpu.launch({1}, threads, gpu.memory.allocate(4)).counters;
  };
  const Counters alone = launch("0", {32});
  EXPECT_EQ(alone.shared_cas_iterations, 64u);
  EXPECT_EQ(alone.shared_cas_contended, 0u);
  const Counters together = launch("0", {128});
  EXPECT_EQ(together.shared_cas_iterations, 4 * 64u);
  // But the first instruction of the first warp, which had no company then.
  EXPECT_EQ(together.shared_cas_contended, 4 * 64u - 32u);
  EXPECT_EQ(launch("8", {128}).shared_cas_contended, 0u);
}

TEST(Progress, LanesOfOneWarpTakeALockOneAfterTheOther) {
  TestGrid gpu(kernel_text(2, 0, std::string(setup) + R"(
    ld.param.u64 %rd2, [p1];
  $again:
    atom.global.cas.b32 %r4, [%rd1], 0, 1;
    setp.ne.u32 %p1, %r4, 0;
    @%p1 bra $again;
    ld.volatile.global.u32 %r5, [%rd2];
    add.u32 %r5, %r5, 1;
    st.volatile.global.u32 [%rd2], %r5;
    membar.gl;
    atom.global.exch.b32 %r6, [%rd1], 0;
    ret;)"));
  const DeviceAddress lock = gpu.upload(Values{0}), total = gpu.upload(Values{0});
  const GridResult result = gpu.launch({2}, {64}, lock, total);
  EXPECT_EQ(result.error, 0) << first_message(result);
  EXPECT_EQ(gpu.download<std::uint32_t>(total, 1)[0], 128u);
}

TEST(Progress, ALaneSeesAnothersPlainStoreEvenIfItStandsBehindIt) {
  // Lane 0 spins on a word that lane 1 sets in code that comes later in program order.
  TestGrid gpu(kernel_text(1, 0, std::string(setup) + R"(
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra $other;
  $spin:
    ld.volatile.global.u32 %r4, [%rd1];
    setp.eq.u32 %p2, %r4, 0;
    @%p2 bra $spin;
    st.global.u32 [%rd1+4], %r4;
    ret;
  $other:
    st.volatile.global.u32 [%rd1], 9;
    ret;)"));
  const DeviceAddress out = gpu.upload(Values{0, 0});
  const GridResult result = gpu.launch({1}, {2}, out);
  EXPECT_EQ(result.error, 0) << first_message(result);
  EXPECT_EQ(gpu.download<std::uint32_t>(out, 2)[1], 9u);
}

/// Each block draws a number and waits for the flag of the one before it: a chained scan.
const char* const look_back = R"(
    setp.ne.u32 %p1, %r1, 0;
    @%p1 exit;
    atom.global.add.u32 %r4, [%rd1+404], 1;
    mul.wide.u32 %rd2, %r4, 4; add.s64 %rd2, %rd1, %rd2;
  $spin:
    ld.acquire.gpu.global.u32 %r5, [%rd2];
    setp.eq.u32 %p2, %r5, 0;
    @%p2 bra $spin;
    add.u32 %r5, %r5, 1;
    st.release.gpu.global.u32 [%rd2+4], %r5;
    ret;)";

TEST(Progress, BlocksThatLookBackEnd) {
  TestGrid gpu(kernel_text(1, 0, std::string(setup) + look_back));
  for (const std::uint64_t seed : {0u, 1u, 2u}) {
    gpu.request.schedule_seed = seed;
    Values flags(102, 0);  // the last counts the blocks that have begun
    flags[0] = 1;
    const DeviceAddress out = gpu.upload(flags);
    const GridResult result = gpu.launch({100}, {64}, out);
    EXPECT_EQ(result.error, 0) << first_message(result);
    EXPECT_EQ(gpu.download<std::uint32_t>(out, 101)[100], 101u) << "seed " << seed;
  }
}

TEST(Progress, BlocksThatWaitForAllOfThemEndWhenAllAreResident) {
  const std::string barrier = std::string(setup) + R"(
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra $met;
    atom.add.release.gpu.u32 %r4, [%rd1], 1;
    mov.u32 %r5, %nctaid.x;
  $spin:
    ld.acquire.gpu.u32 %r6, [%rd1];
    setp.lt.u32 %p2, %r6, %r5;
    @%p2 bra $spin;
  $met:
    bar.sync 0;
    red.global.add.u32 [%rd1+4], 1;
    ret;)";
  TestGrid gpu(kernel_text(1, 0, barrier));
  gpu.request.resident_blocks = 16;
  const DeviceAddress out = gpu.upload(Values{0, 0});
  const GridResult result = gpu.launch({16}, {64}, out);
  EXPECT_EQ(result.error, 0) << first_message(result);
  EXPECT_EQ(gpu.download<std::uint32_t>(out, 2)[1], 16u * 64);

  gpu.request.resident_blocks = 8;  // half of them can never start
  gpu.request.instruction_budget = 1'000'000;
  const GridResult stuck = gpu.launch({16}, {64}, gpu.upload(Values{0, 0}));
  EXPECT_EQ(stuck.error, 702);
}

}  // namespace
}  // namespace gridstride::sim
