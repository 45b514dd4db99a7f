// What lanes of one warp do together: shuffles, votes, matches, reductions, warp barriers.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "common/simulator/exec/test_grid.h"

namespace gridstride::sim {
namespace {

using Values = std::vector<std::uint32_t>;

/// Runs `body`, which leaves its result of lane %r1 in %r9, on one warp.
Values run(const std::string& body, std::uint32_t threads = 32) {
  TestGrid gpu(kernel_text(1, 0, R"(
    ld.param.u64 %rd1, [p0]; mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2;
    mov.u32 %r9, 0;)" + body + R"(
    st.global.u32 [%rd1], %r9;
    ret;)"));
  const DeviceAddress out = gpu.upload(Values(32, 77));
  const GridResult result = gpu.launch({1}, {threads}, out);
  EXPECT_EQ(result.error, 0) << first_message(result);
  return gpu.download<std::uint32_t>(out, 32);
}

TEST(Shuffle, DownTakesFromHigherLanesAndKeepsItsOwnAtTheEnd) {
  const Values v = run("add.u32 %r2, %r1, 100; shfl.sync.down.b32 %r9, %r2, 4, 31, -1;");
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(v[t], 100 + (t + 4 < 32 ? t + 4 : t));
}

TEST(Shuffle, UpStopsAtTheStartOfASegment) {
  // Segments of 8 lanes: mask 0b11000 in bits 8-12, clamp 0.
  const Values v = run("shfl.sync.up.b32 %r9, %r1, 3, 6144, -1;");
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(v[t], t % 8 >= 3 ? t - 3 : t);
}

TEST(Shuffle, ButterflyAndIndex) {
  const Values x = run("shfl.sync.bfly.b32 %r9, %r1, 5, 31, -1;");
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(x[t], t ^ 5);
  const Values i =
      run("mul.lo.u32 %r2, %r1, 7; and.b32 %r2, %r2, 31; shfl.sync.idx.b32 %r9, %r1, %r2, 31, -1;");
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(i[t], t * 7 % 32);
}

TEST(Shuffle, ThePredicateSaysWhoGotAValueFromAnother) {
  const Values v = run("shfl.sync.down.b32 %r2|%p1, %r1, 20, 31, -1; selp.u32 %r9, 1, 0, %p1;");
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(v[t], t + 20 < 32 ? 1u : 0u);
}

TEST(Shuffle, ATreeOfShufflesSumsTheWarp) {
  std::string body = "mov.u32 %r9, %r1;\n";
  for (const char* step : {"16", "8", "4", "2", "1"}) {
    body +=
        std::string("shfl.sync.down.b32 %r3, %r9, ") + step + ", 31, -1; add.u32 %r9, %r9, %r3;\n";
  }
  EXPECT_EQ(run(body)[0], 31u * 32 / 2);
}

TEST(Shuffle, LanesOfBothSidesOfABranchExchangeWhenTheirMaskSaysSo) {
  // Two shuffles in two branches, one mask: each lane gets the value of its neighbour, who is on
  // the other side.
  const Values v = run(R"(
    and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 0;
    @%p1 bra $even;
    add.u32 %r3, %r1, 1000;
    shfl.sync.bfly.b32 %r9, %r3, 1, 31, -1;
    bra.uni $join;
  $even:
    add.u32 %r4, %r1, 2000;
    shfl.sync.bfly.b32 %r9, %r4, 1, 31, -1;
  $join:)");
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(v[t], (t ^ 1) + (t % 2 ? 2000 : 1000)) << t;
}

TEST(Shuffle, HalfAWarpAlone) {
  const Values v = run(R"(
    setp.ge.u32 %p1, %r1, 16;
    @%p1 bra $skip;
    shfl.sync.bfly.b32 %r9, %r1, 15, 31, 65535;
  $skip:)");
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(v[t], t < 16 ? t ^ 15 : 0u);
}

TEST(Shuffle, HalvesOfAWarpThatWorkOnTheirOwnAtOneInstruction) {
  // Lanes 0-15 name themselves, lanes 16-31 themselves; all stand at the same instruction.
  const std::string masks = R"(
    setp.lt.u32 %p1, %r1, 16; selp.b32 %r2, 65535, -65536, %p1;
    and.b32 %r3, %r1, 1; setp.ne.u32 %p2, %r3, 0;)";
  const Values ballots = run(masks + "vote.sync.ballot.b32 %r9, %p2, %r2;");
  EXPECT_EQ(ballots[3], 0x0000aaaau);
  EXPECT_EQ(ballots[20], 0xaaaa0000u);
  const Values sums = run(masks + "redux.sync.add.u32 %r9, %r1, %r2;");
  EXPECT_EQ(sums[0], 120u);
  EXPECT_EQ(sums[31], 376u);
  // One half comes by another path.
  const Values apart = run(masks + R"(
    @%p1 bra $low;
    mov.u32 %r5, 1; vote.sync.ballot.b32 %r9, %p2, %r2; bra.uni $join;
  $low:
    vote.sync.ballot.b32 %r9, %p2, %r2;
  $join:)");
  EXPECT_EQ(apart[3], 0x0000aaaau);
  EXPECT_EQ(apart[20], 0xaaaa0000u);
}

TEST(Vote, AllAnyUniBallot) {
  const std::string lane_below = "setp.lt.u32 %p1, %r1, ";
  const auto vote = [&](const std::string& kind, const std::string& bound) {
    return run(lane_below + bound + "; vote.sync." + kind +
               ".pred %p2, %p1, -1; selp.u32 %r9, 1, 0, %p2;")[0];
  };
  EXPECT_EQ(vote("all", "32"), 1u);
  EXPECT_EQ(vote("all", "31"), 0u);
  EXPECT_EQ(vote("any", "1"), 1u);
  EXPECT_EQ(vote("any", "0"), 0u);
  EXPECT_EQ(vote("uni", "0"), 1u);
  EXPECT_EQ(vote("uni", "5"), 0u);
  EXPECT_EQ(run(lane_below + "5; vote.sync.ballot.b32 %r9, %p1, -1;")[7], 0x1fu);
  EXPECT_EQ(run(lane_below + "5; vote.sync.ballot.b32 %r9, !%p1, -1;")[7], ~0x1fu);
}

TEST(Vote, LanesThatExitedAreNotWaitedFor) {
  const Values v = run(R"(
    setp.ge.u32 %p3, %r1, 24;
    @%p3 exit;
    setp.lt.u32 %p1, %r1, 99;
    vote.sync.ballot.b32 %r9, %p1, -1;)");
  EXPECT_EQ(v[0], 0x00ffffffu);
  EXPECT_EQ(v[30], 77u);
}

TEST(Vote, APartialWarpIsNotWaitedForEither) {
  EXPECT_EQ(run("setp.lt.u32 %p1, %r1, 99; vote.sync.ballot.b32 %r9, %p1, -1;", 20)[3], 0xfffffu);
}

TEST(Match, AnyGroupsEqualValuesAllNeedsOneValue) {
  const Values any = run("and.b32 %r2, %r1, 3; match.any.sync.b32 %r9, %r2, -1;");
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(any[t], 0x11111111u << (t % 4));
  const Values all = run("mov.u32 %r2, 5; match.all.sync.b32 %r9|%p1, %r2, -1;");
  EXPECT_EQ(all[9], 0xffffffffu);
  EXPECT_EQ(run("match.all.sync.b32 %r9|%p1, %r1, -1;")[9], 0u);
  const Values wide =
      run("cvt.u64.u32 %rd5, %r1; shr.u64 %rd5, %rd5, 4; "
          "match.any.sync.b64 %r9, %rd5, -1;");
  EXPECT_EQ(wide[3], 0x0000ffffu);
}

TEST(Match, CountsTheDifferentValues) {
  TestGrid gpu(kernel_text(1, 0, R"(
    mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 7; match.any.sync.b32 %r9, %r2, -1; ret;)"));
  const DeviceAddress out = gpu.memory.allocate(4);
  EXPECT_EQ(gpu.launch({3}, {32}, out).counters.match_values, 24u);
}

TEST(Redux, EveryOperation) {
  EXPECT_EQ(run("redux.sync.add.u32 %r9, %r1, -1;")[3], 496u);
  EXPECT_EQ(run("sub.s32 %r2, %r1, 10; redux.sync.min.s32 %r9, %r2, -1;")[3], -10u);
  EXPECT_EQ(run("sub.s32 %r2, %r1, 10; redux.sync.max.s32 %r9, %r2, -1;")[3], 21u);
  EXPECT_EQ(run("sub.u32 %r2, %r1, 10; redux.sync.max.u32 %r9, %r2, -1;")[3], -1u);
  EXPECT_EQ(run("or.b32 %r2, %r1, 64; redux.sync.and.b32 %r9, %r2, -1;")[3], 64u);
  EXPECT_EQ(run("redux.sync.or.b32 %r9, %r1, -1;")[3], 31u);
  EXPECT_EQ(run("redux.sync.xor.b32 %r9, %r1, -1;")[3], 0u);
}

TEST(Elect, OneLaneIsChosen) {
  EXPECT_EQ(run("elect.sync %r9|%p1, -1;")[7], 0u);
  const Values v = run(R"(
    setp.lt.u32 %p2, %r1, 5;
    @%p2 bra $skip;
    elect.sync _|%p1, 0xffffffe0; selp.u32 %r9, 1, 2, %p1;
  $skip:)");
  EXPECT_EQ(v[4], 0u);
  EXPECT_EQ(v[5], 1u);
  EXPECT_EQ(v[6], 2u);
}

TEST(ActiveMask, IsThoseWhoStandHere) {
  const Values v = run(R"(
    setp.lt.u32 %p1, %r1, 4;
    @%p1 bra $skip;
    activemask.b32 %r9;
  $skip:)");
  EXPECT_EQ(v[10], 0xfffffff0u);
  EXPECT_EQ(v[0], 0u);
}

TEST(WarpBarrier, LanesWaitForEachOther) {
  // Lanes 16-31 write, all reconverge, lanes 0-15 read what the others wrote.
  TestGrid gpu(kernel_text(1, 0, R"(
    .shared .align 4 .b8 box[128];
    ld.param.u64 %rd1, [p0]; mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2;
    mov.u32 %r2, box; shl.b32 %r3, %r1, 2; add.u32 %r4, %r2, %r3;
    setp.lt.u32 %p1, %r1, 16;
    @%p1 bra $wait;
    st.shared.u32 [%r4], %r1;
    bar.warp.sync -1;
    bra.uni $out;
  $wait:
    bar.warp.sync -1;
    ld.shared.u32 %r9, [%r4+64];
    st.global.u32 [%rd1], %r9;
  $out:
    ret;)"));
  const DeviceAddress out = gpu.upload(Values(32, 0));
  const GridResult result = gpu.launch({1}, {32}, out);
  EXPECT_EQ(result.error, 0) << first_message(result);
  EXPECT_TRUE(result.findings.empty()) << first_message(result);
  const auto v = gpu.download<std::uint32_t>(out, 16);
  for (std::uint32_t t = 0; t < 16; ++t) EXPECT_EQ(v[t], t + 16);
}

TEST(WarpBarrier, AMaskWhoseLanesNeverComeHangs) {
  TestGrid gpu(kernel_text(1, 0, R"(
    mov.u32 %r1, %tid.x;
    setp.lt.u32 %p1, %r1, 16;
    @%p1 bra $some;
    bar.sync 0;
    ret;
  $some:
    vote.sync.ballot.b32 %r9, %p1, -1;
    bar.sync 0;
    ret;)"));
  const GridResult result = gpu.launch({1}, {32}, gpu.memory.allocate(4));
  EXPECT_EQ(result.error, 719);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].kind, FindingKind::barrier_divergence);
  EXPECT_NE(first_message(result).find("threads 0 to 15 wait at __ballot_sync()"),
            std::string::npos);
  EXPECT_NE(first_message(result).find("(mask 0xffffffff) for threads 16 to 31"),
            std::string::npos);
}

GridResult launch_one_warp(const std::string& body, const CheckOptions& checks = {}) {
  TestGrid gpu(kernel_text(0, 0, "mov.u32 %r1, %tid.x;\n.loc 1 5 1\n" + body + "\nret;",
                           ".file 1 \"kernel.cu\"\n"));
  gpu.request.checks = checks;
  return gpu.launch({1}, {32});
}

TEST(WarpChecks, AMaskWithoutTheThreadItself) {
  const char* const body = "shfl.sync.bfly.b32 %r9, %r1, 1, 31, 65535;";
  const GridResult result = launch_one_warp(body);
  ASSERT_FALSE(result.findings.empty());
  EXPECT_EQ(result.findings[0].kind, FindingKind::wrong_mask);
  EXPECT_EQ(result.findings[0].where.line, 5u);
  EXPECT_NE(first_message(result).find("Thread (16, 0, 0) of block (0, 0, 0) executes "
                                       "__shfl_xor_sync() with the mask 0x0000ffff, in which it, "
                                       "lane 16, is missing"),
            std::string::npos)
      << first_message(result);
  EXPECT_TRUE(launch_one_warp(body, checks_named("memory,races,init")).findings.empty());
}

TEST(WarpChecks, AShuffleFromALaneThatTheMaskLeavesOut) {
  const char* const body =
      "setp.lt.u32 %p1, %r1, 16; @%p1 shfl.sync.down.b32 %r9, %r1, 8, 31, 65535;"
      "shfl.sync.idx.b32 %r8, %r9, 0, 31, -1;";  // a value thrown away would be no mistake
  const GridResult result = launch_one_warp(body);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].kind, FindingKind::inactive_lane);
  EXPECT_NE(
      first_message(result).find("Thread (8, 0, 0) of block (0, 0, 0) takes a value from lane "
                                 "16 of its warp by __shfl_down_sync(), which the mask "
                                 "0x0000ffff does not name"),
      std::string::npos)
      << first_message(result);
  EXPECT_TRUE(launch_one_warp(body, checks_named("none")).findings.empty());
}

/// Lane 31 alone has stored the value that all load.
GridResult shuffle_of_what_one_lane_stored(const std::string& shuffle) {
  return launch_one_warp(
      ".local .align 4 .b8 room[16]; mov.u32 %r3, 7;\n"
      "setp.eq.u32 %p1, %r1, 31; @%p1 st.local.u32 [room], %r3;\n"
      "ld.local.u32 %r4, [room];\n" +
      shuffle + "\nadd.u32 %r6, %r5, 1; setp.eq.u32 %p2, %r6, 3; @%p2 trap;");
}

TEST(WarpChecks, AnUnwrittenValueMattersToTheLaneThatTakesIt) {
  const GridResult taken =
      shuffle_of_what_one_lane_stored("shfl.sync.idx.b32 %r5, %r4, 31, 31, -1;");
  EXPECT_TRUE(taken.findings.empty()) << first_message(taken);
  const GridResult other =
      shuffle_of_what_one_lane_stored("shfl.sync.idx.b32 %r5, %r4, 30, 31, -1;");
  ASSERT_EQ(other.findings.size(), 1u);
  EXPECT_EQ(other.findings[0].kind, FindingKind::uninitialized_read);
  EXPECT_NE(first_message(other).find("Thread (30, 0, 0)"), std::string::npos)
      << first_message(other);
  // So it is with each half of a wider one.
  const std::string halves =
      "mov.u32 %r7, 0; mov.b64 %rd4, {%r7, %r4}; mov.b64 {%r7, %r8}, %rd4;\n";
  EXPECT_TRUE(shuffle_of_what_one_lane_stored(halves + "shfl.sync.idx.b32 %r5, %r8, 31, 31, -1;")
                  .findings.empty());
  EXPECT_TRUE(shuffle_of_what_one_lane_stored(halves + "shfl.sync.idx.b32 %r5, %r7, 30, 31, -1;")
                  .findings.empty());
  EXPECT_FALSE(shuffle_of_what_one_lane_stored(halves + "shfl.sync.idx.b32 %r5, %r8, 30, 31, -1;")
                   .findings.empty());
  // A lane that takes its own value has what it had.
  EXPECT_FALSE(
      shuffle_of_what_one_lane_stored("shfl.sync.down.b32 %r5, %r4, 0, 31, -1;").findings.empty());
}

}  // namespace
}  // namespace gridstride::sim
