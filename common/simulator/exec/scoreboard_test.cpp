// Latencies of one block: chains of dependent instructions, memory, barriers.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "common/simulator/exec/test_grid.h"

namespace gridstride::sim {
namespace {

/// Cycles of one block of `threads` threads that runs `body`; p0 is an array of 4096 words.
double cycles(const std::string& body, std::uint32_t threads = 32, std::uint32_t blocks = 1) {
  TestGrid gpu(kernel_text(1, 0,
                           R"(
    .shared .align 4 .b8 box[4096];
    ld.param.u64 %rd1, [p0]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2; shl.b32 %r2, %r1, 2; mov.u32 %r3, box; add.u32 %r4, %r3, %r2;)" +
                               body + " ret;"));
  const DeviceAddress array = gpu.upload(std::vector<std::uint32_t>(4096, 0));
  const GridResult result = gpu.launch({blocks}, {threads}, array);
  EXPECT_EQ(result.error, 0) << first_message(result);
  return result.block_latency_cycles;
}

std::string times(int count, const std::string& what) {
  std::string text;
  for (int i = 0; i < count; ++i) text += what + "\n";
  return text;
}

constexpr LatencyTable table;

TEST(Scoreboard, DependentInstructionsWaitIndependentOnesDoNot) {
  const double base = cycles("");
  const double chain = cycles(times(100, "add.f32 %f1, %f1, %f2;")) - base;
  EXPECT_NEAR(chain, 100 * table.arithmetic, 4 * table.arithmetic);
  std::string independent;
  for (int i = 0; i < 100; ++i) {
    independent += "add.f32 %f" + std::to_string(i % 10) + ", %f18, %f19;\n";
  }
  EXPECT_NEAR(cycles(independent) - base, 100, table.arithmetic);
}

TEST(Scoreboard, ALoadCostsItsLatencyWhenItsValueIsNeeded) {
  const double base = cycles("");
  EXPECT_NEAR(cycles("ld.global.u32 %r9, [%rd3]; add.u32 %r9, %r9, 1;") - base, table.global_dram,
              10);
  // ptxas puts both loads first, unless something stands between them that nothing passes.
  const std::string load = "ld.global.u32 %r9, [%rd3]; add.u32 %r9, %r9, 1;";
  EXPECT_NEAR(cycles(load + load) - base, table.global_dram, 20);
  EXPECT_NEAR(cycles(load + "st.global.u32 [%rd3], %r9; membar.gl;" + load) - base,
              table.global_dram + table.global_l2, 40);
  EXPECT_LT(cycles("ld.global.u32 %r9, [%rd3];") - base, 5);
}

TEST(Scoreboard, NothingPassesARootThatRoundsCorrectly) {
  const double base = cycles("");
  const std::string exact = "sqrt.rn.f32 %f1, %f2; sqrt.rn.f32 %f3, %f4; sqrt.rn.f32 %f5, %f6;";
  const std::string rough =
      "sqrt.approx.ftz.f32 %f1, %f2; sqrt.approx.ftz.f32 %f3, %f4; sqrt.approx.ftz.f32 %f5, %f6;";
  EXPECT_GE(cycles(exact) - base, 3 * table.special);
  EXPECT_LT(cycles(rough) - base, 2 * table.special);
}

TEST(Scoreboard, ALoadWaitsForStoresBeforeItAndNotForArithmetic) {
  const std::string chain = times(50, "add.u32 %r8, %r8, %r8;");
  const std::string load = "ld.global.u32 %r9, [%rd3]; add.u32 %r9, %r9, 1;";
  const double alone = cycles(load);
  EXPECT_NEAR(cycles(chain + load), alone, 60);
  EXPECT_GT(cycles(chain + "st.shared.u32 [%r4], %r8;" + load), alone + 45 * table.arithmetic);
}

TEST(Scoreboard, BankConflictsLengthenASharedLoad) {
  const std::string load = "ld.shared.u32 %r9, [%r5]; add.u32 %r9, %r9, 1;";
  const double straight = cycles("st.shared.u32 [%r4], %r1; mov.u32 %r5, %r4;" + load);
  const double conflict =
      cycles("st.shared.u32 [%r4], %r1; shl.b32 %r5, %r1, 7; add.u32 %r5, %r5, %r3;" + load);
  EXPECT_NEAR(conflict - straight, 31 * table.shared_wavefront, 12);
}

TEST(Scoreboard, ABarrierWaitsForTheSlowestWarp) {
  // Warp 1 computes long; warp 0 waits for it and then does its own part.
  const std::string body = R"(
    setp.lt.u32 %p1, %r1, 32;
    @%p1 bra $wait;
    )" + times(200, "add.f32 %f1, %f1, %f2;") +
                           R"(
  $wait:
    bar.sync 0;
    @!%p1 bra $end;
    )" + times(100, "add.f32 %f1, %f1, %f2;") +
                           "$end:";
  EXPECT_NEAR(cycles(body, 64), 300 * table.arithmetic, 100);
  const double two = cycles("bar.sync 0;", 64) - cycles("", 64);
  const double many = cycles("bar.sync 0;", 1024) - cycles("", 1024);
  EXPECT_NEAR(many - two, 30 * table.barrier_warp, 1);
}

TEST(Scoreboard, ManyBlocksAreJudgedByASample) {
  const std::string body = times(10, "add.f32 %f1, %f1, %f2;");
  EXPECT_DOUBLE_EQ(cycles(body, 32, 1), cycles(body, 32, 1000));
}

}  // namespace
}  // namespace gridstride::sim
