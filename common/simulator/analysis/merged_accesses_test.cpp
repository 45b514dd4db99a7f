// Loads and stores of shared memory that ptxas joins or leaves away, as its output for sm_90 shows.
#include "common/simulator/analysis/merged_accesses.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/simulator/exec/test_grid.h"

namespace gridstride::sim {
namespace {

/// How each shared access of `body` is counted: its bytes, "-" when not at all.
std::string counted(const std::string& body) {
  const ptx::Module module = ptx::parse(kernel_text(
      1, 1, ".shared .align 4 .b8 a[256]; .shared .align 4 .b8 b[256];" + body + " ret;"));
  const ptx::Function& function = module.functions.at(0);
  const auto merged = merged_accesses(function, find_blocks(function), register_origins(function));
  std::string text;
  for (std::size_t i = 0; i < function.body.size(); ++i) {
    const ptx::Instruction& instruction = function.body[i];
    if (!instruction.has("shared") || instruction.opcode == "atom") continue;
    if (!text.empty()) text += " ";
    if (!merged[i].changed) {
      text += instruction.modifiers.back() == "u64" ? "8" : "4";
    } else {
      text += merged[i].bytes == 0 ? "-" : std::to_string(merged[i].bytes);
    }
  }
  return text;
}

TEST(MergedAccesses, FourNeighboursAreOneLoad) {
  EXPECT_EQ(counted(R"(ld.shared.u32 %r1, [a+4]; ld.shared.u32 %r2, [a]; ld.shared.u32 %r3, [a+8];
                       ld.shared.u32 %r4, [a+12]; ld.shared.u32 %r5, [a+16];)"),
            "16 - - - 4");
}

TEST(MergedAccesses, TwoAndTheFirstNamesHowFarBelowItBegins) {
  const std::string body = "ld.shared.u32 %r1, [a+12]; ld.shared.u32 %r2, [a+8];";
  EXPECT_EQ(counted(body), "8 -");
  const ptx::Module module =
      ptx::parse(kernel_text(1, 0, ".shared .align 4 .b8 a[256];" + body + " ret;"));
  const ptx::Function& function = module.functions.at(0);
  EXPECT_EQ(merged_accesses(function, find_blocks(function), register_origins(function))
                .at(0)
                .words_below,
            1);
}

TEST(MergedAccesses, OnlyWhatIsAlignedAsAWhole) {
  EXPECT_EQ(counted("ld.shared.u32 %r1, [a+4]; ld.shared.u32 %r2, [a+8];"), "4 4");
  const std::string pair = "ld.shared.u32 %r5, [%r4]; ld.shared.u32 %r6, [%r4+4];";
  const std::string base = "mov.u32 %r1, %tid.x; mov.u32 %r3, a; ";
  EXPECT_EQ(counted(base + "shl.b32 %r2, %r1, 3; add.s32 %r4, %r3, %r2;" + pair), "8 -");
  EXPECT_EQ(counted(base + "shl.b32 %r2, %r1, 2; add.s32 %r4, %r3, %r2;" + pair), "4 4");
}

TEST(MergedAccesses, ABarrierOrAnUnknownStoreIsBetween) {
  EXPECT_EQ(counted("ld.shared.u32 %r1, [a]; bar.sync 0; ld.shared.u32 %r2, [a+4];"), "4 4");
  EXPECT_EQ(counted(R"(ld.shared.u32 %r1, [a]; st.shared.u32 [%r9], %r1;
                       ld.shared.u32 %r2, [a+4];)"),
            "4 4 4");
  EXPECT_EQ(counted("ld.volatile.shared.u32 %r1, [a]; ld.volatile.shared.u32 %r2, [a+4];"), "4 4");
}

TEST(MergedAccesses, WhatIsInARegisterIsNotLoadedAgain) {
  EXPECT_EQ(counted("ld.shared.u32 %r1, [a]; ld.shared.u32 %r2, [a];"), "4 -");
  EXPECT_EQ(counted("st.shared.u32 [a], %r1; ld.shared.u32 %r2, [a];"), "4 -");
  EXPECT_EQ(counted("ld.shared.u32 %r1, [a]; bar.sync 0; ld.shared.u32 %r2, [a];"), "4 4");
  EXPECT_EQ(counted(R"(ld.shared.u32 %r1, [%r9]; st.shared.u32 [%r9+4], %r1;
                       ld.shared.u32 %r2, [%r9];)"),
            "4 4 -");
}

TEST(MergedAccesses, WhatIsKnownGoesAlongABranchButNotAroundALoop) {
  EXPECT_EQ(
      counted("ld.shared.u32 %r1, [a]; @%p1 bra L; ld.shared.u32 %r2, [a]; L: mov.u32 %r3, 0;"),
      "4 -");
  EXPECT_EQ(counted("mov.u32 %r1, 0; L: ld.shared.u32 %r2, [a]; @%p1 bra L;"), "4");
}

TEST(MergedAccesses, StoresAreJoinedToo) {
  EXPECT_EQ(counted("st.shared.u32 [b], %r1; st.shared.u32 [b+4], %r2;"), "8 -");
  EXPECT_EQ(counted("st.shared.u64 [b], %rd1; st.shared.u64 [b+8], %rd2;"), "16 -");
}

TEST(MergedAccesses, TheJoinedAccessIsCountedOnce) {
  TestGrid gpu(kernel_text(1, 0, R"(.shared .align 16 .b8 a[64];
    st.shared.u32 [a], 1; st.shared.u32 [a+4], 2; bar.sync 0;
    ld.shared.u32 %r1, [a]; ld.shared.u32 %r2, [a+4]; add.u32 %r3, %r1, %r2; ret;)"));
  const GridResult result = gpu.launch({1}, {32}, gpu.upload(std::vector<std::uint32_t>{0}));
  EXPECT_EQ(result.counters.shared_load_requests, 1u);
  EXPECT_EQ(result.counters.shared_store_requests, 1u);
  EXPECT_EQ(result.counters.shared_load_wavefronts, 1u);
}

}  // namespace
}  // namespace gridstride::sim
