// Single integer, logic and comparison instructions on edge values, with the results that the PTX
// ISA prescribes, and what must be refused.
#include <gtest/gtest.h>

#include <cstdint>

#include "common/simulator/isa/arithmetic/ops_test_rows.h"

namespace gridstride::sim {
namespace {

class Ops : public testing::TestWithParam<Row1> {};

TEST_P(Ops, GivesWhatTheIsaSays) { check_row(GetParam()); }

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
    Video, Ops,
    testing::Values(
        Row1{"vabsdiff4.u32.u32.u32 %r0, %r1, %r2, %r3;", {0xff010005, 0x01ff0007, 0}, 0xfefe0002},
        Row1{"vabsdiff4.u32.u32.u32.add %r0, %r1, %r2, %r3;", {0xff010005, 0x01ff0007, 9}, 519},
        Row1{"vabsdiff4.u32.s32.s32 %r0, %r1, %r2, %r3;", {0xff800000, 0x017f0000, 0}, 0x02ff0000},
        Row1{"vabsdiff2.u32.u32.u32.add %r0, %r1, %r2, %r3;", {0x00018000, 0x00030000, 1}, 32771},
        Row1{"vadd4.s32.s32.s32.sat %r0, %r1, %r2, %r3;", {0x7f80017f, 0x01ff0180, 0}, 0x7f8002ff},
        Row1{"vadd2.u32.u32.u32 %r0, %r1, %r2, %r3;", {0xffff0001, 0x00020002, 0}, 0x00010003},
        Row1{"vsub4.u32.u32.u32.sat %r0, %r1, %r2, %r3;", {0x05050505, 0x06040504, 0}, 0x00010001},
        Row1{"vavrg4.s32.s32.s32 %r0, %r1, %r2, %r3;", {0xfd030000, 0x00000001, 0}, 0xfe020001},
        Row1{"vmin2.s32.s32.s32 %r0, %r1, %r2, %r3;", {0xffff0005, 0x00010004, 0}, 0xffff0004},
        Row1{"vmax4.u32.u32.u32 %r0, %r1, %r2, %r3;", {0xff010005, 0x01ff0007, 0}, 0xffff0007}));

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
        Row1{"fns.b32 %r0, %r1, %r2, %r3;", {0x10010110, 8, 0}, 8},
        Row1{"fns.b32 %r0, %r1, %r2, %r3;", {0x10010110, 9, 0}, 0xffffffff},
        Row1{"fns.b32 %r0, %r1, %r2, %r3;", {0x10010110, 5, 1}, 8},
        Row1{"fns.b32 %r0, %r1, %r2, %r3;", {0x10010110, 4, 3}, 16},
        Row1{"fns.b32 %r0, %r1, %r2, %r3;", {0x10010110, 31, bits(-2)}, 16},
        Row1{"fns.b32 %r0, %r1, %r2, %r3;", {0x10010110, 28, bits(-5)}, 0xffffffff},
        Row1{"fns.b32 %r0, %r1, %r2, %r3;", {0x10010110, 0, 9}, 0xffffffff},
        Row1{"szext.wrap.s32 %r0, %r1, %r2;", {0x1f8, 4}, 0xfffffff8},
        Row1{"szext.wrap.u32 %r0, %r1, %r2;", {0x1f8, 4}, 8},
        Row1{"szext.wrap.u32 %r0, %r1, %r2;", {0x1f8, 32}, 0},
        Row1{"szext.clamp.s32 %r0, %r1, %r2;", {0x80000001, 99}, 0x80000001},
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

// Registers of another width than the type's: their lanes are narrower than what a handler touches.
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
                    "and.s32 %r0, %r1, %r2;", "min.xorsign.f32 %f0, %f1, %f2;",
                    "setp.lo.s32 %p0, %r1, %r2;", "cvt.rn.e4m3x2.f32 %h0, %f1, %f2;",
                    "cvt.rz.satfinite.e4m3x2.f32 %h0, %f1, %f2;",
                    "cvt.rn.satfinite.e2m1x2.f32 %h0, %f1, %f2;", "cvt.s32.f32 %r0, %f1;",
                    "sin.f32 %f0, %f1;", "lop3.or.b32 %r0, %r1, %r2, %r3, 1;",
                    "mov.b32 %r0, {%h1, %h2, %h3};", "add.s32 %r0, -%r1, %r2;"));

}  // namespace
}  // namespace gridstride::sim
