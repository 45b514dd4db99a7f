// PTX instructions against the number that ptxas makes of them.
#include "common/simulator/analysis/sass_instructions.h"

#include <gtest/gtest.h>

#include <string>

#include "common/simulator/ptx/parser.h"

namespace gridstride::sim {
namespace {

int sass_instructions_of(const std::string& line) {
  const ptx::Module module = ptx::parse(
      ".version 9.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
      ".reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .f32 %f<4>; .reg .f64 %fd<4>; .reg .pred %p<2>;\n" +
      line + "\nret;\n}\n");
  return sass_instructions(module.functions.at(0).body.at(0));
}

TEST(MachineInstructions, MostAreOne) {
  EXPECT_EQ(sass_instructions_of("add.s32 %r1, %r2, %r3;"), 1);
  EXPECT_EQ(sass_instructions_of("fma.rn.f32 %f1, %f2, %f3, %f0;"), 1);
  EXPECT_EQ(sass_instructions_of("mul.wide.u32 %rd1, %r2, %r3;"), 1);
  EXPECT_EQ(sass_instructions_of("ld.global.f32 %f1, [%rd1];"), 1);
  EXPECT_EQ(sass_instructions_of("mov.u32 %r1, %tid.x;"), 1);
}

TEST(MachineInstructions, DivisionIsASubroutine) {
  EXPECT_EQ(sass_instructions_of("rem.u32 %r1, %r2, %r3;"), 18);
  EXPECT_EQ(sass_instructions_of("div.s64 %rd1, %rd2, %rd3;"), 70);
  EXPECT_EQ(sass_instructions_of("div.rn.f32 %f1, %f2, %f3;"), 10);
  EXPECT_EQ(sass_instructions_of("div.approx.ftz.f32 %f1, %f2, %f3;"), 1);
}

TEST(MachineInstructions, SixtyFourBitsGoInHalves) {
  EXPECT_EQ(sass_instructions_of("xor.b64 %rd1, %rd2, %rd3;"), 2);
  EXPECT_EQ(sass_instructions_of("mul.lo.s64 %rd1, %rd2, %rd3;"), 4);
  EXPECT_EQ(sass_instructions_of("setp.lt.s64 %p1, %rd2, %rd3;"), 2);
}

TEST(MachineInstructions, MatricesTakeTheirTime) {
  const std::string rest = " {%f1, %f1, %f1, %f1}, {%r1, %r1}, {%r1}, {%f1, %f1, %f1, %f1};";
  EXPECT_EQ(sass_instructions_of("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32" + rest), 4);
  EXPECT_EQ(sass_instructions_of("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32" + rest), 4);
}

TEST(MachineInstructions, CopiesVanish) {
  EXPECT_EQ(sass_instructions_of("mov.u32 %r1, %r2;"), 0);
  EXPECT_EQ(sass_instructions_of("cvta.to.global.u64 %rd1, %rd2;"), 0);
  EXPECT_EQ(sass_instructions_of("ld.param.u64 %rd1, [p];"), 0);
}

}  // namespace
}  // namespace gridstride::sim
