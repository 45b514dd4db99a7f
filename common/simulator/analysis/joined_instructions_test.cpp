// Which instructions the hardware does with another one, as in what ptxas makes of such PTX for sm_90.
#include "common/simulator/analysis/joined_instructions.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "common/simulator/exec/test_grid.h"
#include "common/simulator/ptx/parser.h"

namespace gridstride::sim {
namespace {

/// A letter an instruction of `body`: j of those that are joined, h of half the work, . of all others.
std::string joined(const std::string& body) {
  const ptx::Module module = ptx::parse(kernel_text(1, 0, body + "\nret;"));
  const ptx::Function& function = module.functions.front();
  std::string letters;
  for (const HardwareWork one : joined_instructions(function, find_blocks(function))) {
    letters += one == HardwareWork::nothing ? 'j' : one == HardwareWork::half ? 'h' : '.';
  }
  letters.resize(letters.size() - 2);  // the returns
  return letters;
}

TEST(JoinedInstructions, SumsAndLogicTakeThreeOperands) {
  EXPECT_EQ(joined("add.s32 %r1, %r2, %r3; add.s32 %r4, %r1, %r5;"), "j.");
  EXPECT_EQ(joined("xor.b32 %r1, %r2, %r3; and.b32 %r4, %r1, %r5;"), "j.");
  EXPECT_EQ(joined("shl.b32 %r1, %r2, 2; add.s32 %r4, %r5, %r1;"), "j.");
  // Four operands are too many, but a negation is none.
  EXPECT_EQ(joined("add.s32 %r1, %r2, %r3; add.s32 %r4, %r1, %r5; add.s32 %r6, %r4, %r7;"), "j..");
  EXPECT_EQ(joined("not.b32 %r1, %r2; and.b32 %r4, %r1, %r5; xor.b32 %r6, %r4, %r7;"), "jj.");
  EXPECT_EQ(joined("add.s32 %r1, %r2, %r3; xor.b32 %r4, %r1, %r5;"), "..");
}

TEST(JoinedInstructions, AResultThatOthersWantIsNeeded) {
  EXPECT_EQ(joined("add.s32 %r1, %r2, %r3; add.s32 %r4, %r1, %r5; mul.lo.s32 %r6, %r1, %r1;"),
            "...");
  EXPECT_EQ(joined("add.s32 %r1, %r2, %r3; @%p1 bra $on; add.s32 %r4, %r1, %r5; $on:"), "...");
}

TEST(JoinedInstructions, BothHalvesOfAProductAreOne) {
  EXPECT_EQ(joined("mul.hi.u32 %r1, %r2, 77; mul.lo.s32 %r3, %r2, 77;"), ".j");
  EXPECT_EQ(joined("mul.hi.u32 %r1, %r2, 77; mul.lo.s32 %r3, %r2, 78;"), "..");
}

TEST(JoinedInstructions, SignsOfFloatsAreChangedByWhoReadsThem) {
  EXPECT_EQ(joined("abs.f32 %f1, %f2; min.f32 %f3, %f1, %f4; neg.f32 %f5, %f3; "
                   "fma.rn.f32 %f6, %f5, %f5, %f1;"),
            "j.j.");
  EXPECT_EQ(joined("neg.f32 %f1, %f2; mov.b32 %r1, %f1;"), "..");
}

TEST(JoinedInstructions, HalvesOf64BitsAreOnlyNamed) {
  EXPECT_EQ(joined("cvt.u64.u32 %rd1, %r1; cvt.u64.u32 %rd2, %r2; shl.b64 %rd3, %rd2, 32; "
                   "or.b64 %rd4, %rd1, %rd3; shr.u64 %rd5, %rd4, 32; cvt.u32.u64 %r3, %rd5;"),
            "jjjjjj");
  EXPECT_EQ(joined("cvt.s64.s32 %rd1, %r1; shl.b64 %rd3, %rd1, 31; mov.b64 %rd4, {%r1, %r2};"),
            "..j");
}

TEST(JoinedInstructions, NumbersOf32BitsIn64AreNoMoreWork) {
  // A round of Philox, as the compiler writes it.
  EXPECT_EQ(joined("mul.lo.s64 %rd1, %rd2, %rd3; shr.u64 %rd4, %rd1, 32; cvt.u64.u32 %rd5, %r1; "
                   "xor.b64 %rd6, %rd4, %rd5; mul.lo.s64 %rd7, %rd6, 3528905107; "
                   "and.b64 %rd8, %rd7, 4294967295; xor.b64 %rd9, %rd8, %rd6;"),
            ".jjhhjh");
  EXPECT_EQ(joined("cvt.u64.u32 %rd1, %r1; xor.b64 %rd2, %rd1, 5; xor.b64 %rd3, %rd2, %rd4;"),
            "jh.");
  EXPECT_EQ(joined("cvt.u64.u32 %rd1, %r1; mul.lo.s64 %rd2, %rd1, %rd3;"), "j.");
}

TEST(JoinedInstructions, ConstantsStandInWhatWantsThem) {
  EXPECT_EQ(joined("mov.u32 %r1, 31; shfl.sync.bfly.b32 %r2, %r3, 1, %r1, -1;"), "j.");
  // The first value of what changes is a register of its own.
  EXPECT_EQ(joined("mov.u32 %r1, 0; $again: add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, 9; "
                   "@%p1 bra $again;"),
            "....");
}

TEST(JoinedInstructions, AComparisonTakesAPredicate) {
  EXPECT_EQ(joined("setp.lt.s32 %p1, %r1, %r2; setp.lt.s32 %p2, %r3, %r4; and.pred %p3, %p1, %p2;"),
            "..j");
}

}  // namespace
}  // namespace gridstride::sim
