// Which registers decide about loops, and when more than registers does.
#include "common/simulator/analysis/loop_control.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <set>
#include <string>

#include "common/simulator/exec/test_grid.h"
#include "common/simulator/ptx/parser.h"

namespace gridstride::sim {
namespace {

struct Seen {
  bool is_loop = false;
  LoopInput input = LoopInput::others;
  std::set<std::string> registers;
  friend bool operator==(const Seen&, const Seen&) = default;
};

/// Of the loop that the instruction of number `at` is in.
Seen look(const std::string& body, std::size_t at) {
  const ptx::Module module = ptx::parse(kernel_text(1, 1, body));
  const ptx::Function& function = module.functions.at(0);
  const LoopControls loops(function);
  Seen seen;
  const LoopControl* const loop = loops.at(at);
  if (!loop) return seen;
  seen.is_loop = true;
  seen.input = loop->input;
  for (const auto index : loop->registers)
    seen.registers.insert(function.registers.at(static_cast<std::size_t>(index)).name);
  return seen;
}

TEST(LoopControl, IsWhatTheConditionFollowsFrom) {
  const std::string body = R"(
    ld.param.u32 %r1, [n0];
    mov.u32 %r2, 0;
loop:
    add.s32 %r2, %r2, 1;
    add.s32 %r3, %r3, %r2;
    setp.lt.s32 %p1, %r2, %r1;
    @%p1 bra loop;
    ret;)";
  EXPECT_EQ(look(body, 3), (Seen{true, LoopInput::registers, {"%p1", "%r1", "%r2"}}))
      << "not of the sum";
  EXPECT_EQ(look(body, 0), Seen{}) << "before it";
  EXPECT_EQ(look(body, 6), Seen{}) << "behind it";
}

TEST(LoopControl, OfNestedLoopsIsThatOfAll) {
  const Seen seen = look(R"(
outer:
    mov.u32 %r2, 0;
inner:
    add.s32 %r2, %r2, 1;
    setp.lt.s32 %p1, %r2, 8;
    @%p1 bra inner;
    add.s32 %r3, %r3, 1;
    setp.lt.s32 %p2, %r3, 4;
    @%p2 bra outer;
    ret;)",
                         1);
  EXPECT_EQ(seen, (Seen{true, LoopInput::registers, {"%p1", "%p2", "%r2", "%r3"}}));
}

TEST(LoopControl, WithoutAWayOutNothingDecides) {
  EXPECT_EQ(look("loop:\n add.s32 %r1, %r1, 1;\n bra loop;", 0),
            (Seen{true, LoopInput::registers, {}}));
}

TEST(LoopControl, IsNotOfRegistersAloneWhereOthersHaveASay) {
  const auto with = [](const std::string& how) {
    const Seen seen =
        look("loop:\n " + how + "\n setp.ne.s32 %p1, %r1, 0;\n @%p1 bra loop;\n ret;", 0);
    EXPECT_TRUE(seen.is_loop) << how;
    return seen.input;
  };
  EXPECT_EQ(with("ld.global.u32 %r1, [%rd1];"), LoopInput::memory);
  EXPECT_EQ(with("ld.shared.u32 %r1, [%r2];"), LoopInput::memory);
  EXPECT_EQ(with("ld.local.u32 %r1, [%r2];"), LoopInput::memory);
  EXPECT_EQ(with("atom.global.add.u32 %r1, [%rd1], 1;"), LoopInput::others);
  EXPECT_EQ(with("mov.u32 %r1, %clock;"), LoopInput::others);
  EXPECT_EQ(with("mov.u64 %rd1, %globaltimer; cvt.u32.u64 %r1, %rd1;"), LoopInput::others);
  EXPECT_EQ(with("bar.red.popc.u32 %r1, 0, %p2;"), LoopInput::memory);
  EXPECT_EQ(with("ld.param.u32 %r1, [n0];"), LoopInput::registers);
  EXPECT_EQ(with("call (returned), f; ld.param.u32 %r1, [returned];"), LoopInput::others);
  EXPECT_EQ(with("ld.const.u32 %r1, [%rd1];"), LoopInput::registers);
  EXPECT_EQ(with("mov.u32 %r1, %tid.x;"), LoopInput::registers);
  EXPECT_EQ(with("shfl.sync.idx.b32 %r1, %r2, 0, 31, -1;"), LoopInput::registers);
  EXPECT_EQ(with("st.global.u32 [%rd1], %r2; add.s32 %r1, %r1, 1;"), LoopInput::registers)
      << "it decides nothing";
  EXPECT_EQ(with("ld.global.u32 %r1, [%rd1]; call f;"), LoopInput::others);
  EXPECT_EQ(with("ld.global.u32 %r2, [%rd1]; add.s32 %r1, %r1, 1;"), LoopInput::registers)
      << "the same";
}

/// What is stored may be what is loaded in the next round.
TEST(LoopControl, WithMemoryIsAlsoWhatIsStored) {
  const std::string body = R"(
loop:
    ld.global.u32 %r1, [%rd1];
    add.u32 %r2, %r2, 1;
    shr.u32 %r3, %r2, 30;
    st.global.u32 [%rd2], %r3;
    setp.eq.u32 %p1, %r1, 0;
    @%p1 bra loop;
    ret;)";
  EXPECT_EQ(look(body, 0),
            (Seen{true, LoopInput::memory, {"%p1", "%r1", "%r2", "%r3", "%rd1", "%rd2"}}));
}

TEST(LoopControl, AGuardOfWhatSetsARegisterDecidesToo) {
  const Seen seen = look(R"(
loop:
    ld.global.u32 %r2, [%rd1];
    setp.eq.s32 %p2, %r2, 0;
    @%p2 add.s32 %r1, %r1, 1;
    setp.lt.s32 %p1, %r1, 8;
    @%p1 bra loop;
    ret;)",
                         0);
  EXPECT_EQ(seen.input, LoopInput::memory);
  EXPECT_TRUE(seen.registers.contains("%p2"));
}

}  // namespace
}  // namespace gridstride::sim
