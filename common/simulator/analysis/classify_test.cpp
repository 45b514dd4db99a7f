// Which unit instructions go to, and what they count for.
#include "common/simulator/analysis/classify.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "common/simulator/base/unsupported.h"

namespace gridstride::sim {
namespace {

InstructionClass of(const std::string& opcode, std::vector<std::string> modifiers) {
  ptx::Instruction instruction;
  instruction.opcode = opcode;
  instruction.modifiers = std::move(modifiers);
  return classify(instruction);
}

TEST(Classify, CountsFloatingPointOperations) {
  EXPECT_EQ(of("fma", {"rn", "f32"}).flops, 2);
  EXPECT_EQ(of("add", {"f32"}).flops, 1);
  EXPECT_EQ(of("mul", {"rn", "ftz", "f32"}).flops, 1);
  EXPECT_EQ(of("fma", {"rn", "f16x2"}).flops, 4);
  EXPECT_EQ(of("add", {"f64"}).flops, 1);
  EXPECT_EQ(of("setp", {"lt", "f32"}).flops, 0);
  EXPECT_EQ(of("mad", {"lo", "s32"}).flops, 0);
  EXPECT_EQ(of("rsqrt", {"approx", "f32"}).flops, 1);
  EXPECT_EQ(of("wmma", {"mma", "sync", "aligned", "row", "col", "m16n16k16", "f32", "f32"}).flops,
            256);
}

TEST(Classify, FindsTheUnit) {
  EXPECT_EQ(of("add", {"s32"}).unit, Unit::integer);
  EXPECT_EQ(of("add", {"f32"}).unit, Unit::single_precision);
  EXPECT_EQ(of("setp", {"lt", "f64"}).unit, Unit::double_precision);
  EXPECT_EQ(of("div", {"rn", "f32"}).unit, Unit::special);
  EXPECT_EQ(of("div", {"s32"}).unit, Unit::integer);
  EXPECT_EQ(of("sin", {"approx", "f32"}).unit, Unit::special);
  EXPECT_EQ(of("mov", {"u32"}).unit, Unit::move);
  EXPECT_EQ(of("popc", {"b32"}).unit, Unit::special);
  EXPECT_EQ(of("cvt", {"f64", "f32"}).unit, Unit::special);
  EXPECT_EQ(of("cvt", {"rn", "f32", "s32"}).unit, Unit::move);
  EXPECT_EQ(of("cvt", {"rzi", "f64", "f64"}).latency, Latency::double_precision);
  EXPECT_EQ(of("ld", {"global", "f32"}).unit, Unit::memory);
  EXPECT_EQ(of("atom", {"shared", "add", "u32"}).unit, Unit::atomic);
  EXPECT_EQ(of("shfl", {"sync", "down", "b32"}).unit, Unit::warp);
  EXPECT_EQ(of("bar", {"sync"}).unit, Unit::barrier);
  EXPECT_EQ(of("bra", {}).unit, Unit::control);
  EXPECT_EQ(of("lop3", {"b32"}).unit, Unit::integer);
}

TEST(Classify, KnowsWhichUnitsForIntegersAreTaken) {
  EXPECT_EQ(of("xor", {"b32"}).logic_slots, 1);
  EXPECT_EQ(of("setp", {"lt", "s32"}).logic_slots, 1);
  EXPECT_EQ(of("min", {"f32"}).logic_slots, 1);
  EXPECT_EQ(of("min", {"f64"}).logic_slots, 0);
  EXPECT_EQ(of("and", {"pred"}).logic_slots, 0);
  EXPECT_EQ(of("add", {"s32"}).sum_slots, 1);
  EXPECT_EQ(of("add", {"s32"}).logic_slots, 0);
  EXPECT_EQ(of("add", {"f32"}).sum_slots, 0);
  EXPECT_EQ(of("mad", {"lo", "s32"}).product_slots, 1);
  EXPECT_EQ(of("mul", {"wide", "u32"}).product_slots, 2);
  EXPECT_EQ(of("mul", {"lo", "u64"}).product_slots, 4);
  EXPECT_EQ(of("mul", {"hi", "u64"}).product_slots, 9);
  EXPECT_EQ(of("mul", {"f32"}).product_slots, 0);
}

TEST(Classify, FindsTheCounters) {
  EXPECT_EQ(of("st", {"global", "f32"}).counters, CounterGroup::stores);
  EXPECT_EQ(of("stmatrix", {"sync", "aligned"}).counters, CounterGroup::stores);
  EXPECT_EQ(of("wmma", {"store", "d", "sync"}).counters, CounterGroup::stores);
  EXPECT_EQ(of("wmma", {"load", "a", "sync"}).counters, CounterGroup::loads);
  EXPECT_EQ(of("ld", {"shared", "u32"}).counters, CounterGroup::loads);
  EXPECT_EQ(of("red", {"global", "add", "u32"}).counters, CounterGroup::atomics);
  EXPECT_EQ(of("cp", {"async", "ca", "shared", "global"}).counters, CounterGroup::copies);
  EXPECT_EQ(of("shfl", {"sync", "down", "b32"}).counters, CounterGroup::shuffles);
  EXPECT_EQ(of("brx", {"idx"}).counters, CounterGroup::branches);
  EXPECT_EQ(of("bra", {}).counters, CounterGroup::loads);
  ptx::Instruction guarded;
  guarded.opcode = "bra";
  guarded.guard = 0;
  EXPECT_EQ(classify(guarded).counters, CounterGroup::branches);
}

TEST(Classify, RefusesWhatHasNoRow) { EXPECT_THROW(of("frobnicate", {"u32"}), Unsupported); }

TEST(Classify, FindsTheLatency) {
  EXPECT_EQ(of("add", {"s32"}).latency, Latency::arithmetic);
  EXPECT_EQ(of("fma", {"rn", "f64"}).latency, Latency::double_precision);
  EXPECT_EQ(of("rcp", {"approx", "ftz", "f32"}).latency, Latency::special);
  EXPECT_EQ(of("ld", {"shared", "f32"}).latency, Latency::shared);
  EXPECT_EQ(of("ld", {"param", "u64"}).latency, Latency::constant);
  EXPECT_EQ(of("ld", {"f32"}).latency, Latency::global);
  EXPECT_EQ(of("atom", {"shared", "add", "u32"}).latency, Latency::shared_atomic);
  EXPECT_EQ(of("red", {"global", "add", "f32"}).latency, Latency::global_atomic);
}

TEST(Classify, FindsTheSchedulingConstraint) {
  EXPECT_EQ(of("add", {"s32"}).scheduling, SchedulingConstraint::free);
  EXPECT_EQ(of("ld", {"global", "f32"}).scheduling, SchedulingConstraint::load);
  EXPECT_EQ(of("st", {"global", "f32"}).scheduling, SchedulingConstraint::store);
  EXPECT_EQ(of("ld", {"volatile", "global", "u32"}).scheduling, SchedulingConstraint::fixed);
  EXPECT_EQ(of("atom", {"global", "add", "u32"}).scheduling, SchedulingConstraint::fixed);
  EXPECT_EQ(of("red", {"shared", "add", "u32"}).scheduling, SchedulingConstraint::store);
  EXPECT_EQ(of("atom", {"acquire", "cta", "shared", "add", "u32"}).scheduling,
            SchedulingConstraint::fixed);
  EXPECT_EQ(of("bar", {"sync"}).scheduling, SchedulingConstraint::fixed);
  EXPECT_EQ(of("bra", {}).scheduling, SchedulingConstraint::fixed);
  EXPECT_EQ(of("sqrt", {"rn", "f32"}).scheduling, SchedulingConstraint::subroutine);
  EXPECT_EQ(of("sqrt", {"approx", "ftz", "f32"}).scheduling, SchedulingConstraint::free);
  EXPECT_EQ(of("div", {"rn", "f64"}).scheduling, SchedulingConstraint::subroutine);
  EXPECT_EQ(of("div", {"full", "f32"}).scheduling, SchedulingConstraint::free);
  EXPECT_EQ(of("rem", {"u64"}).scheduling, SchedulingConstraint::subroutine);
  EXPECT_EQ(of("div", {"s32"}).scheduling, SchedulingConstraint::free);
  ptx::Instruction clock;
  clock.opcode = "mov";
  clock.operands.resize(2);
  clock.operands[1].kind = ptx::Operand::Kind::special;
  clock.operands[1].name = "%clock64";
  EXPECT_EQ(classify(clock).scheduling, SchedulingConstraint::fixed);
}

}  // namespace
}  // namespace gridstride::sim
