// Which bytes matter of a word that a compiler loads to look at one of them.
#include "common/simulator/analysis/needed_bytes.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "common/simulator/exec/test_grid.h"

namespace gridstride::sim {
namespace {

std::uint32_t needed(const std::string& load, const std::string& body) {
  const ptx::Module module = ptx::parse(kernel_text(1, 0, load + "\n" + body + "\nret;"));
  const NeededBytes bytes = needed_bytes(module.functions.front(), 0);
  return bytes.used | bytes.copied;
}

/// Those that are only copied.
std::uint32_t copied(const std::string& load, const std::string& body) {
  const ptx::Module module = ptx::parse(kernel_text(1, 0, load + "\n" + body + "\nret;"));
  return needed_bytes(module.functions.front(), 0).copied;
}

std::uint32_t of_word(const std::string& body) {
  return needed("ld.global.u64 %rd1, [%rd9];", body);
}

TEST(NeededBytes, ANarrowingConversionTakesTheLowOnes) {
  EXPECT_EQ(of_word("cvt.u32.u64 %r1, %rd1; st.global.u32 [%rd2], %r1;"), 0x0fu);
  EXPECT_EQ(of_word("cvt.u32.u64 %r1, %rd1; and.b32 %r2, %r1, 255; st.global.u32 [%rd2], %r2;"),
            0x01u);
  EXPECT_EQ(of_word("mov.u64 %rd3, %rd1; st.global.u16 [%rd2], %rd3;"), 0x03u);
}

TEST(NeededBytes, EveryUseCounts) {
  EXPECT_EQ(of_word("st.global.u8 [%rd2], %rd1; add.s64 %rd3, %rd1, 1;"), 0xffu);
  EXPECT_EQ(of_word("st.global.u8 [%rd1], %r1;"), 0xffu) << "an address";
  EXPECT_EQ(of_word("cvt.rn.f32.u64 %f1, %rd1;"), 0xffu);
  EXPECT_EQ(of_word("cvt.sat.u32.u64 %r1, %rd1; st.global.u8 [%rd2], %r1;"), 0xffu);
  EXPECT_EQ(of_word(""), 0u);
}

TEST(NeededBytes, AWideningConversionTakesWhatItReads) {
  EXPECT_EQ(of_word("cvt.s64.s16 %rd3, %rd1; st.global.u64 [%rd2], %rd3;"), 0x03u);
  EXPECT_EQ(of_word("cvt.u64.u16 %rd3, %rd1; st.global.u8 [%rd2], %rd3;"), 0x01u);
  EXPECT_EQ(of_word("cvt.s64.s32 %rd3, %rd1; and.b64 %rd4, %rd3, -4294967296;"
                    "st.global.u64 [%rd2], %rd4;"),
            0x08u)
      << "the sign";
}

TEST(NeededBytes, RegistersOfAVectorOneByOne) {
  EXPECT_EQ(needed("ld.global.v2.u32 {%r1, %r2}, [%rd9];",
                   "st.global.u8 [%rd2], %r1; st.global.u32 [%rd2], %r2;"),
            0xf1u);
}

TEST(NeededBytes, WhatIsStoredAgainIsCopied) {
  EXPECT_EQ(copied("ld.global.u64 %rd1, [%rd9];", "st.global.u64 [%rd2], %rd1;"), 0xffu);
  EXPECT_EQ(copied("ld.global.v2.u32 {%r1, %r2}, [%rd9];",
                   "st.shared.v2.u32 [%rd2], {%r2, %r1}; add.u32 %r3, %r2, 1; st.u32 [%rd2], %r3;"),
            0x0fu);
  EXPECT_EQ(
      copied("ld.global.u64 %rd1, [%rd9];",
             "mov.b64 {%r1, %r2}, %rd1; st.global.u32 [%rd2], %r2; st.global.u8 [%rd2], %r1;"),
      0xf1u);
}

TEST(NeededBytes, AByteInWhichABitFieldIsSetIsNoCopy) {
  const std::string word = "ld.global.u32 %r1, [%rd9];";
  const std::string masked = "and.b32 %r2, %r1, -8; or.b32 %r3, %r2, 5; st.global.u32 [%rd9], %r3;";
  EXPECT_EQ(copied(word, masked), 0x0eu);
  EXPECT_EQ(needed(word, masked), 0x0fu);
  const std::string inserted = "bfi.b32 %r3, %r5, %r1, 4, 12; st.global.u32 [%rd9], %r3;";
  EXPECT_EQ(copied(word, inserted), 0x0cu) << "the second byte is all new";
  EXPECT_EQ(needed(word, inserted), 0x0du);
}

TEST(NeededBytes, ABitFieldIsShiftedOutOfItsWord) {
  const std::string word = "ld.global.u32 %r1, [%rd9];", use = "add.u32 %r4, %r3, 1;";
  EXPECT_EQ(needed(word, "shl.b32 %r2, %r1, 29; shr.u32 %r3, %r2, 29;" + use), 0x01u);
  EXPECT_EQ(needed(word, "shl.b32 %r2, %r1, 12; shr.u32 %r3, %r2, 28;" + use), 0x04u);
  EXPECT_EQ(needed(word, "shr.s32 %r3, %r1, 24;" + use), 0x08u) << "the sign is in it";
  EXPECT_EQ(needed(word, "shr.s32 %r2, %r1, 8; and.b32 %r3, %r2, 255;" + use), 0x02u);
}

TEST(NeededBytes, AnArgumentOfACallIsUsed) {
  EXPECT_EQ(copied("ld.global.u32 %r1, [%rd9];", "st.param.b32 [p], %r1;"), 0u);
  EXPECT_EQ(copied("ld.global.u32 %r1, [%rd9];",
                   "setp.eq.u32 %p1, %r1, 0; @%p1 bra $end; "
                   "st.global.u32 [%rd2], %r1; $end:"),
            0u);
}

TEST(NeededBytes, CopiesMayGoRound) {
  const std::string loop = "$again: selp.b64 %rd3, %rd1, %rd4, %p1; mov.u64 %rd1, %rd3;";
  EXPECT_EQ(of_word(loop + "@%p1 bra $again; st.global.u8 [%rd2], %rd3;"), 0x01u);
  EXPECT_EQ(of_word(loop + "@%p1 bra $again; add.u64 %rd5, %rd3, 1;"), 0xffu);
}

}  // namespace
}  // namespace gridstride::sim
