// Whether results of atomics are used, on short functions.
#include "common/simulator/analysis/atomic_results.h"

#include <gtest/gtest.h>

#include <string>

#include "common/simulator/ptx/parser.h"

namespace gridstride::sim {
namespace {

ptx::Module module_with_body(const std::string& body) {
  return ptx::parse(
      ".version 8.0\n.target sm_75\n.address_size 64\n"
      ".visible .entry k(.param .u64 p) {\n"
      ".reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.reg .pred %p<9>;\n.shared .b32 box;\n" +
      body + "ret;\n}\n");
}

bool used(const std::string& body) {
  return uses_atomic_results(module_with_body(body).functions.front());
}

bool drawn(const std::string& body) {
  const ptx::Module module = module_with_body(body);
  return draws_work(module.functions.front(), find_blocks(module.functions.front()));
}

TEST(AtomicResults, WhatNobodyReadsIsNotWaitedFor) {
  EXPECT_FALSE(used("atom.global.add.u32 %r1, [%rd1], 1;\nst.global.u32 [%rd2], %r2;\n"));
  EXPECT_FALSE(used("red.global.add.u32 [%rd1], 1;\n"));
}

TEST(AtomicResults, WhatIsStoredIs) {
  EXPECT_TRUE(used("atom.global.add.u32 %r1, [%rd1], 1;\nst.global.u32 [%rd2], %r1;\n"));
  EXPECT_TRUE(used("atom.add.u32 %r1, [%rd1], 1;\nst.global.u32 [%rd2], %r1;\n"));
}

TEST(AtomicResults, SharedMemoryHasNoQueueInTheL2) {
  EXPECT_FALSE(used("atom.shared.add.u32 %r1, [%r3], 1;\nst.global.u32 [%rd2], %r1;\n"));
}

TEST(DrawnWork, ALoopThatEndsByWhatAnAdditionReturns) {
  const std::string draw = "$again: atom.global.add.u32 %r1, [%rd1], 1;\n";
  EXPECT_TRUE(drawn(draw + "setp.lt.u32 %p1, %r1, 9;\n@%p1 bra $again;\n"));
  EXPECT_TRUE(drawn(draw + "setp.gt.u32 %p1, %r1, 9;\n@%p1 bra $end;\nbra.uni $again;\n$end:\n"));
  EXPECT_TRUE(drawn(draw + "setp.gt.u32 %p1, %r1, 9;\n@%p1 ret;\nbra.uni $again;\n"));
  EXPECT_FALSE(
      drawn("atom.global.add.u32 %r1, [%rd1], 1;\n$again: add.u32 %r2, %r2, 1;\n"
            "setp.lt.u32 %p1, %r2, %r1;\n@%p1 bra $again;\n"));
  EXPECT_FALSE(drawn(draw + "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 9;\n@%p1 bra $again;\n"));
}

TEST(DrawnWork, ItComesByShufflesAndByMemoryThatIsNotGlobal) {
  const std::string draw = "$again: atom.add.u32 %r1, [%rd1], 1;\n";
  const std::string loop = "setp.lt.u32 %p1, %r2, 9;\n@%p1 bra $again;\n";
  EXPECT_TRUE(drawn(draw + "shfl.sync.idx.b32 %r2, %r1, 0, 31, -1;\n" + loop));
  EXPECT_TRUE(
      drawn(draw + "st.shared.u32 [box], %r1;\nbar.sync 0;\nld.shared.u32 %r2, [box];\n" + loop));
  EXPECT_FALSE(drawn(draw + "st.global.u32 [%rd2], %r1;\nld.global.u32 %r2, [%rd2];\n" + loop));
}

TEST(DrawnWork, WhoTriesOrLooksAgainDrawsNothing) {
  const std::string loop = "setp.ne.u32 %p1, %r1, 9;\n@%p1 bra $again;\n";
  EXPECT_FALSE(drawn("$again: atom.global.cas.b32 %r1, [%rd1], 0, 1;\n" + loop));
  EXPECT_FALSE(drawn("$again: atom.global.exch.b32 %r1, [%rd1], 1;\n" + loop));
  EXPECT_FALSE(drawn("$again: atom.global.add.u32 %r1, [%rd1], 0;\n" + loop));
  EXPECT_FALSE(drawn("$again: atom.shared.add.u32 %r1, [box], 1;\n" + loop));
}

}  // namespace
}  // namespace gridstride::sim
