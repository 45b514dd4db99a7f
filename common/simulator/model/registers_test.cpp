// The register estimate, on kernels written out as the parser leaves them.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "common/simulator/model/occupancy.h"

namespace gridstride::sim {
namespace {

using ptx::Operand;

Operand reg(std::int32_t index) {
  Operand operand;
  operand.kind = Operand::Kind::reg;
  operand.index = index;
  return operand;
}

Operand label(std::int32_t at) {
  Operand operand;
  operand.kind = Operand::Kind::label;
  operand.index = at;
  return operand;
}

ptx::Instruction make(std::vector<Operand> operands) {
  ptx::Instruction instruction;
  instruction.operands = std::move(operands);
  return instruction;
}

/// Writes `values` registers of `type`, then reads each.
ptx::Function kernel_with(int values, ptx::Type type) {
  ptx::Function kernel;
  kernel.registers.assign(static_cast<std::size_t>(values), {"%v", type});
  for (int i = 0; i < values; ++i) kernel.body.push_back(make({reg(i)}));
  for (int i = 0; i < values; ++i) kernel.body.push_back(make({label(-1), reg(i)}));
  return kernel;
}

std::uint32_t estimate_of(const ptx::Function& kernel) {
  return estimate_registers(kernel, default_profile().limits);
}

TEST(Registers, GrowWithTheValuesAliveAtOnce) {
  EXPECT_EQ(estimate_of(kernel_with(4, ptx::Type::b32)), 16u);
  EXPECT_EQ(estimate_of(kernel_with(20, ptx::Type::b32)), 24u);
  EXPECT_EQ(estimate_of(kernel_with(20, ptx::Type::f64)), 48u);
  EXPECT_EQ(estimate_of(kernel_with(20, ptx::Type::pred)), 16u);
}

TEST(Registers, UniformIntegersHaveOthers) {
  ptx::Function kernel = kernel_with(20, ptx::Type::b64);
  EXPECT_EQ(estimate_of(kernel), 48u);
  kernel.is_kernel = true;  // its values now come from nothing that differs between threads
  EXPECT_EQ(estimate_of(kernel), 16u);
  ptx::Function floats = kernel_with(20, ptx::Type::f64);
  floats.is_kernel = true;
  EXPECT_EQ(estimate_of(floats), 48u);
}

TEST(Registers, AreReusedByValuesThatFollowEachOther) {
  ptx::Function kernel;
  kernel.registers.assign(100, {"%r", ptx::Type::b32});
  for (int i = 0; i < 99; ++i) kernel.body.push_back(make({reg(i + 1), reg(i)}));
  EXPECT_EQ(estimate_of(kernel), 16u);
}

TEST(Registers, ValuesReadInALoopLiveToItsEnd) {
  // 20 values written before the loop, each read once at its start; 20 more follow in the loop.
  ptx::Function kernel;
  kernel.registers.assign(40, {"%r", ptx::Type::b32});
  for (int i = 0; i < 20; ++i) kernel.body.push_back(make({reg(i)}));
  for (int i = 0; i < 20; ++i) kernel.body.push_back(make({label(-1), reg(i)}));
  for (int i = 20; i < 40; ++i) kernel.body.push_back(make({reg(i)}));
  for (int i = 20; i < 40; ++i) kernel.body.push_back(make({label(-1), reg(i)}));
  const std::uint32_t without_loop = estimate_of(kernel);
  kernel.body.push_back(make({label(20)}));
  kernel.body.back().opcode = "bra";
  EXPECT_EQ(without_loop, 24u);
  EXPECT_EQ(estimate_of(kernel), 48u);
}

TEST(Registers, KeepWithinLaunchBounds) {
  ptx::Function kernel = kernel_with(200, ptx::Type::b32);
  EXPECT_EQ(estimate_of(kernel), 208u);
  kernel.max_threads = 1024;
  EXPECT_EQ(estimate_of(kernel), 64u);
  kernel.min_blocks = 2;
  EXPECT_EQ(estimate_of(kernel), 32u);
  EXPECT_EQ(estimate_of(kernel_with(400, ptx::Type::b32)), 255u);
}

}  // namespace
}  // namespace gridstride::sim
