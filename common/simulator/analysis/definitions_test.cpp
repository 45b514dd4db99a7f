// What a register holds.
#include "common/simulator/analysis/definitions.h"

#include <gtest/gtest.h>

#include <string>

#include "common/simulator/exec/test_grid.h"
#include "common/simulator/ptx/parser.h"

namespace gridstride::sim {
namespace {

ptx::Module module_of(const std::string& body) {
  return ptx::parse(kernel_text(1, 0, body + "\nret;"));
}

/// What the first operand is copied from that the last instruction before the return reads.
const ptx::Operand& origin(const ptx::Module& module) {
  const ptx::Function& function = module.functions.front();
  const ptx::Operand& read = function.body[function.body.size() - 3].operands.at(1);
  return Definitions(function).copied_from(read);
}

TEST(Definitions, FollowCopiesToWhatWasCopied) {
  const ptx::Module constant = module_of("mov.u32 %r1, 7; mov.b32 %r2, %r1; add.s32 %r3, %r2, 1;");
  EXPECT_EQ(origin(constant).kind, ptx::Operand::Kind::immediate);
  EXPECT_EQ(origin(constant).bits, 7u);
  const ptx::Module computed =
      module_of("add.s32 %r1, %r9, 7; mov.b32 %r2, %r1; add.s32 %r3, %r2, 1;");
  const ptx::Function& function = computed.functions.front();
  EXPECT_EQ(Definitions(function).of(origin(computed).index), &function.body.front());
}

TEST(Definitions, StopWhereTwoInstructionsWriteOrOneOnlySometimes) {
  EXPECT_EQ(origin(module_of("mov.u32 %r1, 7; mov.u32 %r1, 8; add.s32 %r3, %r1, 1;")).kind,
            ptx::Operand::Kind::reg);
  EXPECT_EQ(origin(module_of("@%p1 mov.u32 %r1, 7; add.s32 %r3, %r1, 1;")).kind,
            ptx::Operand::Kind::reg);
}

TEST(Definitions, EndInARegisterThatCopiesItself) {
  EXPECT_EQ(origin(module_of("mov.u32 %r1, %r2; mov.u32 %r2, %r1; add.s32 %r3, %r1, 1;")).kind,
            ptx::Operand::Kind::reg);
}

TEST(Definitions, ZeroIsAnIntegerOrItsCopy) {
  const auto adds_zero = [](const std::string& body) {
    const ptx::Module module = module_of(body);
    const ptx::Function& function = module.functions.front();
    return Definitions(function).is_zero(function.body[function.body.size() - 3].operands.at(2));
  };
  EXPECT_TRUE(adds_zero("add.s32 %r3, %r1, 0;"));
  EXPECT_TRUE(adds_zero("mov.u32 %r1, 0; mov.b32 %r2, %r1; add.s32 %r3, %r9, %r2;"));
  EXPECT_FALSE(adds_zero("mov.u32 %r1, 1; add.s32 %r3, %r9, %r1;"));
  EXPECT_FALSE(adds_zero("add.s32 %r3, %r9, %r8;"));
}

}  // namespace
}  // namespace gridstride::sim
