// Which statements read, change and write back.
#include "common/simulator/analysis/updates_in_place.h"

#include <gtest/gtest.h>

#include <string>

#include "common/simulator/exec/test_grid.h"
#include "common/simulator/ptx/parser.h"

namespace gridstride::sim {
namespace {

/// Of the only store in `body`.
bool updates(const std::string& body) {
  const ptx::Module module = ptx::parse(kernel_text(1, 0, body, ".file 1 \"kernel.cu\"\n"));
  const ptx::Function& function = module.functions.at(0);
  for (const ptx::Instruction& instruction : function.body) {
    if (instruction.opcode == "st") return updates_in_place(function, instruction);
  }
  ADD_FAILURE() << "no store";
  return false;
}

TEST(UpdatesInPlace, IsAStatementThatChangesWhatItReads) {
  EXPECT_TRUE(updates(".loc 1 5 1\n ld.global.u32 %r1, [%rd1+4]; st.global.u32 [%rd1+4], %r1;"));
  EXPECT_FALSE(updates(".loc 1 5 1\n ld.global.u32 %r1, [%rd1+8]; st.global.u32 [%rd1+4], %r1;"));
  EXPECT_FALSE(updates(".loc 1 5 1\n ld.global.u32 %r1, [%rd2+4]; st.global.u32 [%rd1+4], %r1;"));
  EXPECT_FALSE(updates(".loc 1 5 1\n st.global.u32 [%rd1+4], %r1;"));
}

TEST(UpdatesInPlace, AnotherLineIsAnotherStatement) {
  EXPECT_FALSE(
      updates(".loc 1 5 1\n ld.global.u32 %r1, [%rd1]; \n.loc 1 6 1\n st.global.u32 [%rd1], %r1;"));
}

}  // namespace
}  // namespace gridstride::sim
