// What branches cost that ptxas makes something else of, on kernels that run.
#include "common/simulator/program/branch_forms.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "common/simulator/exec/test_grid.h"

namespace gridstride::sim {
namespace {

/// SASS instructions of 4 warps, of which the first `warps` do what a branch leaves out: `count` additions.
std::uint64_t issued(std::uint32_t warps, int count) {
  std::string additions;
  for (int i = 0; i < count; ++i) additions += "mul.f32 %f1, %f1, %f2;\n";
  TestGrid gpu(kernel_text(1, 0,
                           "mov.u32 %r1, %tid.x; setp.ge.u32 %p1, %r1, " +
                               std::to_string(32 * warps) + "; @%p1 bra $behind;\n" + additions +
                               "$behind: ret;"));
  return gpu.launch({1}, {128}, DeviceAddress{0}).counters.sass_instructions;
}

TEST(BranchForms, WhatIsPredicatedIsIssuedByAllWarps) {
  EXPECT_EQ(issued(4, 16), issued(1, 16));
  EXPECT_EQ(issued(0, 16), issued(1, 16));  // also when none does it
  // No branch is left: one instruction more for each of 4 warps than without.
  EXPECT_EQ(issued(1, 16) - issued(1, 8), 4u * 8);
}

/// Of an if with an else, in the two ways in which the compiler before ptxas writes it.
TEST(BranchForms, BothPartsOfAChoiceArePredicated) {
  const auto cycles = [](const std::string& choice) {
    TestGrid gpu(
        kernel_text(1, 0,
                    "ld.param.u64 %rd1, [p0]; mov.u32 %r1, %tid.x; setp.ge.u32 %p1, %r1, 16;\n" +
                        choice + "ld.global.u32 %r4, [%rd1+1024]; add.u32 %r4, %r4, %r3; ret;"));
    return gpu.launch({1}, {32}, gpu.upload(std::vector<std::uint32_t>(4096))).block_latency_cycles;
  };
  const std::string one = "ld.global.u32 %r3, [%rd1]; add.u32 %r3, %r3, 1;",
                    other = "mul.lo.u32 %r3, %r1, 5;";
  const double straight = cycles(one);
  EXPECT_LT(cycles("@%p1 bra $other;" + one + "bra.uni $end; $other:" + other + "$end:"),
            straight + 60);
  EXPECT_LT(cycles("@%p1 bra $one; bra.uni $other; $one:" + one + "bra.uni $end; $other:" + other +
                   "$end:"),
            straight + 60);
  EXPECT_LT(cycles("@%p1 bra $one; bra.uni $end; $one:" + one + "$end:"), straight + 60);
  // Not over something that stays, and not with as many as branches are left over.
  EXPECT_GT(cycles("@%p1 bra $other;" + one + "membar.gl; bra.uni $end; $other:" + other + "$end:"),
            1.5 * straight);
  std::string many;
  for (int i = 0; i < 16; ++i) many += other;
  EXPECT_GT(cycles("@%p1 bra $other;" + one + "bra.uni $end; $other:" + many + "$end:"),
            1.5 * straight);
}

TEST(BranchForms, ABranchOverAStoreToGlobalMemoryIsOne) {
  const auto instructions = [](const std::string& left_out) {
    TestGrid gpu(
        kernel_text(1, 0,
                    "ld.param.u64 %rd1, [p0]; mov.u32 %r1, %tid.x; setp.ge.u32 %p1, %r1, 32;\n"
                    "@%p1 bra $behind;\n" +
                        left_out + "\n$behind: ret;"));
    return gpu.launch({1}, {128}, gpu.upload(std::vector<std::uint32_t>(1)))
        .counters.sass_instructions;
  };
  const std::string additions =
      "mul.f32 %f1, %f1, %f2; mul.f32 %f1, %f1, %f2; mul.f32 %f1, %f1, %f2;";
  EXPECT_EQ(instructions(additions) - instructions(additions.substr(0, 22)), 4u * 2);
  EXPECT_LT(instructions(additions + "st.global.u32 [%rd1], %r1;") -
                instructions("st.global.u32 [%rd1], %r1;"),
            4u * 3);
}

TEST(BranchForms, ABranchOverManyIsOne) {
  EXPECT_EQ(issued(4, 20) - issued(1, 20), 3u * 20);
  EXPECT_EQ(issued(4, 20) - issued(4, 16), 4u * 4 + 4);
}

/// Loads from a table of 4 KiB in constant memory that cost, by one warp that goes through it twice.
std::uint64_t loads_that_cost(const std::string& pragma, int step) {
  TestGrid gpu(
      kernel_text(1, 0,
                  "mov.u32 %r6, 0; $twice: mov.u64 %rd2, numbers; mov.u32 %r7, 0; " + pragma +
                      R"(
$again: ld.const.f32 %f1, [%rd2]; add.f32 %f2, %f2, %f1; add.u64 %rd2, %rd2, )" +
                      std::to_string(step) + "; add.u32 %r7, %r7, " + std::to_string(step) +
                      R"(; setp.ne.u32 %p1, %r7, 4096; @%p1 bra $again;
      add.u32 %r6, %r6, 1; setp.ne.u32 %p2, %r6, 2; @%p2 bra $twice;
      ld.param.u64 %rd1, [p0]; st.global.f32 [%rd1], %f2; ret;)",
                  ".const .align 4 .b8 numbers[4096];"));
  const GridResult result = gpu.launch({1}, {32}, gpu.upload(std::vector<std::uint32_t>(1, 0)));
  EXPECT_EQ(result.error, 0) << first_message(result);
  return result.counters.constant_line_loads;
}

/// The addresses of a loop that is written out as a whole are in its instructions.
TEST(BranchForms, AShortLoopOfSoManyRoundsIsWrittenOut) {
  EXPECT_EQ(loads_that_cost("", 16), 0u);                             // 256 rounds of 6
  EXPECT_EQ(loads_that_cost("", 4), 2u * 1024);                       // 1024 are too many
  EXPECT_EQ(loads_that_cost(".pragma \"nounroll\";", 16), 2u * 256);  // and it may not be
}

}  // namespace
}  // namespace gridstride::sim
