// Each rule speaks on its case and is silent on kernels that are as good as can be.
#include "common/simulator/report/rules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

namespace gridstride::sim {
namespace {

const DeviceProfile& h200() {
  static const DeviceProfile profile = default_profile();
  return profile;
}

/// A kernel with one line, which launches well-filled blocks.
struct Kernel {
  LaunchRecord record;
  Kernel() {
    record.kernel = "k(float*)";
    record.grid = {.x = 4096};
    record.block = {.x = 256};
    record.resident_blocks = 8;
    record.occupancy = 1;
    record.occupancy_limiter = "threads";
    Counters& c = counters();
    c.warp_instructions = 4096 * 8 * 10;
    c.sass_instructions = c.warp_instructions;
    c.thread_instructions = c.warp_instructions * 32;
  }
  static LineCounters one_line() { return {.file = "k.cu", .line = 18, .counters = {}}; }
  LineCounters line = one_line();
  Counters& counters() { return line.counters; }

  std::vector<Advice> advice() {
    record.counters = line.counters;
    record.lines = {line};
    const ModelInputs inputs = inputs_of(record);
    const TimeEstimate time = estimate(h200(), inputs.shape, inputs.result);
    record.seconds = time.seconds;
    record.limiter = time.limiter;
    record.bounds = time.bounds;
    return advice_for(KernelView(h200(), {&record}));
  }
  std::string headline() {
    const auto all = advice();
    return sim::headline(KernelView(h200(), {&record}), all);
  }
};

/// Reads and writes side by side.
Kernel streaming() {
  Kernel kernel;
  Counters& c = kernel.counters();
  const std::uint64_t requests = 4096 * 8 * 16;
  c.global_load_requests = c.global_store_requests = requests;
  c.global_load_sectors = c.global_load_ideal_sectors = 4 * requests;
  c.global_store_sectors = c.global_store_ideal_sectors = 4 * requests;
  c.dram_read_sectors = c.dram_write_sectors = 4 * requests;
  return kernel;
}

void expect_rule(const std::vector<Advice>& advice, const std::string& rule,
                 const std::string& text, const std::string& repair) {
  const auto found = std::find_if(advice.begin(), advice.end(),
                                  [&](const Advice& one) { return one.rule == rule; });
  ASSERT_NE(found, advice.end()) << "the rule is silent";
  EXPECT_NE(found->text.find(text), std::string::npos) << found->text;
  EXPECT_NE(found->repair.find(repair), std::string::npos) << found->repair;
  EXPECT_GT(found->saved_seconds, 0);
}

TEST(Rules, AKernelThatOnlyMovesWhatItMustGetsNoAdvice) {
  Kernel kernel = streaming();
  for (const Advice& advice : kernel.advice()) ADD_FAILURE() << advice.text;
  EXPECT_NE(kernel.headline().find("nothing left but to move less"), std::string::npos)
      << kernel.headline();
}

TEST(Rules, ColumnOfAMatrix) {
  Kernel kernel = streaming();
  Counters& c = kernel.counters();
  c.global_load_sectors = 8 * c.global_load_ideal_sectors;
  c.dram_read_sectors = c.global_load_sectors;
  kernel.line.accesses = {{AccessKind::global_load,
                           4,
                           {{PatternShape::strided, 4096, c.global_load_requests,
                             c.global_load_sectors, c.global_load_ideal_sectors}}}};
  const auto advice = kernel.advice();
  expect_rule(advice, "global access",
              "neighbouring threads read 4 KiB apart: 32 sectors a request where 4 would do",
              "threadIdx.x");
  EXPECT_EQ(advice[0].line, 18u);
  EXPECT_EQ(kernel.headline().find("nothing left"), std::string::npos);
  // Eight times as many bytes: most of the time goes when they are spared.
  EXPECT_GT(advice[0].saved_seconds, 0.6 * kernel.record.seconds);
}

TEST(Rules, ColumnOfAMatrixWhoseLinesTheL1Keeps) {
  Kernel kernel = streaming();
  Counters& c = kernel.counters();
  c.global_load_sectors = 8 * c.global_load_ideal_sectors;  // but each comes from the L2 only once
  c.l1_hit_sectors = c.global_load_sectors - c.global_load_ideal_sectors;
  c.l1_passes = 33 * c.global_load_requests;
  kernel.line.accesses = {{AccessKind::global_load,
                           4,
                           {{PatternShape::strided, 4096, c.global_load_requests,
                             c.global_load_sectors, c.global_load_ideal_sectors}}}};
  const auto advice = kernel.advice();
  EXPECT_EQ(kernel.record.limiter, "shared");
  expect_rule(advice, "global access", "read 4 KiB apart: 32 sectors a request where 4",
              "runs fastest");
  EXPECT_GT(advice[0].saved_seconds, kernel.record.seconds / 2);
}

TEST(Rules, ArrayOfStructures) {
  Kernel kernel = streaming();
  Counters& c = kernel.counters();
  c.global_store_sectors = 4 * c.global_store_ideal_sectors;
  kernel.line.accesses = {{AccessKind::global_store,
                           4,
                           {{PatternShape::strided, 16, c.global_store_requests,
                             c.global_store_sectors, c.global_store_ideal_sectors}}}};
  expect_rule(kernel.advice(), "global access", "write 16 bytes apart", "array of structures");
}

TEST(Rules, MisalignedRow) {
  Kernel kernel = streaming();
  Counters& c = kernel.counters();
  c.dram_read_sectors = c.dram_write_sectors = 0;  // all in the L2, where the sectors show
  c.global_store_requests = c.global_store_sectors = c.global_store_ideal_sectors = 0;
  c.global_load_sectors = 5 * c.global_load_requests;
  kernel.line.accesses = {{AccessKind::global_load,
                           4,
                           {{PatternShape::shifted, 0, c.global_load_requests,
                             c.global_load_sectors, c.global_load_ideal_sectors}}}};
  expect_rule(kernel.advice(), "global access",
              "the 128 bytes that a warp reads do not start at a multiple of 32 bytes: 5 sectors",
              "aligned");
}

TEST(Rules, BankConflictsOfAColumn) {
  Kernel kernel;
  Counters& c = kernel.counters();
  c.shared_load_requests = c.shared_load_ideal = 4096 * 8 * 8;
  c.shared_load_wavefronts = 32 * c.shared_load_ideal;
  kernel.line.accesses = {{AccessKind::shared_load,
                           4,
                           {{PatternShape::strided, 128, c.shared_load_requests,
                             c.shared_load_wavefronts, c.shared_load_ideal}}}};
  expect_rule(kernel.advice(), "bank conflicts",
              "hit the same bank 32 ways: they are 32 words apart", "Pad the row to 33 words");
}

TEST(Rules, BankConflictsOfATree) {
  Kernel kernel;
  Counters& c = kernel.counters();
  c.shared_load_requests = c.shared_load_ideal = 4096 * 8 * 8;
  c.shared_load_wavefronts = 6 * c.shared_load_ideal;
  kernel.line.accesses = {
      {AccessKind::shared_load,
       4,
       {{PatternShape::strided, 64, 100, 800, 100}, {PatternShape::strided, 8, 100, 200, 100}}}};
  expect_rule(kernel.advice(), "bank conflicts", "8 ways: they are 2 to 16 words apart",
              "neighbouring words");
}

TEST(Rules, ReadsOfSharedMemoryThatCouldServeTwice) {
  Kernel kernel;
  Counters& c = kernel.counters();
  c.shared_load_requests = c.shared_load_wavefronts = c.shared_load_ideal = 4096 * 8 * 64;
  const auto advice = kernel.advice();
  expect_rule(advice, "shared reads", "100 % of the kernel's 2.1 million passes", "register");
  EXPECT_EQ(advice[0].line, 18u);
  EXPECT_NE(kernel.headline().find("shared memory"), std::string::npos) << kernel.headline();
}

TEST(Rules, SharedHistogramOfOneValue) {
  Kernel kernel;
  Counters& c = kernel.counters();
  c.shared_atomic_requests = c.shared_atomic_ideal = 4096 * 8 * 8;
  c.shared_atomic_wavefronts = 32 * c.shared_atomic_ideal;
  kernel.line.accesses = {{AccessKind::shared_atomic,
                           4,
                           {{PatternShape::same, 0, c.shared_atomic_requests,
                             c.shared_atomic_wavefronts, c.shared_atomic_ideal}}}};
  expect_rule(kernel.advice(), "bank conflicts", "change one word of shared memory, 32 at a time",
              "within the warp");
}

TEST(Rules, DivergentBranch) {
  Kernel kernel;
  Counters& c = kernel.counters();
  c.sass_instructions = c.warp_instructions *= 20;
  c.thread_instructions = c.warp_instructions * 4;
  c.branches = c.divergent_branches = 1000;
  expect_rule(kernel.advice(), "idle lanes",
              "only 4 of 32 lanes are active on average, because its condition splits the warps",
              "whole warps");
}

TEST(Rules, OneThreadABlock) {
  Kernel kernel;
  kernel.record.block = {.x = 1};
  Counters& c = kernel.counters();
  c.sass_instructions = c.warp_instructions *= 20;
  c.thread_instructions = c.warp_instructions;
  expect_rule(kernel.advice(), "idle lanes", "a block has 1 thread", "multiple of 32");
}

TEST(Rules, AtomicsOnOneAddress) {
  Kernel kernel;
  kernel.counters().global_atomic_requests = 131072;
  kernel.counters().global_atomic_sectors = 4'194'304;
  kernel.counters().global_atomic_serial = 4'194'304;
  kernel.record.atomic_queues = {.float_sector = 4'194'304, .piece = 4'194'304, .all = 4'194'304};
  expect_rule(kernel.advice(), "atomics", "all 4.2 million atomic operations go to one address",
              "one atomic for each warp or block");
}

TEST(Rules, AtomicsOnManyAddresses) {
  Kernel kernel;
  kernel.counters().global_atomic_requests = kernel.counters().global_atomic_serial = 131072;
  kernel.counters().global_atomic_sectors = 524288;
  kernel.record.atomic_queues = {.sector = 1024, .piece = 1024, .all = 4'194'304};
  expect_rule(kernel.advice(), "atomics",
              "4.2 million atomic operations pass through the L2; half as many", "fewer blocks");
}

TEST(Rules, ArrayInLocalMemory) {
  Kernel kernel;
  kernel.counters().local_requests = 10'000'000;
  kernel.counters().local_sectors = 40'000'000;
  expect_rule(kernel.advice(), "local memory", "40.0 million sectors", "unroll");
}

TEST(Rules, DoubleByAccident) {
  Kernel kernel;
  Counters& c = kernel.counters();
  c.double_instructions = c.sass_instructions = 10 * c.warp_instructions;
  expect_rule(kernel.advice(), "arithmetic", "100 % of the kernel's", "literal without f");
}

TEST(Rules, SmallGrid) {
  Kernel kernel;
  kernel.record.grid = {.x = 1};
  kernel.record.block_latency_cycles = 1e6;
  expect_rule(kernel.advice(), "small grid",
              "the grid has 1 block of 256 threads, the device has room for 32 at once: 3 of 4 "
              "multiprocessors have nothing to do",
              "more blocks");
}

TEST(Rules, AKernelThatIsOverAtOnceNeedsNoMoreBlocks) {
  Kernel kernel;
  kernel.record.grid = {.x = 1};
  kernel.counters() = {};
  kernel.counters().warp_instructions = kernel.counters().sass_instructions = 100;
  kernel.counters().thread_instructions = 3200;
  kernel.record.block_latency_cycles = 1500;
  for (const Advice& advice : kernel.advice()) ADD_FAILURE() << advice.text;
  EXPECT_NE(kernel.headline().find("so little"), std::string::npos) << kernel.headline();
}

TEST(Rules, OccupancyBySharedMemory) {
  Kernel kernel;
  kernel.record.shared_bytes = 100 * 1024;
  kernel.record.resident_blocks = 2;
  kernel.record.occupancy = 0.25;
  kernel.record.occupancy_limiter = "shared";
  kernel.record.block_latency_cycles = 5000;
  expect_rule(kernel.advice(), "occupancy",
              "occupancy is 25 %: 100 KiB of shared memory a block leave room for 2 blocks",
              "Smaller tiles");
}

TEST(Rules, OccupancyByRegistersWhereTheEstimateMustBeFarOff) {
  Kernel kernel;
  kernel.record.registers = 128;
  kernel.record.registers_estimated = true;
  kernel.record.resident_blocks = 2;
  kernel.record.occupancy = 0.25;
  kernel.record.occupancy_limiter = "registers";
  kernel.record.block_latency_cycles = 5000;
  expect_rule(kernel.advice(), "occupancy",
              "occupancy is 25 %: 128 registers a thread (estimated) leave room for 2 blocks",
              "__launch_bounds__");
  kernel.record.registers = 72;  // with 64 there would be room for 4 blocks
  kernel.record.resident_blocks = 3;
  kernel.record.occupancy = 0.375;
  for (const Advice& advice : kernel.advice()) EXPECT_NE(advice.rule, "occupancy") << advice.text;
  kernel.record.registers_estimated = false;
  expect_rule(kernel.advice(), "occupancy",
              "occupancy is 38 %: 72 registers a thread (by ptxas) leave room for 3 blocks",
              "__launch_bounds__");
}

TEST(Rules, WaitingWithAllTheWarpsThatFit) {
  Kernel kernel;
  kernel.record.block_latency_cycles = 8000;
  expect_rule(kernel.advice(), "latency", "a block takes 8000 clocks alone", "loads under way");
}

TEST(Rules, WaitingWhereMoreBlocksWouldNotHelp) {
  Kernel kernel;
  kernel.record.grid = {.x = 32};  // all at once, at a low occupancy
  kernel.record.occupancy = 0.375;
  kernel.record.occupancy_limiter = "registers";
  kernel.record.block_latency_cycles = 80000;
  expect_rule(kernel.advice(), "latency", "the warps that fit wait", "loads under way");
}

TEST(Rules, ManySmallBlocks) {
  Kernel kernel;
  kernel.record.grid = {.x = 65536};
  expect_rule(kernel.advice(), "blocks", "starting 66 thousand blocks takes", "fewer blocks");
}

TEST(Rules, ManySmallLaunches) {
  Kernel kernel;
  kernel.record.grid = {.x = 1};
  kernel.counters() = {};
  kernel.record.launches = 100;
  kernel.advice();
  LaunchRecord many = kernel.record;
  many.seconds *= 100;
  const auto advice = advice_for(KernelView(h200(), {&many}));
  expect_rule(advice, "launches", "100 launches cost at least 2.90 us each", "one launch");
}

TEST(Rules, ManySmallLaunchesByKernels) {
  Kernel kernel;
  kernel.record.grid = {.x = 1};
  kernel.counters() = {};
  kernel.record.parent = "parent(int*)";
  kernel.advice();
  const LaunchRecord first = kernel.record, second = first, third = first;
  const auto advice = advice_for(KernelView(h200(), {&first, &second, &third}));
  expect_rule(advice, "launches",
              "3 launches by kernels take 6.52 us of the thread that launches, and start 3.80 us "
              "later",
              "worth it");
}

TEST(Rules, GridsThatRunBesideEachOtherFillTheDevice) {
  Kernel kernel;
  kernel.record.grid = {.x = 1};
  kernel.record.block_latency_cycles = 1e6;
  kernel.advice();
  const std::vector<LaunchRecord> some(8, kernel.record), many(16, kernel.record);
  const auto seen = [](const std::vector<LaunchRecord>& records) {
    std::vector<const LaunchRecord*> all;
    for (const LaunchRecord& record : records) all.push_back(&record);
    return advice_for(KernelView(h200(), all));
  };
  expect_rule(
      seen(some), "small grid",
      "the longest of 8 launches has 1 block of 256 threads and runs beside 7 of the others "
      "on average, the device has room for 32 at once",
      "more blocks");
  for (const Advice& advice : seen(many)) EXPECT_NE(advice.rule, "small grid") << advice.text;
}

TEST(Rules, TheSameBytesAgainAndAgain) {
  Kernel kernel;
  Counters& c = kernel.counters();
  c.global_load_requests = 4096 * 8 * 64;
  c.global_load_sectors = c.global_load_ideal_sectors = 4 * c.global_load_requests;
  c.dram_read_sectors = c.global_load_sectors / 16;
  expect_rule(kernel.advice(), "reuse", "asked for at least 14", "tile into shared memory");
  c.l1_hit_sectors = c.global_load_sectors;  // the L1 keeps them
  c.l1_passes = 2 * c.global_load_requests;
  expect_rule(kernel.advice(), "reuse", "asked for at least 14", "tile into shared memory");
}

/// Such as of a program compiled without -lineinfo.
TEST(Rules, AKernelWithoutLinesIsNotAdvisedAboutOne) {
  Kernel kernel;
  Counters& c = kernel.counters();
  c.global_load_requests = 4096 * 8 * 64;
  c.global_load_sectors = c.global_load_ideal_sectors = 4 * c.global_load_requests;
  c.dram_read_sectors = c.global_load_sectors / 16;
  ASSERT_FALSE(kernel.advice().empty());
  kernel.record.lines.clear();
  for (const Advice& advice : advice_for(KernelView(h200(), {&kernel.record}))) {
    EXPECT_EQ(advice.line, 0U) << advice.text;
  }
}

TEST(Rules, OneTileIsEnough) {
  Kernel kernel;
  Counters& c = kernel.counters();
  c.global_load_requests = 4096 * 8 * 64;
  c.global_load_sectors = c.global_load_ideal_sectors = 4 * c.global_load_requests;
  c.dram_read_sectors = c.global_load_sectors / 16;
  c.shared_load_requests = c.shared_load_wavefronts = 2 * c.global_load_requests;
  for (const Advice& advice : kernel.advice()) EXPECT_NE(advice.rule, "reuse") << advice.text;
}

TEST(Rules, AllLaunchesTogetherSayWhatLimitsAKernel) {
  Kernel first = streaming(), second;
  second.record.grid = {.x = 1};
  second.counters() = {};
  first.advice();
  second.advice();
  ASSERT_EQ(first.record.limiter, "dram");
  const auto limiter = [&](std::uint64_t small) {
    LaunchRecord rest = second.record;
    rest.launches = small;
    return KernelView(h200(), {&first.record, &rest}).limiter();
  };
  EXPECT_EQ(limiter(1), "dram");
  EXPECT_EQ(limiter(100000), "launch");
}

TEST(Rules, WhatHardlyPaysIsNotSaid) {
  Kernel kernel = streaming();
  Counters& c = kernel.counters();
  c.shared_load_ideal = c.shared_load_requests = 100;
  c.shared_load_wavefronts = 200;
  kernel.line.accesses = {
      {AccessKind::shared_load, 4, {{PatternShape::strided, 8, 100, 200, 100}}}};
  EXPECT_TRUE(kernel.advice().empty());
}

TEST(KernelView, AnswersForKernelsOfVeryManyLines) {
  constexpr std::uint32_t lines = 20'000;
  Kernel kernel = streaming();
  kernel.advice();
  LaunchRecord record = kernel.record;
  record.lines.clear();
  for (std::uint32_t i = 1; i <= lines; ++i) {
    LineCounters line{.file = "k.cu", .line = i, .counters = {}};
    line.counters.global_load_sectors = 64;
    line.counters.global_load_ideal_sectors = 8;
    line.accesses = {{AccessKind::global_load, 4, {{PatternShape::strided, 64, 2, 64, 8}}}};
    record.lines.push_back(line);
    record.counters += line.counters;
  }
  const LaunchRecord copies[] = {record, record, record, record};
  const KernelView view(h200(), {&copies[0], &copies[1], &copies[2], &copies[3]});
  const auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(advice_for(view).empty()) << "no line alone is worth a word";
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  EXPECT_EQ(line_of(record, record.lines[lines / 2]), &record.lines[lines / 2]);
  EXPECT_EQ(line_of(record, {.file = "k.cu", .line = lines + 1, .counters = {}}), nullptr);
}

TEST(KernelView, SharesOfLinesAddUpToOne) {
  Kernel kernel = streaming();
  kernel.advice();
  LaunchRecord record = kernel.record;
  record.lines.push_back({.file = "k.cu", .line = 19, .counters = {}});
  record.lines.back().counters.sass_instructions = 1000;
  const auto shares = KernelView(h200(), {&record}).line_shares();
  ASSERT_EQ(shares.size(), 2u);
  EXPECT_DOUBLE_EQ(shares[0] + shares[1], 1);
  EXPECT_GT(shares[0], shares[1]);
}

}  // namespace
}  // namespace gridstride::sim
