// Which loads are judged by a compare-and-swap, and which are answers.
#include "common/simulator/analysis/guessing_loads.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <set>
#include <string>

#include "common/simulator/exec/test_grid.h"
#include "common/simulator/ptx/parser.h"

namespace gridstride::sim {
namespace {

std::set<std::size_t> guesses(const std::string& body) {
  const ptx::Module module = ptx::parse(kernel_text(1, 0, body));
  return guessing_loads(module.functions.at(0));
}

/// The Programming Guide's loop, with `look` before it and `behind` behind it.
std::string loop(const std::string& look, const std::string& behind) {
  return look + "\nloop:\n add.s32 %r2, %r1, 5;\n" +
         " atom.global.cas.b32 %r3, [%rd1], %r1, %r2;\n setp.ne.s32 %p1, %r1, %r3;\n" +
         " mov.u32 %r1, %r3;\n @%p1 bra loop;\n" + behind + "\n ret;";
}

const std::string plain_look = "ld.global.u32 %r1, [%rd1];";

TEST(GuessingLoads, AreJudgedByASwap) {
  EXPECT_EQ(guesses(loop(plain_look, "")), std::set<std::size_t>{0});
}

TEST(GuessingLoads, WhatTheSwapReturnedIsNoGuess) {
  EXPECT_EQ(guesses(loop(plain_look, "st.global.u32 [%rd2], %r1;")), std::set<std::size_t>{0});
}

TEST(GuessingLoads, AGuessThatTheSwapConfirmedIsAnAnswer) {
  const std::string rest =
      "loop:\n mov.u32 %r2, %r3;\n add.s32 %r4, %r2, 5;\n"
      " atom.global.cas.b32 %r3, [%rd1], %r2, %r4;\n setp.ne.s32 %p1, %r2, %r3;\n"
      " @%p1 bra loop;\n st.global.u32 [%rd2], %r2; st.global.u32 [%rd2+4], %r4;\n";
  EXPECT_EQ(guesses("ld.global.u32 %r3, [%rd1];\n" + rest), std::set<std::size_t>{0});
  // What was computed from the first look is not confirmed by a later one.
  EXPECT_TRUE(guesses("ld.global.u32 %r3, [%rd1]; add.u32 %r5, %r3, 1;\n" + rest +
                      "st.global.u32 [%rd2], %r5;")
                  .empty());
}

TEST(GuessingLoads, TheAddressMayBeCopied) {
  EXPECT_EQ(guesses(loop("cvta.to.global.u64 %rd1, %rd3;\n ld.u32 %r1, [%rd3];", "")),
            std::set<std::size_t>{1});
}

TEST(GuessingLoads, AnotherUseMakesThemReads) {
  EXPECT_TRUE(guesses(loop(plain_look + "st.global.u32 [%rd2], %r1;", "")).empty());
  EXPECT_TRUE(
      guesses(loop(plain_look + "add.u32 %r4, %r1, 1;", "st.global.u32 [%rd2], %r4;")).empty());
  EXPECT_TRUE(
      guesses(loop(plain_look + "cvt.u64.u32 %rd4, %r1; ld.global.u32 %r5, [%rd4];", "")).empty());
}

TEST(GuessingLoads, AnotherPlaceOrWidthIsNotJudged) {
  EXPECT_TRUE(guesses(loop("ld.global.u32 %r1, [%rd1+4];", "")).empty());
  EXPECT_TRUE(guesses(loop("ld.global.u16 %r1, [%rd1];", "")).empty());
  EXPECT_TRUE(guesses(loop("ld.global.u32 %r1, [%rd2];", "")).empty());
}

TEST(GuessingLoads, WhatIsStoredWithoutBeingComparedIsAnAnswer) {
  EXPECT_TRUE(guesses(plain_look + "atom.global.cas.b32 %r3, [%rd1], %r4, %r1;\n ret;").empty());
}

TEST(GuessingLoads, VolatileLoadsAreWhatTheyAre) {
  EXPECT_TRUE(guesses(loop("ld.volatile.global.u32 %r1, [%rd1];", "")).empty());
}

}  // namespace
}  // namespace gridstride::sim
