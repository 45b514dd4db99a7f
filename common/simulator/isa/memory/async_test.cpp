// Asynchronous copies and barriers in shared memory: results, and what the checkers say of them.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/simulator/base/unsupported.h"
#include "common/simulator/exec/test_grid.h"

namespace gridstride::sim {
namespace {

using Values = std::vector<std::uint32_t>;

constexpr std::uint32_t threads = 64;

/// %rd2: input (64 words, lane's own at %rd4), %rd1: output (%rd3), %r2: tile (%r4), %r10:
/// mbarrier.
const char* const setup = R"(
  .shared .align 16 .b8 tile[2048]; .shared .align 8 .b64 barrier[2];
  ld.param.u64 %rd1, [p0]; ld.param.u64 %rd2, [p1]; mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd5, %r1, 4; add.u64 %rd3, %rd1, %rd5; add.u64 %rd4, %rd2, %rd5;
  mov.u32 %r2, tile; shl.b32 %r3, %r1, 2; add.u32 %r4, %r2, %r3; mov.u32 %r10, barrier;
  xor.b32 %r5, %r3, 128; add.u32 %r5, %r2, %r5;
  setp.eq.u32 %p1, %r1, 0;
)";
/// Stores what another warp's thread has copied.
const char* const read_other = "ld.shared.u32 %r6, [%r5]; st.global.u32 [%rd3], %r6;";

class Async : public testing::Test {
 protected:
  GridResult run(const std::string& body, std::uint32_t block = threads) {
    gpu.emplace(kernel_text(2, 0, setup + body + "\nret;", ".file 1 \"kernel.cu\"\n"));
    Values numbers(512);
    for (std::uint32_t i = 0; i < numbers.size(); ++i) numbers[i] = 1000 + i;
    input = gpu->upload(numbers);
    output = gpu->upload(Values(512, 0));
    gpu->request.schedule_seed = seed;
    return gpu->launch({1}, {block}, output, input);
  }
  /// Runs in several orders; nothing may be found.
  Values right(const std::string& body, std::uint32_t block = threads) {
    for (seed = 0; seed < 4; ++seed) {
      const GridResult result = run(body, block);
      EXPECT_EQ(result.error, 0) << first_message(result);
      EXPECT_TRUE(result.findings.empty()) << "schedule " << seed << ": " << first_message(result);
    }
    return gpu->download<std::uint32_t>(output, 512);
  }
  /// The message of the one finding.
  std::string wrong(const std::string& body, FindingKind kind, std::uint32_t block = threads) {
    const GridResult result = run(body, block);
    EXPECT_EQ(result.findings.size(), 1u) << first_message(result);
    if (result.findings.empty()) return "";
    EXPECT_STREQ(name_of(result.findings[0].kind), name_of(kind)) << first_message(result);
    return result.findings[0].message;
  }

  std::optional<TestGrid> gpu;
  DeviceAddress input = 0, output = 0;
  std::uint64_t seed = 0;
};

TEST_F(Async, CopiesArriveBehindTheWaitAndABarrier) {
  const Values v = right(std::string(R"(
    cp.async.ca.shared.global [%r4], [%rd4], 4; cp.async.commit_group;
    cp.async.wait_group 0; bar.sync 0;)") +
                         read_other);
  for (std::uint32_t i = 0; i < threads; ++i) EXPECT_EQ(v[i], 1000 + (i ^ 32));
}

TEST_F(Async, WaitAllNeedsNoGroup) {
  EXPECT_EQ(right(std::string("cp.async.ca.shared.global [%r4], [%rd4], 4; cp.async.wait_all; "
                              "bar.sync 0;") +
                  read_other)[3],
            1035u);
}

TEST_F(Async, WidthsAndZeros) {
  const Values v = right(R"(
    shl.b32 %r7, %r1, 4; add.u32 %r8, %r2, %r7; cvt.u64.u32 %rd6, %r7; add.u64 %rd7, %rd2, %rd6;
    and.b32 %r9, %r1, 31; min.u32 %r9, %r9, 16;
    cp.async.cg.shared.global.L2::128B [%r8], [%rd7], 16, %r9;
    cp.async.wait_all;
    ld.shared.v4.u32 {%r11, %r12, %r13, %r14}, [%r8];
    add.u64 %rd8, %rd1, %rd6; st.global.v4.u32 [%rd8], {%r11, %r12, %r13, %r14};)",
                         32);
  EXPECT_EQ(v[0], 0u);                                              // 0 bytes
  EXPECT_EQ((Values{v[12], v[13]}), (Values{1012 & 0xffffff, 0}));  // 3
  EXPECT_EQ((Values{v[52], v[53], v[54], v[55]}), (Values{1052, 1053, 1054, 1055 & 0xff}));  // 13
  EXPECT_EQ((Values{v[64], v[67], v[80], v[83]}), (Values{1064, 1067, 1080, 1083}));
}

TEST_F(Async, NothingIsReadWhereNoBytesAre) {
  EXPECT_EQ(right("mov.u64 %rd6, 0; cp.async.ca.shared.global [%r4], [%rd6], 8, 0; "
                  "cp.async.wait_all; ld.shared.u32 %r6, [%r4]; st.global.u32 [%rd3], %r6;",
                  1)[0],
            0u);
  const std::string ignored =
      "setp.ne.u32 %p2, %r1, 0; selp.b64 %rd6, 0, %rd4, %p2; "
      "cp.async.ca.shared.global [%r4], [%rd6], 4, %p2; cp.async.wait_all; "
      "ld.shared.u32 %r6, [%r4]; st.global.u32 [%rd3], %r6;";
  const Values v = right(ignored, 2);
  EXPECT_EQ(v[0], 1000u);
  EXPECT_EQ(v[1], 0u);
}

TEST_F(Async, ReadBeforeTheWaitIsARace) {
  const std::string message = wrong(R"(
    .loc 1 5 1
    cp.async.ca.shared.global [%r4], [%rd4], 4; cp.async.commit_group;
    .loc 1 6 1
    ld.shared.u32 %r6, [%r4]; st.global.u32 [%rd3], %r6; cp.async.wait_group 0;)",
                                    FindingKind::shared_race);
  EXPECT_NE(message.find("asynchronous copy that the second has not waited for"), std::string::npos)
      << message;
  EXPECT_NE(message.find("in line 5"), std::string::npos) << message;
}

TEST_F(Async, ABarrierAloneDoesNotWait) {
  wrong(std::string(
            "cp.async.ca.shared.global [%r4], [%rd4], 4; cp.async.commit_group; bar.sync 0;") +
            read_other,
        FindingKind::shared_race);
}

TEST_F(Async, AWaitWithoutABarrierHelpsOnlyTheThread) {
  right(
      "cp.async.ca.shared.global [%r4], [%rd4], 4; cp.async.wait_all; ld.shared.u32 %r6, [%r4]; "
      "st.global.u32 [%rd3], %r6;");
  wrong(std::string("cp.async.ca.shared.global [%r4], [%rd4], 4; cp.async.wait_all;") + read_other,
        FindingKind::shared_race);
}

TEST_F(Async, TheLatestGroupsMayStillBeOnTheirWay) {
  const std::string two = R"(
    cp.async.ca.shared.global [%r4], [%rd4], 4; cp.async.commit_group;
    cp.async.ca.shared.global [%r4+1024], [%rd4+256], 4; cp.async.commit_group;
    cp.async.wait_group 1; bar.sync 0;)";
  EXPECT_EQ(right(two + read_other)[0], 1032u);
  wrong(two + "ld.shared.u32 %r6, [%r5+1024]; st.global.u32 [%rd3], %r6;",
        FindingKind::shared_race);
}

TEST_F(Async, TwoCopiesToOnePlaceRace) {
  wrong(
      "cp.async.ca.shared.global [%r4], [%rd4], 4; cp.async.ca.shared.global [%r4], [%rd4+4], 4; "
      "cp.async.wait_all;",
      FindingKind::shared_race);
  wrong("cp.async.ca.shared.global [%r2], [%rd4], 4; cp.async.wait_all;", FindingKind::shared_race,
        2);
}

TEST_F(Async, CopyingOverWhatOthersReadIsARace) {
  wrong(R"(st.shared.u32 [%r4], %r1; bar.sync 0; ld.shared.u32 %r6, [%r5];
           st.global.u32 [%rd3], %r6;
           cp.async.ca.shared.global [%r4], [%rd4], 4; cp.async.wait_all;)",
        FindingKind::shared_race);
}

TEST_F(Async, BoundsAreThoseOfBothSides) {
  EXPECT_NE(wrong("cp.async.ca.shared.global [%r4], [%rd4+2044], 4; cp.async.wait_all;",
                  FindingKind::out_of_bounds)
                .find("past the end"),
            std::string::npos);
  wrong("cp.async.ca.shared.global [tile+2048], [%rd4], 4; cp.async.wait_all;",
        FindingKind::out_of_bounds, 1);
  wrong("cp.async.ca.shared.global [tile+4], [%rd2], 8; cp.async.wait_all;",
        FindingKind::misaligned, 1);
}

TEST_F(Async, ABlockThatEndsLeavesNothingOnItsWay) {
  gpu.emplace(kernel_text(2, 0, setup + std::string(R"(
    mov.u32 %r9, %ctaid.x; setp.ne.u32 %p2, %r9, 0; @%p2 bra $read;
    cp.async.ca.shared.global [%r4], [%rd4], 4; ret;
  $read: st.shared.u32 [%r4], 7; ld.shared.u32 %r6, [%r4]; st.global.u32 [%rd3], %r6; ret;)")));
  gpu->request.resident_blocks = 1;
  input = gpu->upload(Values(64, 1));
  output = gpu->upload(Values(64, 0));
  const GridResult result = gpu->launch({2}, {32}, output, input);
  EXPECT_TRUE(result.findings.empty()) << first_message(result);
  EXPECT_EQ(gpu->download<std::uint32_t>(output, 1)[0], 7u);
}

TEST_F(Async, CountsAsAGlobalLoadAndASharedStore) {
  const GridResult result = run("cp.async.ca.shared.global [%r4], [%rd4], 4; cp.async.wait_all;");
  EXPECT_EQ(result.counters.global_load_requests, 2u);
  EXPECT_EQ(result.counters.global_load_sectors, 8u);
  EXPECT_EQ(result.counters.shared_store_requests, 2u);
  EXPECT_EQ(result.counters.shared_store_wavefronts, 2u);
}

TEST_F(Async, WhatIsNotThereOfBulkCopiesIsRefusedByName) {
  for (const char* line : {"cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes "
                           "[%r4], [%r4], 16, [%r10];",
                           "cp.async.bulk.prefetch.tensor.1d.L2.global [%rd4, {%r1}];",
                           "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 "
                           "[%rd4], [%r4], 16;"}) {
    try {
      run(line);
      ADD_FAILURE() << line << " ran";
    } catch (const Unsupported& error) {
      EXPECT_NE(std::string(error.what()).find("async.bulk"), std::string::npos) << error.what();
    }
  }
}

// Barriers.

const std::string init_all = R"(
  @%p1 mbarrier.init.shared.b64 [%r10], 64; bar.sync 0;)";
/// Waits for the phase of the state in %rd10.
std::string wait_for(const char* label) {
  return std::string("\n") + label +
         ": mbarrier.test_wait.shared.b64 %p2, [%r10], %rd10; @!%p2 bra " + label + ";\n";
}

TEST_F(Async, AnMbarrierOrdersTheBlock) {
  const Values v = right(init_all + R"(
    st.shared.u32 [%r4], %r1; mbarrier.arrive.shared.b64 %rd10, [%r10];)" +
                         wait_for("$a") + read_other + R"(
    mbarrier.arrive.shared.b64 %rd10, [%r10];)" +
                         wait_for("$b") + "st.shared.u32 [%r4], 5;");
  for (std::uint32_t i = 0; i < threads; ++i) EXPECT_EQ(v[i], i ^ 32);
}

TEST_F(Async, ByParityAndWithTryWait) {
  EXPECT_EQ(right(init_all + R"(
    st.shared.u32 [%r4], %r1; mbarrier.arrive.release.cta.shared::cta.b64 _, [%r10];
    $a: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p2, [%r10], 0, 1000; @!%p2 bra $a;)" +
                  read_other)[1],
            33u);
}

TEST_F(Async, WithoutAWaitThereIsARace) {
  wrong(
      init_all + "st.shared.u32 [%r4], %r1; mbarrier.arrive.shared.b64 %rd10, [%r10];" + read_other,
      FindingKind::shared_race);
}

TEST_F(Async, WithoutABarrierAfterInitThereIsARace) {
  wrong(R"(
    setp.eq.u32 %p3, %r1, 32;
    @%p1 mbarrier.init.shared.b64 [%r10], 2; @%p3 mbarrier.arrive.shared.b64 %rd10, [%r10];)",
        FindingKind::shared_race);
}

TEST_F(Async, CopiesArriveAtAnMbarrier) {
  const std::string begin = init_all + "cp.async.ca.shared.global [%r4], [%rd4], 4;";
  EXPECT_EQ(right(begin +
                  "cp.async.mbarrier.arrive.shared.b64 [%r10]; "
                  "mbarrier.arrive.shared.b64 %rd10, [%r10];" +
                  wait_for("$a") + read_other)[2],
            1034u);
  EXPECT_EQ(right(begin +
                  "cp.async.mbarrier.arrive.noinc.shared.b64 [%r10]; mov.u32 %r8, 0;"
                  "$a: mbarrier.test_wait.parity.shared.b64 %p2, [%r10], %r8; @!%p2 bra $a;" +
                  read_other)[2],
            1034u);
  // Who arrives without the copy does not speak for it.
  wrong(begin + "mbarrier.arrive.shared.b64 %rd10, [%r10];" + wait_for("$a") + read_other,
        FindingKind::shared_race);
}

TEST_F(Async, CountsStatesAndDrops) {
  const Values v = right(R"(
    mbarrier.init.shared.b64 [%r10], 5;
    mbarrier.arrive.noComplete.shared.b64 %rd10, [%r10], 2;
    mbarrier.pending_count.b64 %r6, %rd10; st.global.u32 [%rd1], %r6;
    mbarrier.arrive_drop.shared.b64 %rd10, [%r10];
    mbarrier.pending_count.b64 %r6, %rd10; st.global.u32 [%rd1+4], %r6;
    mbarrier.arrive.expect_tx.shared.b64 %rd10, [%r10], 64;
    mbarrier.arrive.shared.b64 %rd10, [%r10];
    mbarrier.test_wait.shared.b64 %p2, [%r10], %rd10; selp.u32 %r6, 1, 0, %p2;
    st.global.u32 [%rd1+8], %r6;
    mbarrier.complete_tx.relaxed.cluster.shared::cta.b64 [%r10], 64;
    mbarrier.test_wait.shared.b64 %p2, [%r10], %rd10; selp.u32 %r6, 1, 0, %p2;
    st.global.u32 [%rd1+12], %r6;
    mbarrier.arrive.shared.b64 %rd10, [%r10];
    mbarrier.pending_count.b64 %r6, %rd10; st.global.u32 [%rd1+16], %r6;
    mbarrier.inval.shared.b64 [%r10];)",
                         1);
  EXPECT_EQ((Values{v[0], v[1], v[2], v[3], v[4]}), (Values{5, 3, 0, 1, 4}));
}

TEST_F(Async, MoreArrivalsThanAPhaseExpectsAreCounted) {
  const std::string message = wrong(
      "mbarrier.init.shared.b64 [%r10], 3; mbarrier.arrive.shared.b64 %rd10, [%r10]; mov.u32 %r6, "
      "3; "
      "mbarrier.arrive.shared.b64 %rd10, [%r10], %r6;",
      FindingKind::invalid_instruction, 1);
  EXPECT_NE(
      message.find("arrives at a barrier (an mbarrier) 3 times at once, where 1 of the 3 arrivals "
                   "that it expects in a phase has come already. Give init()"),
      std::string::npos)
      << message;
  const std::string bytes = wrong(
      "mbarrier.init.shared.b64 [%r10], 1; mbarrier.arrive.expect_tx.shared.b64 %rd10, [%r10], 32; "
      "mbarrier.arrive.shared.b64 %rd10, [%r10];",
      FindingKind::invalid_instruction, 1);
  EXPECT_NE(
      bytes.find("once, where 1 of the 1 arrivals that it expects in a phase has come already, "
                 "and 32 bytes that were announced have not"),
      std::string::npos)
      << bytes;
}

TEST_F(Async, MisuseIsNamed) {
  EXPECT_NE(wrong("st.shared.u64 [%r10], 0; mbarrier.arrive.shared.b64 %rd10, [%r10];",
                  FindingKind::invalid_instruction, 1)
                .find("none has been initialised"),
            std::string::npos);
  EXPECT_NE(wrong("mbarrier.init.shared.b64 [%r10], 1; mbarrier.inval.shared.b64 [%r10]; "
                  "mbarrier.arrive.shared.b64 %rd10, [%r10];",
                  FindingKind::invalid_instruction, 1)
                .find("no longer is"),
            std::string::npos);
  EXPECT_NE(
      wrong("mbarrier.init.shared.b64 [%r10], 2; mbarrier.arrive.shared.b64 %rd10, [%r10], 3;",
            FindingKind::invalid_instruction, 1)
          .find("3 times at once, where 0 of the 2 arrivals"),
      std::string::npos);
  wrong("mbarrier.init.shared.b64 [%r10], 0;", FindingKind::invalid_instruction, 1);
  wrong("mbarrier.init.b64 [%rd1], 1;", FindingKind::invalid_instruction, 1);
}

TEST_F(Async, AWaitThatNobodyEndsIsFound) {
  const std::string message =
      wrong("mbarrier.init.shared.b64 [%r10], 2; mbarrier.arrive.shared.b64 %rd10, [%r10];" +
                wait_for("$a"),
            FindingKind::timeout, 1);
  EXPECT_NE(message.find("The kernel hangs"), std::string::npos) << message;
  EXPECT_NE(message.find("Of the mbarrier in barrier, element 0 of 8 bytes, "), std::string::npos)
      << message;
  EXPECT_NE(message.find("of block (0, 0, 0): 1 of the 2 arrivals that it expects in a phase is "
                         "missing."),
            std::string::npos)
      << message;
}

TEST_F(Async, WarpsMeetInModelledTime) {
  // One warp divides for long; the other waits for it, and does not lose more than that.
  const auto cycles = [&](const std::string& middle) {
    gpu.emplace(kernel_text(2, 0, setup + init_all + R"(
      setp.lt.u32 %p3, %r1, 32; @%p3 bra $wait;
      mov.u32 %r20, 0;
    $again: div.u32 %r21, %r20, %r1; add.u32 %r20, %r20, 1; setp.lt.u32 %p4, %r20, 200; @%p4 bra $again;
    $wait:)" + middle + "ret;"));
    return gpu->launch({1}, {64}, gpu->upload(Values(64)), gpu->upload(Values(64)))
        .block_latency_cycles;
  };
  const double barrier = cycles("bar.sync 0;");
  const double mbarrier = cycles("mbarrier.arrive.shared.b64 %rd10, [%r10];" + wait_for("$a"));
  EXPECT_NEAR(mbarrier / barrier, 1, 0.05);
}

}  // namespace
}  // namespace gridstride::sim
