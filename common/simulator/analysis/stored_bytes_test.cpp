// Where the bytes come from that a store writes.
#include "common/simulator/analysis/stored_bytes.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "common/simulator/exec/test_grid.h"
#include "common/simulator/ptx/parser.h"

namespace gridstride::sim {
namespace {

/// Of the last store in `body`, a letter or digit each byte: digits for bytes of the first load (0 to
/// 9, then a, b, …), z: zero, p: parts, -: elsewhere.
std::string sources(const std::string& body) {
  const ptx::Module module = ptx::parse(kernel_text(1, 0, body + "\nret;"));
  const ptx::Function& function = module.functions.front();
  StoredBytes bytes(function);
  std::string text;
  for (const ptx::Instruction& instruction : function.body) {
    if (instruction.opcode != "st") continue;
    text.clear();
    for (const ByteSource& source : bytes.of_store(instruction)) {
      switch (source.from) {
        case ByteSource::From::load:
          EXPECT_EQ(function.body[source.load].opcode, "ld");
          text += "0123456789abcdef"[source.byte];
          break;
        case ByteSource::From::zero:
          text += 'z';
          break;
        case ByteSource::From::parts:
          text += 'p';
          break;
        case ByteSource::From::elsewhere:
          text += '-';
          break;
      }
    }
  }
  return text;
}

const std::string word = "ld.global.u32 %r1, [%rd1]; ";

TEST(StoredBytes, CopiesKeepTheirPlaces) {
  EXPECT_EQ(sources(word + "mov.u32 %r2, %r1; st.global.u32 [%rd2], %r2;"), "0123");
  EXPECT_EQ(sources("ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];"
                    "st.global.v2.u32 [%rd2], {%r4, %r2};"),
            "cdef4567");
  EXPECT_EQ(sources(word + "st.global.u8 [%rd2], %r1;"), "0");
}

TEST(StoredBytes, WordsAreTakenApartAndPutTogether) {
  EXPECT_EQ(sources("ld.global.u64 %rd3, [%rd1]; mov.b64 {%r1, %r2}, %rd3;"
                    "mov.b64 %rd4, {%r2, %r1}; st.global.u64 [%rd2], %rd4;"),
            "45670123");
  EXPECT_EQ(sources(word + "shr.u32 %r2, %r1, 8; st.global.u32 [%rd2], %r2;"), "123z");
  EXPECT_EQ(sources(word + "prmt.b32 %r2, %r1, 0, 0x4321; st.global.u32 [%rd2], %r2;"), "123z");
  EXPECT_EQ(sources("ld.global.u8 %r1, [%rd1]; shl.b32 %r2, %r1, 16; st.global.u32 [%rd2], %r2;"),
            "zz0z");
  EXPECT_EQ(sources("ld.global.u16 %h1, [%rd1]; cvt.u32.u16 %r2, %h1; st.global.u32 [%rd2], %r2;"),
            "01zz");
}

TEST(StoredBytes, BitFieldsTakeParts) {
  EXPECT_EQ(sources(word + "and.b32 %r2, %r1, -8; or.b32 %r3, %r2, 5; st.global.u32 [%rd2], %r3;"),
            "p123");
  EXPECT_EQ(sources(word + "bfi.b32 %r2, %r5, %r1, 4, 12; st.global.u32 [%rd2], %r2;"), "p-23");
}

TEST(StoredBytes, ABitFieldThatIsShiftedToItsPlaceLeavesTheOtherBytes) {
  EXPECT_EQ(sources(word + "and.b32 %r5, %r6, 127; shl.b32 %r7, %r5, 1; and.b32 %r2, %r1, -255; "
                           "or.b32 %r3, %r2, %r7; st.global.u32 [%rd2], %r3;"),
            "p123");
  EXPECT_EQ(sources(word + "ld.global.u8 %r5, [%rd3]; shl.b32 %r7, %r5, 9; "
                           "and.b32 %r2, %r1, 511; or.b32 %r3, %r2, %r7; "
                           "st.global.u32 [%rd2], %r3;"),
            "0p-z");
}

TEST(StoredBytes, WhatIsComputedComesFromElsewhere) {
  EXPECT_EQ(sources(word + "add.u32 %r2, %r1, 1; st.global.u32 [%rd2], %r2;"), "----");
  EXPECT_EQ(sources(word + "shl.b32 %r2, %r1, 3; st.global.u32 [%rd2], %r2;"), "----");
  EXPECT_EQ(sources("ld.global.s16 %r1, [%rd1]; st.global.u32 [%rd2], %r1;"), "01--") << "the sign";
  EXPECT_EQ(sources(word + "@%p1 mov.u32 %r1, %r5; st.global.u32 [%rd2], %r1;"), "----");
  EXPECT_EQ(sources(word + "st.param.u32 [q], %r1;"), "") << "no memory";
}

TEST(StoredBytes, LongChainsEnd) {
  std::string body = word;
  for (int i = 0; i < 39; ++i)
    body += "mov.u32 %r" + std::to_string((i + 1) % 40) + ", %r" + std::to_string(i) + ";";
  EXPECT_EQ(sources(body + "mov.u32 %r0, %r39; st.global.u32 [%rd2], %r39;"), "----") << "a circle";
}

}  // namespace
}  // namespace gridstride::sim
