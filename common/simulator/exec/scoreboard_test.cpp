// Latencies of one block: chains of dependent instructions, memory, barriers.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "common/simulator/exec/test_grid.h"

namespace gridstride::sim {
namespace {

/// Cycles of one block of `threads` threads that runs `body`; p0 is an array of 4096 words.
double cycles(const std::string& body, std::uint32_t threads = 32, std::uint32_t blocks = 1,
              std::uint64_t l1_bytes = 0) {
  TestGrid gpu(kernel_text(1, 0,
                           R"(
    .shared .align 4 .b8 box[4096];
    ld.param.u64 %rd1, [p0]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2; shl.b32 %r2, %r1, 2; mov.u32 %r3, box; add.u32 %r4, %r3, %r2;)" +
                               body + " ret;"));
  const DeviceAddress array = gpu.upload(std::vector<std::uint32_t>(4096, 0));
  gpu.request.l1_bytes = l1_bytes;
  const GridResult result = gpu.launch({blocks}, {threads}, array);
  EXPECT_EQ(result.error, 0) << first_message(result);
  return result.block_latency_cycles;
}

std::string times(int count, const std::string& what) {
  std::string text;
  for (int i = 0; i < count; ++i) text += what + "\n";
  return text;
}

constexpr LatencyTable table;

TEST(Scoreboard, DependentInstructionsWaitIndependentOnesDoNot) {
  const double base = cycles("");
  const double chain = cycles(times(100, "add.f32 %f1, %f1, %f2;")) - base;
  EXPECT_NEAR(chain, 100 * table.arithmetic, 4 * table.arithmetic);
  std::string independent;
  for (int i = 0; i < 100; ++i) {
    independent += "add.f32 %f" + std::to_string(i % 10) + ", %f18, %f19;\n";
  }
  EXPECT_NEAR(cycles(independent) - base, 100, table.arithmetic);
}

TEST(Scoreboard, ALoadCostsItsLatencyWhenItsValueIsNeeded) {
  const double base = cycles("");
  EXPECT_NEAR(cycles("ld.global.u32 %r9, [%rd3]; add.u32 %r9, %r9, 1;") - base, table.global_dram,
              10);
  // ptxas puts both loads first, unless something stands between them that nothing passes.
  const std::string load = "ld.global.u32 %r9, [%rd3]; add.u32 %r9, %r9, 1;";
  EXPECT_NEAR(cycles(load + load) - base, table.global_dram, 20);
  EXPECT_NEAR(cycles(load + "st.global.u32 [%rd3], %r9; membar.gl;" + load) - base,
              table.global_dram + table.global_l2, 40);
  EXPECT_LT(cycles("ld.global.u32 %r9, [%rd3];") - base, 5);
}

TEST(Scoreboard, NothingPassesARootThatRoundsCorrectly) {
  const double base = cycles("");
  const std::string exact = "sqrt.rn.f32 %f1, %f2; sqrt.rn.f32 %f3, %f4; sqrt.rn.f32 %f5, %f6;";
  const std::string rough =
      "sqrt.approx.ftz.f32 %f1, %f2; sqrt.approx.ftz.f32 %f3, %f4; sqrt.approx.ftz.f32 %f5, %f6;";
  EXPECT_GE(cycles(exact) - base, 3 * table.special);
  EXPECT_LT(cycles(rough) - base, 2 * table.special);
}

TEST(Scoreboard, ALoadWaitsForStoresBeforeItAndNotForArithmetic) {
  const std::string chain = times(50, "add.u32 %r8, %r8, %r8;");
  const std::string load = "ld.global.u32 %r9, [%rd3]; add.u32 %r9, %r9, 1;";
  const double alone = cycles(load);
  EXPECT_NEAR(cycles(chain + load), alone, 60);
  const std::string elsewhere = "add.s64 %rd5, %rd3, 8192; st.global.u32 [%rd5], %r8;";
  EXPECT_GT(cycles(chain + elsewhere + load), alone + 45 * table.arithmetic);
  // Of another memory than the store's it cannot be what was stored.
  EXPECT_NEAR(cycles(chain + "st.shared.u32 [%r4], %r8;" + load), alone, 60);
}

TEST(Scoreboard, ALoadPassesStoresToOtherBytesFromTheSameBase) {
  const std::string chain = times(50, "add.u32 %r8, %r8, %r8;");
  const auto behind = [&](const std::string& between, const std::string& load) {
    return cycles(chain + "st.global.u32 [%rd3+8], %r8;" + between + load + "add.u32 %r9, %r9, 1;");
  };
  const double alone = cycles(chain + "ld.global.u32 %r9, [%rd3]; add.u32 %r9, %r9, 1;");
  EXPECT_NEAR(behind("", "ld.global.u32 %r9, [%rd3];"), alone, 10);
  EXPECT_NEAR(behind("", "ld.global.u32 %r9, [%rd3+4];"), alone, 10);
  const double held_up = alone + 45 * table.arithmetic;
  EXPECT_GT(behind("", "ld.global.u32 %r9, [%rd3+8];"), held_up);
  EXPECT_GT(behind("add.s64 %rd3, %rd3, 8;", "ld.global.u32 %r9, [%rd3+8192];"), held_up);
  // Nobody stores to what is loaded this way.
  EXPECT_NEAR(behind("add.s64 %rd3, %rd3, 8;", "ld.global.nc.u32 %r9, [%rd3+8192];"), alone, 10);
}

TEST(Scoreboard, AFewInstructionsThatABranchLeavesOutArePredicated) {
  const std::string load = "ld.global.u32 %r9, [%rd3+";
  const auto guarded = [&](int number, const std::string& more) {
    const std::string label = "$behind" + std::to_string(number);
    return "setp.lt.u32 %p" + std::to_string(number) + ", %r1, 31; @%p" + std::to_string(number) +
           " bra " + label + "; " + load + std::to_string(256 * number) +
           "]; st.shared.u32 [%r4], %r9; " + more + label + ":\n";
  };
  const auto three = [&](const std::string& more) {
    return cycles(guarded(1, more) + guarded(2, more) + guarded(3, more));
  };
  const double base = cycles("");
  EXPECT_LT(three("") - base, 1.2 * table.global_dram);
  // A branch over more than some is left, and nothing passes it.
  EXPECT_GT(three(times(20, "add.u32 %r8, %r8, %r1;")) - base, 2.9 * table.global_dram);
  EXPECT_GT(three("membar.gl;") - base, 2.9 * table.global_dram);
}

TEST(Scoreboard, WhatIsPredicatedWaitsForItsCondition) {
  const double base = cycles("");
  const double one = cycles("ld.global.u32 %r9, [%rd3]; add.u32 %r9, %r9, 1;") - base;
  const double two = cycles(R"(
    ld.global.u32 %r9, [%rd3];
    setp.eq.u32 %p1, %r9, 7;
    @%p1 bra $behind;
    ld.global.u32 %r8, [%rd3+8192];
    add.u32 %r8, %r8, 1;
    $behind:)") - base;
  EXPECT_NEAR(two, 2 * one, 60);
}

TEST(Scoreboard, SomeRoundsOfALoopGoOnSideBySide) {
  const auto rounds = [](int count, const std::string& end, const std::string& more) {
    return cycles("mov.u32 %r7, 0; mov.u32 %r8, " + std::to_string(count) +
                  R"(;
      $again:
        ld.global.u32 %r9, [%rd3];
        add.s64 %rd3, %rd3, 256;
        add.u32 %r6, %r6, %r9;
        add.u32 %r7, %r7, 1;)" +
                  more + "setp.lt.u32 %p1, %r7, " + end + "; @%p1 bra $again;");
  };
  // Four at a time, where nobody knows how many there will be.
  const double unrolled = rounds(8, "%r8", "") - rounds(4, "%r8", "");
  EXPECT_NEAR(unrolled, table.global_dram, 100);
  EXPECT_GT(rounds(8, "8", "") - rounds(4, "4", ""), 3.5 * table.global_dram);
  const auto down = [](int count, const std::string& begin, const std::string& pragma) {
    return cycles("mov.u32 %r8, " + std::to_string(count) + "; " + begin + "\n$again:\n" + pragma +
                  R"(
        ld.global.u32 %r9, [%rd3];
        add.s64 %rd3, %rd3, 256;
        add.u32 %r6, %r6, %r9;
        add.u32 %r8, %r8, -1;
        setp.ne.u32 %p1, %r8, 0; @%p1 bra $again;)");
  };
  // Of what is left, two at a time, and then one.
  EXPECT_NEAR(rounds(6, "%r8", "") - rounds(4, "%r8", ""), table.global_dram, 100);
  EXPECT_NEAR(rounds(7, "%r8", "") - rounds(6, "%r8", ""), table.global_dram, 100);
  EXPECT_NEAR(rounds(3, "%r8", ""), rounds(6, "%r8", ""), 100);
  // It counts down to a number that is known, from one that is not.
  const std::string unknown = "add.u32 %r8, %r8, 0;", pragma = ".pragma \"nounroll\";";
  EXPECT_NEAR(down(8, unknown, "") - down(4, unknown, ""), table.global_dram, 100);
  EXPECT_GT(down(8, "", "") - down(4, "", ""), 3.5 * table.global_dram);
  EXPECT_GT(down(8, unknown, pragma) - down(4, unknown, pragma), 3.5 * table.global_dram);
  const std::string vote = "activemask.b32 %r5;";
  EXPECT_GT(rounds(8, "%r8", vote) - rounds(4, "%r8", vote), 3.5 * table.global_dram);
}

TEST(Scoreboard, ABranchWaitsLongerForAComparisonThanASelectionDoes) {
  const double base = cycles("");
  const std::string compared = "setp.lt.u32 %p1, %r8, 5;";
  const double selected = cycles(times(20, compared + "selp.u32 %r8, %r9, %r10, %p1;")) - base;
  EXPECT_NEAR(selected, 20 * 2 * table.arithmetic, 20);
  const double guarded = cycles(times(20, compared + "@%p1 add.u32 %r8, %r8, 1;")) - base;
  EXPECT_NEAR(guarded, 20 * (table.guard + table.arithmetic), 20);
}

TEST(Scoreboard, LoadsAreDoneAheadOfUsesAsFarAsRegistersGo) {
  const auto copies = [](int count, const std::string& address) {
    std::string text = "mov.u64 %rd5, %rd3;";
    for (int i = 0; i < count; ++i) {
      text += "ld.global.u32 %r9, [%rd5+" + std::to_string(256 * i) +
              "]; st.shared.u32 [%r4], %r9;" + address;
    }
    return cycles(text);
  };
  const double base = cycles("");
  EXPECT_LT(copies(20, "") - base, 1.2 * table.global_dram);
  const double more = copies(40, "") - base;
  EXPECT_GT(more, 1.9 * table.global_dram);
  EXPECT_LT(more, 2.2 * table.global_dram);
  // Where no use stands between them in the program, all are under way at once.
  std::string loads;
  for (int i = 0; i < 30; ++i) {
    loads +=
        "ld.global.u32 %r" + std::to_string(5 + i) + ", [%rd3+" + std::to_string(256 * i) + "];";
  }
  EXPECT_LT(cycles(loads + "st.shared.u32 [%r4], %r34;") - base, 1.2 * table.global_dram);
  // What is loaded from where another load says takes that one's register.
  const auto followed = [](int count) {
    std::string text;
    for (int i = 0; i < count; ++i) {
      text += "ld.global.u32 %r9, [%rd3+" + std::to_string(128 * i) +
              "]; mul.wide.u32 %rd6, %r9, 4; add.s64 %rd6, %rd1, %rd6;"
              "ld.global.u32 %r10, [%rd6]; st.shared.u32 [%r4], %r10;";
    }
    return cycles(text);
  };
  EXPECT_LT(followed(20) - followed(10), 0.2 * table.global_dram);
}

TEST(Scoreboard, TheL1LooksForWhatAWarpWantsInTurn) {
  // Each lane in a line of its own, all of which need the same banks: 31 beyond the first.
  const std::string start = "shl.b32 %r5, %r1, 7; cvt.u64.u32 %rd4, %r5; add.s64 %rd5, %rd1, %rd4;";
  const auto apart = [&](int loads, std::uint64_t l1_bytes) {
    std::string text = start, sum;
    for (int i = 0; i < loads; ++i) {
      const std::string to = "%r" + std::to_string(10 + i);
      text += "ld.global.u32 " + to + ", [%rd5+" + std::to_string(4 * i) + "];\n";
      sum += "add.u32 %r9, %r9, " + to + ";\n";
    }
    return cycles(text + sum, 32, 1, l1_bytes);
  };
  EXPECT_NEAR(apart(6, 0) - apart(2, 0), 4 * 31 * table.line_missing, 30);
  EXPECT_NEAR(apart(6, 65536) - apart(2, 65536), 4 * 31 * table.line_there, 30);
  EXPECT_NEAR(apart(1, 0) - cycles(start + "ld.global.u32 %r10, [%rd3]; add.u32 %r9, %r9, %r10;"),
              31 * table.global_line, 10);
  // What a later one asks for holds nothing up that is asked for earlier.
  const std::string other = "ld.global.u32 %r11, [%rd5+8]; add.u32 %r12, %r11, 1;";
  const std::string chain = start + R"(
    ld.global.u32 %r9, [%rd5]; mul.wide.u32 %rd6, %r9, 4; add.s64 %rd7, %rd5, %rd6;
    ld.global.u32 %r10, [%rd7+4]; add.u32 %r12, %r10, 1;)";
  EXPECT_NEAR(cycles(chain + other), cycles(chain), 60);
}

TEST(Scoreboard, ALoadFromGlobalMemoryPassesAnAtomicInSharedMemory) {
  const auto both = [](const std::string& first) {
    return cycles("ld.global.u32 %r9, [%rd3]; add.u32 %r9, %r9, %r4;" + first +
                  "ld.global.u32 %r10, [%rd3+8192]; add.u32 %r10, %r10, 1;");
  };
  EXPECT_LT(both("red.shared.add.u32 [%r9], 1;"), 1.3 * table.global_dram);
  EXPECT_GT(both("red.global.add.u32 [%rd3+4096], %r9;"), 1.9 * table.global_dram);
  EXPECT_GT(both("atom.shared.acquire.cta.add.u32 %r8, [%r9], 1;"), 1.9 * table.global_dram);
  // What is loaded from shared memory may be what it has changed.
  const auto shared = [](const std::string& first) {
    return cycles("ld.global.u32 %r9, [%rd3]; add.u32 %r9, %r9, %r4;" + first +
                  "ld.shared.u32 %r10, [%r4]; add.u32 %r10, %r10, 1; " +
                  times(100, "add.u32 %r10, %r10, 1;"));
  };
  EXPECT_GT(shared("red.shared.add.u32 [%r9], 1;") - shared(""), 0.3 * table.global_dram);
}

TEST(Scoreboard, BankConflictsLengthenASharedLoad) {
  const std::string load = "ld.shared.u32 %r9, [%r5]; add.u32 %r9, %r9, 1;";
  const double straight = cycles("st.shared.u32 [%r4], %r1; mov.u32 %r5, %r4;" + load);
  const double conflict =
      cycles("st.shared.u32 [%r4], %r1; shl.b32 %r5, %r1, 7; add.u32 %r5, %r5, %r3;" + load);
  EXPECT_NEAR(conflict - straight, 31 * table.shared_wavefront, 12);
}

/// A float addition in shared memory is a loop of compare-and-swaps, whose end the warp waits for.
TEST(Scoreboard, ALoopOfCompareAndSwapsIsWaitedForByWhatHasNothingToDoWithIt) {
  const double base = cycles("");
  const auto additions = [&](int lanes_on_one) {
    return cycles("shr.u32 %r5, %r2, 2; div.u32 %r5, %r5, " + std::to_string(lanes_on_one) +
                  "; shl.b32 %r5, %r5, 2; add.u32 %r5, %r5, %r3;" +
                  times(10, "red.shared.add.f32 [%r5], %f1;")) -
           base;
  };
  EXPECT_NEAR(additions(1), 10 * table.shared_cas_iteration, 200);
  EXPECT_NEAR(additions(8), 80 * table.shared_cas_iteration, 400);
  EXPECT_LT(cycles(times(10, "red.shared.add.u32 [%r4], %r1;")) - base, 100);
}

TEST(Scoreboard, ALineOfConstantsThatTheCacheDoesNotHaveIsWaitedFor) {
  const auto walks = [](int bytes) {
    TestGrid gpu(kernel_text(1, 0,
                             R"(
      ld.param.u64 %rd1, [p0]; mov.u32 %r7, 0; mov.u64 %rd2, numbers; .pragma "nounroll";
$again: and.b32 %r8, %r7, )" + std::to_string(bytes - 1) +
                                 R"(; cvt.u64.u32 %rd3, %r8;
      add.u64 %rd3, %rd3, %rd2; ld.const.f32 %f1, [%rd3]; add.f32 %f2, %f2, %f1;
      add.u32 %r7, %r7, 64; setp.ne.u32 %p1, %r7, 16384; @%p1 bra $again;
      st.global.f32 [%rd1], %f2; ret;)",
                             ".const .align 4 .b8 numbers[4096];"));
    const DeviceAddress out = gpu.upload(std::vector<std::uint32_t>(1, 0));
    const GridResult result = gpu.launch({1}, {32}, out);
    EXPECT_EQ(result.error, 0) << first_message(result);
    return result.block_latency_cycles;
  };
  // 256 rounds; of 2 KiB each line is missed once.
  EXPECT_NEAR(walks(4096) - walks(2048), (256 - 32) * table.constant_miss, 1000);
}

TEST(Scoreboard, ABarrierWaitsForTheSlowestWarp) {
  // Warp 1 computes long; warp 0 waits for it and then does its own part.
  const std::string body = R"(
    setp.lt.u32 %p1, %r1, 32;
    @%p1 bra $wait;
    )" + times(200, "add.f32 %f1, %f1, %f2;") +
                           R"(
  $wait:
    bar.sync 0;
    @!%p1 bra $end;
    )" + times(100, "add.f32 %f1, %f1, %f2;") +
                           "$end:";
  EXPECT_NEAR(cycles(body, 64), 300 * table.arithmetic, 100);
  const double two = cycles("bar.sync 0;", 64) - cycles("", 64);
  const double many = cycles("bar.sync 0;", 1024) - cycles("", 1024);
  EXPECT_NEAR(many - two, 30 * table.barrier_warp, 1);
}

TEST(Scoreboard, BlocksOfOneRoundWaitTogetherForWhatAllOfThemLoad) {
  const auto taken = [](std::uint32_t blocks) {
    return cycles("ld.global.u32 %r9, [%rd3]; add.u32 %r9, %r9, 1;", 32, blocks) -
           cycles("", 32, blocks);
  };
  EXPECT_NEAR(taken(8), table.global_dram, 10);  // all of them are resident
  EXPECT_NEAR(taken(800), table.global_l2, 10);  // most of them find it in the L2
}

TEST(Scoreboard, WhatOthersOfTheRoundHaveAskedForIsThereSooner) {
  // Every warp loads all 16 lines, each after the other, and begins with one of its own.
  const std::string loads = R"(
    and.b32 %r7, %r1, -32; mov.u32 %r8, 0;
    $again:
      and.b32 %r6, %r7, 511; mul.wide.u32 %rd4, %r6, 4; add.s64 %rd5, %rd1, %rd4;
      ld.global.u32 %r9, [%rd5];
      and.b32 %r9, %r9, 0; add.u32 %r7, %r7, 32; add.u32 %r7, %r7, %r9;
      add.u32 %r8, %r8, 1; setp.lt.u32 %p1, %r8, 16; @%p1 bra $again;)";
  EXPECT_LT(cycles(loads, 512, 8), 9 * table.global_dram);
  EXPECT_GT(cycles(loads, 32, 8), 15 * table.global_dram);  // all begin with the same one
}

TEST(Scoreboard, ASectorThatItsNeighbourHasBroughtIsThere) {
  // A warp goes from sector to sector, of which each second comes with the one before it.
  const auto sectors = [](int count) {
    return "mov.u64 %rd5, %rd1;" +
           times(count,
                 "ld.global.u32 %r9, [%rd5]; cvt.u64.u32 %rd4, %r9; add.s64 %rd5, %rd5, %rd4;"
                 "add.s64 %rd5, %rd5, 32;");
  };
  for (const std::uint32_t blocks : {1u, 800u}) {
    const double more = cycles(sectors(2), 32, blocks) - cycles(sectors(1), 32, blocks);
    EXPECT_NEAR(more, table.global_l2, 30) << blocks;
  }
}

TEST(Scoreboard, BlocksWhoseTimeIsNotTakenAskWhenTheFirstOneDid) {
  // Each of two neighbours reads the same 16 lines in turn; the second from the end, or as the first does.
  const auto lines = [](const std::string& first, const std::string& step) {
    return "mov.u32 %r6, %ctaid.x; shr.u32 %r7, %r6, 1; and.b32 %r6, %r6, 1; mul.lo.u32 %r7, %r7, "
           "2048;" +
           first + step + R"(
      add.u32 %r7, %r7, %r6; mov.u32 %r5, 0;
    $again:
      cvt.u64.u32 %rd4, %r7; add.s64 %rd5, %rd1, %rd4; ld.global.u32 %r9, [%rd5];
      and.b32 %r9, %r9, 0; add.u32 %r7, %r7, %r8; add.u32 %r7, %r7, %r9;
      add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 16; @%p1 bra $again;)";
  };
  const double alike = cycles(lines("mov.u32 %r6, 0;", "mov.u32 %r8, 128;"), 32, 8);
  const double opposite = cycles(
      lines("mul.lo.u32 %r8, %r6, 256; mul.lo.u32 %r6, %r6, 1920;", "sub.u32 %r8, 128, %r8;"), 32,
      8);
  // Of three that wait together one is a second neighbour, and finds half of them on their way.
  EXPECT_NEAR(alike - opposite, 8 * (table.global_dram - table.global_l2) / 3, 150);
}

TEST(Scoreboard, ManyBlocksAreJudgedByASample) {
  const std::string body = times(10, "add.f32 %f1, %f1, %f2;");
  EXPECT_DOUBLE_EQ(cycles(body, 32, 1), cycles(body, 32, 1000));
}

}  // namespace
}  // namespace gridstride::sim
