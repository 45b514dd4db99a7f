// What registers are computed from.
#include "common/simulator/analysis/register_origins.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "common/simulator/exec/test_grid.h"

namespace gridstride::sim {
namespace {

RegisterOrigin origin(const std::string& body, const std::string& name) {
  const ptx::Module module = ptx::parse(kernel_text(
      1, 1, ".shared .align 4 .b8 a[64]; .shared .align 4 .b8 b[64];" + body + " ret;"));
  const ptx::Function& function = module.functions.at(0);
  const auto origins = register_origins(function);
  for (std::size_t i = 0; i < function.registers.size(); ++i) {
    if (function.registers[i].name == name) return origins[i];
  }
  ADD_FAILURE() << "no register " << name;
  return {};
}

TEST(RegisterOrigins, ParametersAndBlockIndicesAreUniformThreadIndicesAreNot) {
  const std::string body = R"(
    ld.param.u64 %rd1, [p0]; mov.u32 %r1, %ctaid.x; mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2; mov.u32 %r2, %tid.x; mul.wide.u32 %rd4, %r2, 4;
    add.s64 %rd5, %rd1, %rd4; ld.global.u32 %r3, [%rd3];)";
  EXPECT_TRUE(origin(body, "%rd3").uniform);
  EXPECT_FALSE(origin(body, "%rd5").uniform);
  EXPECT_FALSE(origin(body, "%r3").uniform);
}

TEST(RegisterOrigins, ARegisterWithTwoDefinitionsIsNotUniform) {
  EXPECT_FALSE(origin("mov.u32 %r1, 1; mov.u32 %r1, 2; add.u32 %r2, %r1, 1;", "%r2").uniform);
}

TEST(RegisterOrigins, AddressesRememberTheirVariableThroughArithmeticAndLoops) {
  const std::string body = R"(
    mov.u32 %r1, a; mov.u32 %r2, %tid.x; shl.b32 %r3, %r2, 2; add.u32 %r4, %r1, %r3;
  $loop:
    add.u32 %r4, %r4, 4; setp.lt.u32 %p1, %r4, 100; @%p1 bra $loop;
    mov.u32 %r5, b; selp.b32 %r6, %r4, %r5, %p1;)";
  EXPECT_EQ(origin(body, "%r4").variable, "a");
  EXPECT_EQ(origin(body, "%r5").variable, "b");
  EXPECT_EQ(origin(body, "%r6").variable, "");
  EXPECT_EQ(origin(body, "%r3").variable, "");
}

TEST(RegisterOrigins, AlignmentGoesThroughIndexArithmetic) {
  const std::string body = R"(
    mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 3; mov.u32 %r3, a; add.s32 %r4, %r3, %r2;
    add.s32 %r5, %r4, 4; mad.lo.s32 %r6, %r1, 32, %r3; ld.param.u32 %r7, [p1];)";
  EXPECT_EQ(origin(body, "%r1").alignment, 1u);
  EXPECT_EQ(origin(body, "%r4").alignment, 8u);
  EXPECT_EQ(origin(body, "%r5").alignment, 4u);
  EXPECT_EQ(origin(body, "%r6").alignment, 16u);
  EXPECT_EQ(origin(body, "%r7").alignment, 1u);
}

TEST(RegisterOrigins, AlignmentIsTheLeastOfAllDefinitions) {
  const std::string body = R"(
    mov.u32 %r1, a; mov.u32 %r2, 0;
    L: add.s32 %r1, %r1, 8; add.s32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 9; @%p1 bra L;)";
  EXPECT_EQ(origin(body, "%r1").alignment, 8u);
}

}  // namespace
}  // namespace gridstride::sim
