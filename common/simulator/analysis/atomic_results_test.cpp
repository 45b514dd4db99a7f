// Whether results of atomics are used, on short functions.
#include "common/simulator/analysis/atomic_results.h"

#include <gtest/gtest.h>

#include <string>

#include "common/simulator/ptx/parser.h"

namespace gridstride::sim {
namespace {

bool used(const std::string& body) {
  const ptx::Module module = ptx::parse(
      ".version 8.0\n.target sm_75\n.address_size 64\n"
      ".visible .entry k(.param .u64 p) {\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n" +
      body + "ret;\n}\n");
  return uses_atomic_results(module.functions.front());
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

}  // namespace
}  // namespace gridstride::sim
