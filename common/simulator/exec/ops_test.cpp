// Single arithmetic instructions on edge values, with the results that the PTX ISA prescribes.
#include <gtest/gtest.h>

#include <bit>
#include <limits>

#include "common/simulator/exec/address_spaces.h"
#include "common/simulator/exec/ops_test_machine.h"

namespace gridstride::sim {
namespace {

constexpr std::uint64_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }
constexpr std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }
constexpr std::uint64_t bits(int value) { return static_cast<std::uint32_t>(value); }
constexpr std::uint64_t bits(std::int64_t value) { return static_cast<std::uint64_t>(value); }
constexpr float inf = std::numeric_limits<float>::infinity();
constexpr std::uint64_t nan32 = 0x7fffffff;

/// What an instruction makes of register values. Sources are %?1, %?2, … and the result %?0.
struct Row1 {
  const char* instruction;
  std::vector<std::uint64_t> sources;
  std::uint64_t result;
};

std::string operand_name(const std::string& line, std::size_t number) {
  // "op %r0, %r1, …": the number-th register
  std::size_t at = 0;
  for (std::size_t i = 0; i <= number; ++i) at = line.find('%', at + 1);
  return line.substr(at, line.find_first_of(",;|} ", at) - at);
}

class Ops : public testing::TestWithParam<Row1> {};

/// Full warp, and a mask that must leave the other lanes alone.
TEST_P(Ops, GivesWhatTheIsaSays) {
  const Row1& row = GetParam();
  for (const LaneMask mask : {full_mask, LaneMask{0x80f0a501}}) {
    TestMachine machine;
    const std::string destination = operand_name(row.instruction, 0);
    machine.set(destination, destination[1] == 'p' ? 0 : 0x0123456789abcdef);
    const std::uint64_t before = machine.get(destination, 0);
    for (std::size_t i = 0; i < row.sources.size(); ++i)
      machine.set(operand_name(row.instruction, i + 1), row.sources[i]);
    const Inst* inst = machine.decode(row.instruction);
    ASSERT_NE(inst, nullptr) << "refused: " << row.instruction;
    machine.run(*inst, mask);
    for (unsigned lane = 0; lane < warp_size; ++lane)
      ASSERT_EQ(machine.get(destination, lane), (mask >> lane & 1) != 0 ? row.result : before)
          << row.instruction << " in lane " << lane;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Integer, Ops,
    testing::Values(
        Row1{"add.s32 %r0, %r1, %r2;", {bits(2147483647), 1}, 0x80000000},
        Row1{"add.sat.s32 %r0, %r1, %r2;", {bits(2147483647), 1}, 0x7fffffff},
        Row1{"sub.sat.s32 %r0, %r1, %r2;", {0x80000000, 1}, 0x80000000},
        Row1{"add.u16 %h0, %h1, %h2;", {0xffff, 2}, 1},
        Row1{"add.s64 %l0, %l1, 5;", {bits(std::int64_t{-6})}, ~std::uint64_t{0}},
        Row1{"add.u16x2 %r0, %r1, %r2;", {0x0001ffff, 0x00010001}, 0x00020000},
        Row1{"sub.u32 %r0, %r1, %r2;", {0, 1}, 0xffffffff},
        Row1{"mul.lo.s32 %r0, %r1, %r2;", {0x10001, 0x10001}, 0x20001},
        Row1{"mul.hi.s32 %r0, %r1, %r2;", {bits(-1), bits(2)}, 0xffffffff},
        Row1{"mul.hi.u32 %r0, %r1, %r2;", {0xffffffff, 0xffffffff}, 0xfffffffe},
        Row1{"mul.hi.u64 %l0, %l1, %l2;", {~std::uint64_t{0}, 2}, 1},
        Row1{"mul.hi.s64 %l0, %l1, %l2;", {~std::uint64_t{0}, 2}, ~std::uint64_t{0}},
        Row1{"mul.wide.s32 %l0, %r1, %r2;", {bits(-3), bits(5)}, bits(std::int64_t{-15})},
        Row1{"mul.wide.u32 %l0, %r1, 8;", {0xffffffff}, 0x7fffffff8},
        Row1{"mul.wide.s16 %r0, %h1, %h2;", {0xffff, 7}, bits(-7)},
        Row1{"mul24.lo.s32 %r0, %r1, %r2;", {0xffffff, 3}, bits(-3)},
        Row1{"mul24.lo.u32 %r0, %r1, %r2;", {0xff000002, 3}, 6},
        Row1{"mul24.hi.u32 %r0, %r1, %r2;", {0xffffff, 0xffffff}, 0xfffffe00},
        Row1{"mad.lo.s32 %r0, %r1, %r2, %r3;", {3, 4, bits(-13)}, bits(-1)},
        Row1{"mad.wide.u32 %l0, %r1, %r2, %l3;", {0x80000000, 4, 7}, 0x200000007},
        Row1{
            "mad.hi.sat.s32 %r0, %r1, %r2, %r3;", {0x7fffffff, 0x7fffffff, 0x7fffffff}, 0x7fffffff},
        Row1{"mad24.lo.u32 %r0, %r1, %r2, %r3;", {5, 6, 7}, 37},
        Row1{"div.s32 %r0, %r1, %r2;", {bits(-7), 2}, bits(-3)},
        Row1{"rem.s32 %r0, %r1, %r2;", {bits(-7), 2}, bits(-1)},
        Row1{"div.s32 %r0, %r1, %r2;", {0x80000000, bits(-1)}, 0x80000000},
        Row1{"rem.s64 %l0, %l1, %l2;", {0x8000000000000000, ~std::uint64_t{0}}, 0},
        Row1{"div.u32 %r0, %r1, %r2;", {0xffffffff, 16}, 0x0fffffff},
        Row1{"div.u64 %l0, %l1, 10;", {1000}, 100},
        Row1{"min.s32 %r0, %r1, %r2;", {bits(-1), 1}, bits(-1)},
        Row1{"min.u32 %r0, %r1, %r2;", {bits(-1), 1}, 1},
        Row1{"max.s16 %h0, %h1, %h2;", {0x8000, 3}, 3},
        Row1{"max.u64 %l0, %l1, %l2;", {~std::uint64_t{0}, 3}, ~std::uint64_t{0}},
        Row1{"max.s16x2 %r0, %r1, %r2;", {0xffff0005, 0x00010003}, 0x00010005},
        Row1{"max.s32.relu %r0, %r1, %r2;", {bits(-5), bits(-7)}, 0},
        Row1{"neg.s16 %h0, %h1;", {1}, 0xffff}, Row1{"abs.s32 %r0, %r1;", {0x80000000}, 0x80000000},
        Row1{"abs.s64 %l0, %l1;", {bits(std::int64_t{-9})}, 9},
        Row1{"sad.s32 %r0, %r1, %r2, %r3;", {bits(-3), 4, 10}, 17},
        Row1{"sad.u32 %r0, %r1, %r2, %r3;", {3, 4, 10}, 11},
        Row1{"dp4a.s32.s32 %r0, %r1, %r2, %r3;", {0xff020304, 0x05060708, 1}, 61},
        Row1{"dp4a.u32.u32 %r0, %r1, %r2, %r3;", {0xff020304, 0x05060708, 0}, 1340},
        Row1{"dp2a.lo.u32.u32 %r0, %r1, %r2, %r3;", {0x00020003, 0x05060708, 0}, 38},
        Row1{"dp2a.hi.u32.u32 %r0, %r1, %r2, %r3;", {0x00020003, 0x05060708, 0}, 28}));

INSTANTIATE_TEST_SUITE_P(
    Logic, Ops,
    testing::Values(
        Row1{"and.b32 %r0, %r1, %r2;", {0xff00ff00, 0x0ff00ff0}, 0x0f000f00},
        Row1{"or.b64 %l0, %l1, %l2;", {0xf000000000000000, 1}, 0xf000000000000001},
        Row1{"xor.b16 %h0, %h1, %h2;", {0xffff, 0x00ff}, 0xff00},
        Row1{"not.b16 %h0, %h1;", {0x00ff}, 0xff00}, Row1{"cnot.b32 %r0, %r1;", {0}, 1},
        Row1{"shl.b32 %r0, %r1, %r2;", {1, 31}, 0x80000000},
        Row1{"shl.b32 %r0, %r1, %r2;", {1, 32}, 0},
        Row1{"shl.b64 %l0, %l1, %r2;", {1, 0xffffffff}, 0},
        Row1{"shr.s32 %r0, %r1, %r2;", {0x80000000, 40}, 0xffffffff},
        Row1{"shr.u32 %r0, %r1, %r2;", {0x80000000, 32}, 0},
        Row1{"shr.s16 %h0, %h1, %r2;", {0x8000, 4}, 0xf800},
        Row1{"shr.b64 %l0, %l1, 63;", {0x8000000000000000}, 1},
        Row1{"shf.l.wrap.b32 %r0, %r1, %r2, %r3;", {0x80000000, 1, 33}, 3},
        Row1{"shf.l.clamp.b32 %r0, %r1, %r2, %r3;", {0x12345678, 1, 99}, 0x12345678},
        Row1{"shf.r.wrap.b32 %r0, %r1, %r2, %r3;", {2, 1, 1}, 0x80000001},
        Row1{"shf.r.clamp.b32 %r0, %r1, %r2, %r3;", {2, 0xabcd, 32}, 0xabcd},
        Row1{"popc.b64 %r0, %l1;", {~std::uint64_t{0}}, 64}, Row1{"clz.b32 %r0, %r1;", {0}, 32},
        Row1{"clz.b64 %r0, %l1;", {1}, 63}, Row1{"brev.b32 %r0, %r1;", {0x00000003}, 0xc0000000},
        Row1{"brev.b64 %l0, %l1;", {2}, 0x4000000000000000},
        Row1{"bfind.u32 %r0, %r1;", {0x00010000}, 16}, Row1{"bfind.u32 %r0, %r1;", {0}, 0xffffffff},
        Row1{"bfind.s32 %r0, %r1;", {bits(-1)}, 0xffffffff},
        Row1{"bfind.s64 %r0, %l1;", {bits(std::int64_t{-5})}, 2},
        Row1{"bfind.shiftamt.u32 %r0, %r1;", {1}, 31},
        Row1{"bfe.u32 %r0, %r1, %r2, %r3;", {0xabcd1234, 8, 8}, 0x12},
        Row1{"bfe.s32 %r0, %r1, %r2, %r3;", {0x0000f000, 12, 4}, 0xffffffff},
        Row1{"bfe.s32 %r0, %r1, %r2, %r3;", {0x80000000, 40, 4}, 0xffffffff},
        Row1{"bfe.u64 %l0, %l1, %r2, %r3;", {0xff00000000000000, 56, 100}, 0xff},
        Row1{"bfe.u32 %r0, %r1, %r2, %r3;", {0xffffffff, 3, 0}, 0},
        Row1{"bfi.b32 %r0, %r1, %r2, %r3, %r4;", {0xff, 0, 4, 4}, 0xf0},
        Row1{"bfi.b32 %r0, %r1, %r2, %r3, %r4;", {0xff, 0x1234, 32, 4}, 0x1234},
        Row1{"bfi.b64 %l0, %l1, %l2, %r3, %r4;", {1, 0, 63, 1}, 0x8000000000000000},
        Row1{"bmsk.clamp.b32 %r0, %r1, %r2;", {4, 8}, 0xff0},
        Row1{"bmsk.clamp.b32 %r0, %r1, %r2;", {4, 99}, 0xfffffff0},
        Row1{"bmsk.wrap.b32 %r0, %r1, %r2;", {36, 40}, 0xff0},
        Row1{"prmt.b32 %r0, %r1, %r2, %r3;", {0x33221100, 0x77665544, 0x7520}, 0x77552200},
        Row1{"prmt.b32 %r0, %r1, %r2, %r3;", {0x33228100, 0, 0x9898}, 0xff00ff00},
        Row1{"prmt.b32.rc16 %r0, %r1, %r2, %r3;", {0x33221100, 0, 1}, 0x33223322},
        Row1{"prmt.b32.b4e %r0, %r1, %r2, %r3;", {0x33221100, 0x77665544, 1}, 0x66770011},
        Row1{
            "lop3.b32 %r0, %r1, %r2, %r3, 0x96;", {0xf0f0f0f0, 0xcccccccc, 0xaaaaaaaa}, 0x96969696},
        Row1{"lop3.b32 %r0, %r1, %r2, %r3, 0xe8;", {0xf0, 0xcc, 0xaa}, 0xe8}));

INSTANTIATE_TEST_SUITE_P(
    Compare, Ops,
    testing::Values(Row1{"setp.lt.s32 %p0, %r1, %r2;", {bits(-1), 0}, 1},
                    Row1{"setp.lt.u32 %p0, %r1, %r2;", {bits(-1), 0}, 0},
                    Row1{"setp.hs.u64 %p0, %l1, %l2;", {7, 7}, 1},
                    Row1{"setp.eq.b16 %p0, %h1, %h2;", {7, 7}, 1},
                    Row1{"setp.ne.f32 %p0, %f1, %f2;", {nan32, bits(1.0f)}, 0},
                    Row1{"setp.neu.f32 %p0, %f1, %f2;", {nan32, bits(1.0f)}, 1},
                    Row1{"setp.leu.f64 %p0, %d1, %d2;", {bits(2.0), bits(1.0)}, 0},
                    Row1{"setp.gtu.f32 %p0, %f1, %f2;", {nan32, nan32}, 1},
                    Row1{"setp.eq.f32 %p0, %f1, %f2;", {bits(-0.0f), bits(0.0f)}, 1},
                    Row1{"setp.nan.f32 %p0, %f1, %f2;", {nan32, bits(0.0f)}, 1},
                    Row1{"setp.num.f64 %p0, %d1, %d2;", {bits(1.0), bits(0.0)}, 1},
                    Row1{"setp.gt.ftz.f32 %p0, %f1, %f2;", {1, 0}, 0},
                    Row1{"setp.lt.and.s32 %p0, %r1, %r2, %p3;", {1, 2, 0}, 0},
                    Row1{"setp.lt.and.s32 %p0, %r1, %r2, !%p3;", {1, 2, 0}, 1},
                    Row1{"setp.lt.xor.s32 %p0, %r1, %r2, %p3;", {1, 2, 1}, 0},
                    Row1{"setp.eq.f16 %p0, %h1, %h2;", {0x8000, 0}, 1},
                    Row1{"setp.lt.bf16 %p0, %h1, %h2;", {0x3f80, 0x4000}, 1},
                    Row1{"set.lt.u32.s32 %r0, %r1, %r2;", {1, 2}, 0xffffffff},
                    Row1{"set.gt.f32.f32 %f0, %f1, %f2;", {bits(2.0f), bits(1.0f)}, bits(1.0f)},
                    Row1{"set.eq.f16.f16 %h0, %h1, %h2;", {0x3c00, 0x3c00}, 0x3c00},
                    Row1{"set.eq.f16x2.f16x2 %r0, %r1, %r2;", {0x3c003c00, 0x00003c00}, 0x00003c00},
                    Row1{"selp.b32 %r0, %r1, %r2, %p3;", {1, 2, 1}, 1},
                    Row1{"selp.f64 %d0, %d1, %d2, %p3;", {1, 2, 0}, 2},
                    Row1{"slct.s32.s32 %r0, %r1, %r2, %r3;", {1, 2, bits(-1)}, 2},
                    Row1{"slct.b64.f32 %l0, %l1, %l2, %f3;", {1, 2, bits(-0.0f)}, 1},
                    Row1{"slct.b32.f32 %r0, %r1, %r2, %f3;", {1, 2, nan32}, 2},
                    Row1{"testp.subnormal.f32 %p0, %f1;", {1}, 1},
                    Row1{"testp.notanumber.f64 %p0, %d1;", {bits(1.0)}, 0},
                    Row1{"testp.infinite.f32 %p0, %f1;", {bits(inf)}, 1}));

INSTANTIATE_TEST_SUITE_P(
    Float, Ops,
    testing::Values(
        Row1{"add.f32 %f0, %f1, %f2;", {bits(inf), bits(-inf)}, nan32},
        Row1{"add.rz.f32 %f0, %f1, %f2;", {bits(1.0f), bits(0x1p-25f)}, bits(1.0f)},
        Row1{"add.rp.f32 %f0, %f1, %f2;", {bits(1.0f), bits(0x1p-40f)}, bits(0x1.000002p0f)},
        Row1{"add.rm.f64 %d0, %d1, %d2;", {bits(1.0), bits(-0x1p-80)}, bits(0x1.fffffffffffffp-1)},
        Row1{"add.ftz.f32 %f0, %f1, %f2;", {1, 2}, 0}, Row1{"add.f32 %f0, %f1, %f2;", {1, 2}, 3},
        Row1{"add.sat.f32 %f0, %f1, %f2;", {bits(0.75f), bits(0.75f)}, bits(1.0f)},
        Row1{"mul.sat.f32 %f0, %f1, %f2;", {nan32, bits(0.75f)}, 0},
        Row1{"mul.rn.f32 %f0, %f1, %f2;", {bits(3.0f), bits(-2.0f)}, bits(-6.0f)},
        Row1{"sub.f64 %d0, %d1, %d2;", {bits(3.0), bits(0.5)}, bits(2.5)},
        Row1{"fma.rn.f32 %f0, %f1, %f2, %f3;",
             {bits(0x1.000002p0f), bits(0x1.000002p0f), bits(-0x1.000004p0f)},
             bits(0x1p-46f)},
        Row1{"fma.rm.f32 %f0, %f1, %f2, %f3;",
             {bits(1.0f), bits(1.0f), bits(-0x1p-40f)},
             bits(0x1.fffffep-1f)},
        Row1{"fma.rn.f64 %d0, %d1, %d2, %d3;", {bits(2.0), bits(3.0), bits(4.0)}, bits(10.0)},
        Row1{"div.rn.f32 %f0, %f1, %f2;", {bits(1.0f), bits(3.0f)}, bits(0x1.555556p-2f)},
        Row1{"div.approx.f32 %f0, %f1, %f2;", {bits(1.0f), bits(0x1p127f)}, 0},
        Row1{"div.full.f32 %f0, %f1, %f2;", {bits(1.0f), bits(-0.0f)}, bits(-inf)},
        Row1{"div.rz.f64 %d0, %d1, %d2;", {bits(2.0), bits(3.0)}, bits(0x1.5555555555555p-1)},
        Row1{"rcp.rn.f32 %f0, %f1;", {bits(4.0f)}, bits(0.25f)},
        Row1{"rcp.approx.ftz.f32 %f0, %f1;", {1}, bits(inf)},
        Row1{"rcp.approx.ftz.f64 %d0, %d1;", {bits(3.0)}, 0x3fd5555500000000},
        Row1{"sqrt.rn.f32 %f0, %f1;", {bits(2.0f)}, bits(0x1.6a09e6p0f)},
        Row1{"sqrt.rp.f32 %f0, %f1;", {bits(2.0f)}, bits(0x1.6a09e8p0f)},
        Row1{"sqrt.rn.f32 %f0, %f1;", {bits(-1.0f)}, nan32},
        Row1{"rsqrt.approx.f32 %f0, %f1;", {bits(0.25f)}, bits(2.0f)},
        Row1{"rsqrt.approx.f32 %f0, %f1;", {bits(-0.0f)}, bits(-inf)},
        Row1{"ex2.approx.ftz.f32 %f0, %f1;", {bits(-3.0f)}, bits(0.125f)},
        Row1{"ex2.approx.f32 %f0, %f1;", {bits(-inf)}, 0},
        Row1{"lg2.approx.f32 %f0, %f1;", {bits(8.0f)}, bits(3.0f)},
        Row1{"lg2.approx.f32 %f0, %f1;", {bits(-1.0f)}, nan32},
        Row1{"sin.approx.f32 %f0, %f1;", {bits(-0.0f)}, bits(-0.0f)},
        Row1{"cos.approx.f32 %f0, %f1;", {0}, bits(1.0f)},
        Row1{"tanh.approx.f32 %f0, %f1;", {bits(inf)}, bits(1.0f)},
        Row1{"min.f32 %f0, %f1, %f2;", {nan32, bits(2.0f)}, bits(2.0f)},
        Row1{"min.NaN.f32 %f0, %f1, %f2;", {bits(2.0f), 0x7fc00001}, nan32},
        Row1{"min.f32 %f0, %f1, %f2;", {bits(0.0f), bits(-0.0f)}, bits(-0.0f)},
        Row1{"max.f32 %f0, %f1, %f2;", {bits(-0.0f), bits(0.0f)}, bits(0.0f)},
        Row1{"max.f64 %d0, %d1, %d2;", {bits(1.0), bits(-2.0)}, bits(1.0)},
        Row1{"abs.f32 %f0, %f1;", {bits(-2.0f)}, bits(2.0f)},
        Row1{"neg.ftz.f32 %f0, %f1;", {1}, bits(-0.0f)},
        Row1{"neg.f64 %d0, %d1;", {bits(0.0)}, bits(-0.0)},
        Row1{"copysign.f32 %f0, %f1, %f2;", {bits(-1.0f), bits(3.0f)}, bits(-3.0f)},
        Row1{"add.f16 %h0, %h1, %h2;", {0x7bff, 0x7bff}, 0x7c00},
        Row1{"fma.rn.f16 %h0, %h1, %h2, %h3;", {0x3c01, 0x3c01, 0xbc02}, 0x0010},
        Row1{"fma.rn.relu.f16 %h0, %h1, %h2, %h3;", {0x3c00, 0xbc00, 0}, 0},
        Row1{"mul.f16x2 %r0, %r1, %r2;", {0x40003c00, 0x42004200}, 0x46004200},
        Row1{"mul.bf16 %h0, %h1, %h2;", {0x4000, 0x4040}, 0x40c0},
        Row1{"max.f16x2 %r0, %r1, %r2;", {0x7e003c00, 0x3c004000}, 0x3c004000},
        Row1{"neg.bf16x2 %r0, %r1;", {0x3f80bf80}, 0xbf803f80},
        Row1{"abs.f16 %h0, %h1;", {0xbc00}, 0x3c00}));

INSTANTIATE_TEST_SUITE_P(
    Convert, Ops,
    testing::Values(
        Row1{"cvt.u32.u64 %r0, %l1;", {0x123456789}, 0x23456789},
        Row1{"cvt.s64.s32 %l0, %r1;", {bits(-2)}, bits(std::int64_t{-2})},
        Row1{"cvt.u64.u32 %l0, %r1;", {bits(-2)}, 0xfffffffe},
        Row1{"cvt.s32.s8 %r0, %r1;", {0x180}, bits(-128)},
        Row1{"cvt.u16.u32 %h0, %r1;", {0x12345678}, 0x5678},
        Row1{"cvt.sat.s8.s32 %r0, %r1;", {300}, 127},
        Row1{"cvt.sat.u8.s32 %r0, %r1;", {bits(-5)}, 0},
        Row1{"cvt.s64.s32 %l0, %l1;", {0x1234567880000001}, 0xffffffff80000001},
        Row1{"cvt.u32.u16 %l0, %l1;", {0x1234567880018001}, 0x8001},
        Row1{"cvt.s32.s8 %l0, %r1;", {0x80}, 0xffffffffffffff80},
        Row1{"cvt.rn.f32.s32 %f0, %l1;", {0x123400000005}, bits(5.0f)},
        Row1{"cvt.rzi.u32.f32 %l0, %f1;", {bits(3e9f)}, 3000000000},
        Row1{"cvt.rzi.s32.f32 %r0, %f1;", {bits(-2.7f)}, bits(-2)},
        Row1{"cvt.rni.s32.f32 %r0, %f1;", {bits(2.5f)}, 2},
        Row1{"cvt.rmi.s32.f32 %r0, %f1;", {bits(-2.1f)}, bits(-3)},
        Row1{"cvt.rpi.u32.f32 %r0, %f1;", {bits(2.1f)}, 3},
        Row1{"cvt.rzi.s32.f32 %r0, %f1;", {bits(3e9f)}, 0x7fffffff},
        Row1{"cvt.rzi.u32.f32 %r0, %f1;", {bits(-1.0f)}, 0},
        Row1{"cvt.rzi.u32.f32 %r0, %f1;", {bits(3e9f)}, 3000000000},
        Row1{"cvt.rzi.s32.f32 %r0, %f1;", {nan32}, 0},
        Row1{"cvt.rzi.s32.f64 %r0, %d1;", {0x7ff8000000000000}, 0x80000000},
        Row1{"cvt.rzi.s64.f32 %l0, %f1;", {nan32}, 0x8000000000000000},
        Row1{"cvt.rzi.u64.f64 %l0, %d1;", {bits(1e30)}, ~std::uint64_t{0}},
        Row1{"cvt.rzi.s16.f32 %h0, %f1;", {bits(1e6f)}, 0x7fff},
        Row1{"cvt.rn.f32.s32 %f0, %r1;", {16777217}, bits(16777216.0f)},
        Row1{"cvt.rp.f32.u32 %f0, %r1;", {16777217}, bits(16777218.0f)},
        Row1{"cvt.rz.f32.u64 %f0, %l1;", {~std::uint64_t{0}}, bits(0x1.fffffep63f)},
        Row1{"cvt.rn.f64.u64 %d0, %l1;", {~std::uint64_t{0}}, bits(0x1p64)},
        Row1{"cvt.rn.f32.u16 %f0, %h1;", {0xffff}, bits(65535.0f)},
        Row1{"cvt.f64.f32 %d0, %f1;", {bits(1.5f)}, bits(1.5)},
        Row1{"cvt.rn.f32.f64 %f0, %d1;", {bits(1e300)}, bits(inf)},
        Row1{"cvt.rz.f32.f64 %f0, %d1;", {bits(1e300)}, bits(std::numeric_limits<float>::max())},
        Row1{"cvt.rzi.f32.f32 %f0, %f1;", {bits(-2.7f)}, bits(-2.0f)},
        Row1{"cvt.rni.f64.f64 %d0, %d1;", {bits(3.5)}, bits(4.0)},
        Row1{"cvt.sat.f32.f32 %f0, %f1;", {bits(-2.0f)}, 0},
        Row1{"cvt.ftz.f32.f32 %f0, %f1;", {0x80000001}, 0x80000000},
        Row1{"cvt.f32.f16 %f0, %h1;", {0x0001}, bits(0x1p-24f)},
        Row1{"cvt.f32.f16 %f0, %h1;", {0xfc00}, bits(-inf)},
        Row1{"cvt.f32.bf16 %f0, %h1;", {0x3fc0}, bits(1.5f)},
        Row1{"cvt.rn.f16.f32 %h0, %f1;", {bits(65520.0f)}, 0x7c00},
        Row1{"cvt.rz.f16.f32 %h0, %f1;", {bits(65535.0f)}, 0x7bff},
        Row1{"cvt.rn.f16.f32 %h0, %f1;", {bits(0x1.8p-24f)}, 2},
        Row1{"cvt.rn.f16.f32 %h0, %f1;", {nan32}, 0x7fff},
        Row1{"cvt.rn.bf16.f32 %h0, %f1;", {0x3f808000}, 0x3f80},
        Row1{"cvt.rn.f16x2.f32 %r0, %f1, %f2;", {bits(1.0f), bits(2.0f)}, 0x3c004000},
        Row1{"cvt.rn.f16.s32 %h0, %r1;", {bits(-3)}, 0xc200},
        Row1{"cvt.rzi.s32.f16 %r0, %h1;", {0xc200}, bits(-3)},
        Row1{"cvt.rna.tf32.f32 %r0, %f1;", {0x3f801000}, 0x3f802000},
        Row1{"mov.u32 %r0, %r1;", {5}, 5}, Row1{"mov.f64 %d0, %d1;", {5}, 5},
        Row1{"mov.pred %p0, %p1;", {1}, 1}, Row1{"mov.pred %p0, -1;", {}, 1},
        Row1{"mov.b64 %l0, {%r1, %r2};", {0xfedcba98, 0x76543210}, 0x76543210fedcba98},
        Row1{"mov.b32 %r0, {%h1, %h2};", {0x1234, 0xabcd}, 0xabcd1234},
        Row1{"mov.b64 %l0, {%h1, %h2, %h3, %h4};", {1, 2, 3, 4}, 0x0004000300020001},
        Row1{"cvta.global.u64 %l0, %l1;", {77}, 77},
        Row1{"cvta.shared.u64 %l0, %l1;", {16}, shared_window + 16},
        Row1{"cvta.to.shared.u64 %l0, %l1;", {shared_window + 16}, 16},
        Row1{"cvta.local.u64 %l0, %l1;", {16}, local_window + 16},
        Row1{"isspacep.shared %p0, %l1;", {shared_window + 16}, 1},
        Row1{"isspacep.global %p0, %l1;", {shared_window + 16}, 0}));

TEST(Carry, BuildsWiderSums) {
  TestMachine machine;
  machine.set("%r1", 0xffffffff);
  machine.set("%r2", 1);
  machine.set("%r1", 3, 5);  // no carry in lane 3
  machine.run("add.cc.u32 %r0, %r1, %r2;");
  machine.run("addc.cc.u32 %r3, %r1, %r1;");
  machine.run("addc.u32 %r4, 0, 0;");
  EXPECT_EQ(machine.get("%r0", 0), 0u);
  EXPECT_EQ(machine.get("%r3", 0), 0xffffffffu);
  EXPECT_EQ(machine.get("%r4", 0), 1u);
  EXPECT_EQ(machine.get("%r3", 3), 10u);
  EXPECT_EQ(machine.get("%r4", 3), 0u);
}

TEST(Carry, BuildsWiderDifferences) {
  TestMachine machine;
  machine.set("%r1", 0);
  machine.set("%r2", 1);
  machine.run("sub.cc.u32 %r0, %r1, %r2;");
  machine.run("subc.cc.u32 %r3, %r1, %r1;");
  machine.run("subc.u32 %r4, 7, 0;");
  EXPECT_EQ(machine.get("%r0", 0), 0xffffffffu);
  EXPECT_EQ(machine.get("%r3", 0), 0xffffffffu);
  EXPECT_EQ(machine.get("%r4", 0), 6u);
}

TEST(Carry, IsSetByADifferenceThatBorrowsNothing) {
  TestMachine machine;
  machine.set("%r1", 5);
  machine.set("%r2", 5);
  machine.set("%r2", 7, 6);  // borrows in lane 7
  machine.run("sub.cc.u32 %r0, %r1, %r2;");
  machine.run("addc.u32 %r3, 0, 0;");
  EXPECT_EQ(machine.get("%r3", 0), 1u);
  EXPECT_EQ(machine.get("%r3", 7), 0u);
}

TEST(Carry, BuildsWiderProducts) {
  TestMachine machine;
  machine.set("%r1", 0xffffffff);
  machine.set("%r2", 0xffffffff);
  machine.set("%r3", 0xffffffff);
  machine.run("mad.lo.cc.u32 %r0, %r1, %r2, %r3;");
  machine.run("madc.hi.u32 %r4, %r1, %r2, 0;");
  EXPECT_EQ(machine.get("%r0", 0), 0u);
  EXPECT_EQ(machine.get("%r4", 0), 0xffffffffu);
}

TEST(Setp, WritesBothPredicates) {
  TestMachine machine;
  machine.set("%r1", 1);
  machine.set("%r2", 2);
  machine.set("%p3", 0);
  machine.run("setp.lt.or.s32 %p0|%p1, %r1, %r2, %p3;", 0xffff);
  EXPECT_EQ(machine.get("%p0", 0), 1u);
  EXPECT_EQ(machine.get("%p1", 0), 0u);
  EXPECT_EQ(machine.get("%p0", 31), 0u);
  machine.run("setp.gt.f16x2 %p0|%p1, 0x3c000000, 0x00003c00;");
  EXPECT_EQ(machine.get("%p0", 0), 0u);
  EXPECT_EQ(machine.get("%p1", 0), 1u);
}

TEST(Mov, TakesARegisterApart) {
  TestMachine machine;
  machine.set("%l1", 0x0004000300020001);
  machine.run("mov.b64 {%h1, %h2, _, %h4}, %l1;");
  machine.run("mov.b64 {%r1, %r2}, %l1;");
  EXPECT_EQ(machine.get("%h1", 9), 1u);
  EXPECT_EQ(machine.get("%h2", 9), 2u);
  EXPECT_EQ(machine.get("%h4", 9), 4u);
  EXPECT_EQ(machine.get("%r1", 9), 0x00020001u);
  EXPECT_EQ(machine.get("%r2", 9), 0x00040003u);
}

TEST(Predicates, AreLogicOnMasks) {
  TestMachine machine;
  machine.set("%p1", 1);
  machine.set("%p2", 0);
  machine.set("%p0", 0);
  machine.run("and.pred %p0, %p1, !%p2;", 0xf0);
  EXPECT_EQ(machine.get("%p0", 4), 1u);
  EXPECT_EQ(machine.get("%p0", 0), 0u);
  machine.run("xor.pred %p0, %p1, %p1;");
  EXPECT_EQ(machine.get("%p0", 4), 0u);
  machine.run("not.pred %p0, %p2;");
  EXPECT_EQ(machine.get("%p0", 31), 1u);
}

TEST(Destination, MayBeASource) {
  TestMachine machine;
  for (unsigned lane = 0; lane < warp_size; ++lane) machine.set("%r1", lane, lane);
  machine.run("mad.lo.s32 %r1, %r1, %r1, %r1;");
  for (unsigned lane = 0; lane < warp_size; ++lane)
    EXPECT_EQ(machine.get("%r1", lane), lane * lane + lane);
}

class Refused : public testing::TestWithParam<const char*> {};

TEST_P(Refused, ByReturningFalse) {
  TestMachine machine;
  EXPECT_EQ(machine.decode(GetParam()), nullptr);
}

// Registers of another width than the type's: their rows are shorter than what a handler touches.
INSTANTIATE_TEST_SUITE_P(
    WrongWidths, Refused,
    testing::Values("add.s64 %l0, %r1, %l2;", "add.s64 %r0, %l1, %l2;", "add.s32 %p0, %r1, %r2;",
                    "add.s32 %r0, %p1, %r2;", "add.s32 %r0, %l1, %r2;", "and.pred %r0, %p1, %p2;",
                    "and.pred %p0, %p1, %r2;", "not.pred %p0, %l1;", "mov.pred %p0, %r1;",
                    "mov.u64 %r0, %l1;", "mov.u64 %l0, %r1;", "mov.b64 %r0, {%r1, %r2};",
                    "mov.b64 %l0, {%r1, %p2};", "mov.b64 {%r1, %p2}, %l0;",
                    "mov.b64 {%r1, %r2}, %r0;", "setp.lt.s32 %r0, %r1, %r2;",
                    "setp.lt.s64 %p0, %r1, %l2;", "setp.lt.s32 %p0|%r3, %r1, %r2;",
                    "setp.lt.and.s32 %p0, %r1, %r2, %r3;", "set.lt.u32.s32 %p0, %r1, %r2;",
                    "selp.b32 %r0, %r1, %r2, %r3;", "selp.b64 %r0, %l1, %l2, %p3;",
                    "fma.rn.f64 %d0, %d1, %d2, %f3;", "fma.rn.f32 %f0, %f1, %f2, %p3;",
                    "lop3.b32 %r0, %r1, %r2, %p3, 1;", "cvt.u64.u32 %l0, %p1;",
                    "cvt.u32.u64 %r0, %r1;", "cvt.u64.u32 %r0, %r1;", "cvta.global.u64 %l0, %r1;",
                    "add.cc.u64 %l0, %r1, %l2;", "testp.finite.f64 %p0, %f1;",
                    "mul.wide.s32 %r0, %r1, %r2;", "fma.rn.f16x2 %r0, %r1, %p2, %r3;"));

INSTANTIATE_TEST_SUITE_P(
    WhatIsNotKnown, Refused,
    testing::Values("add.f64.ftz %d0, %d1, %d2;", "add.s32 %r0, %r1;",
                    "add.wrong.s32 %r0, %r1, %r2;", "mul.s32 %r0, %r1, %r2;",
                    "and.s32 %r0, %r1, %r2;", "min.xorsign.abs.f32 %f0, %f1, %f2;",
                    "setp.lo.s32 %p0, %r1, %r2;", "cvt.rn.satfinite.e4m3x2.f32 %h0, %f1, %f2;",
                    "cvt.s32.f32 %r0, %f1;", "sin.f32 %f0, %f1;",
                    "lop3.or.b32 %r0, %r1, %r2, %r3, 1;", "mov.b32 %r0, {%h1, %h2, %h3};",
                    "isspacep.const %p0, %l1;", "add.s32 %r0, -%r1, %r2;"));

}  // namespace
}  // namespace gridstride::sim
