// Which values matter, on the code that compilers make of "if (lane < n) sum += from_another_lane".
#include "common/simulator/analysis/value_uses.h"

#include <gtest/gtest.h>

#include <string>

#include "common/simulator/exec/test_grid.h"

namespace gridstride::sim {
namespace {

/// Whether what the first instruction of `body` leaves in %r1 is used.
bool used(const std::string& body) {
  const ptx::Module module =
      ptx::parse(kernel_text(1, 0, "shfl.sync.down.b32 %r1, %r9, 1, 31, 255;\n" + body + "\nret;"));
  return is_surely_used(module.functions.front(), 0);
}

TEST(ValueUses, WhatIsStoredIsUsed) {
  EXPECT_TRUE(used("st.global.u32 [%rd1], %r1;"));
  EXPECT_TRUE(used("add.s32 %r2, %r1, %r3; mov.u32 %r4, %r2; st.global.u32 [%rd1], %r4;"));
  EXPECT_TRUE(used("setp.lt.u32 %p1, %r1, 5; @%p1 bra $end; mov.u32 %r5, 1; $end:"));
}

TEST(ValueUses, WhatIsSelectedOrGuardedMayBeThrownAway) {
  EXPECT_FALSE(
      used("add.s32 %r2, %r1, %r3; selp.b32 %r4, %r2, %r3, %p1; st.global.u32 [%rd1], %r4;"));
  EXPECT_FALSE(used("@%p1 st.global.u32 [%rd1], %r1;"));
  EXPECT_FALSE(used("mov.u32 %r1, 0; st.global.u32 [%rd1], %r1;"));
  EXPECT_FALSE(used(""));
}

TEST(ValueUses, BehindABranchOnlyWhatEveryPathComesTo) {
  EXPECT_FALSE(used("@%p1 bra $end; st.global.u32 [%rd1], %r1; $end:"));
  EXPECT_TRUE(used("@%p1 bra $end; mov.u32 %r5, 1; $end: st.global.u32 [%rd1], %r1;"));
}

TEST(ValueUses, ALoopLeadsBackToItsHead) {
  EXPECT_TRUE(used("$loop: st.global.u32 [%rd1], %r2; mov.u32 %r2, %r1; @%p1 bra $loop;"));
  EXPECT_FALSE(used("$loop: mov.u32 %r2, 1; @%p1 bra $loop;"));
}

TEST(ValueUses, WhatIsMadeAnewInTheNextRoundIsNotUsedThere) {
  const ptx::Module module = ptx::parse(kernel_text(1, 0, R"(
$loop: shfl.sync.down.b32 %r1, %r9, 1, 31, 255;
mov.u32 %r2, %r1; selp.b32 %r3, %r2, 0, %p2; add.s32 %r9, %r9, %r3; @%p1 bra $loop; ret;)"));
  EXPECT_FALSE(is_surely_used(module.functions.front(), 0));
}

TEST(ValueUses, ALoopThatIsTestedAtItsHeadLeadsBackToItsBody) {
  const auto used_in_body = [](const std::string& rest) {
    const ptx::Module module = ptx::parse(kernel_text(1, 0, R"(
$loop: mov.u32 %r2, %r9; @%p1 bra $end; bra.uni $body;
$body: shfl.sync.down.b32 %r1, %r2, 1, 31, 255;
)" + rest + "\nbra.uni $loop; $end: ret;"));
    return is_surely_used(module.functions.front(), 3);
  };
  EXPECT_TRUE(used_in_body("add.s32 %r9, %r2, %r1;"));
  EXPECT_FALSE(used_in_body("@%p2 bra $loop; add.s32 %r9, %r2, %r1;"));
  EXPECT_FALSE(used_in_body("mov.u32 %r1, 0;"));
}

}  // namespace
}  // namespace gridstride::sim
