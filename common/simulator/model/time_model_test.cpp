// The time model: it reaches the measured ceilings, and names what limits.
#include "common/simulator/model/time_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

namespace gridstride::sim {
namespace {

// What was measured on the whole H200, against the model's figure for the same kernel on a problem
// scaled down by the same factor as the device.
constexpr std::uint64_t scale = 33;  // 132 multiprocessors / 4
constexpr std::uint64_t gib = std::uint64_t{1} << 30;

/// `blocks` blocks of 256 threads read, and perhaps write, a 33rd of the bytes given, `step` bytes
/// a thread and round.
double bytes_per_second(std::uint64_t read, std::uint64_t written, std::uint64_t blocks,
                        std::uint64_t step) {
  const DeviceProfile profile = default_profile();
  constexpr std::uint64_t threads = 256, lanes = 32;
  GridResult grid;
  Counters& c = grid.counters;
  c.global_load_sectors = c.dram_read_sectors = read / 32 / scale;
  c.global_store_sectors = c.dram_write_sectors = written / 32 / scale;
  c.sass_instructions = 6 * (read / (lanes * step)) / scale;
  const std::uint64_t rounds = read / scale / (blocks * threads * step);
  // A load, the addition that waits for it, the loop.
  const double round_clocks = profile.latency.global_dram + 3 * profile.latency.arithmetic + 36;
  grid.block_latency_cycles =
      static_cast<double>(std::max<std::uint64_t>(rounds, 1)) * round_clocks;
  const LaunchShape shape{.blocks = blocks, .block_threads = 256, .resident_blocks = 8};
  const double seconds = estimate(profile, shape, grid).seconds - profile.launch_seconds;
  return static_cast<double>((read + written) / scale) / seconds * scale;
}

/// Enough resident blocks that latency is hidden.
constexpr LaunchShape wide{.blocks = 32, .block_threads = 256, .resident_blocks = 8};

double rate_of(double work, const GridResult& result) {
  const DeviceProfile profile = default_profile();
  const double seconds = estimate(profile, wide, result).seconds - profile.launch_seconds;
  return work / seconds * scale;
}

TEST(TimeModel, ReadsReachWhatWasMeasured) {
  EXPECT_NEAR(bytes_per_second(gib, 0, 4 * 16, 16), 4.43e12, 0.06 * 4.43e12);
  EXPECT_NEAR(bytes_per_second(gib, 0, 4 * 16, 4), 2.536e12, 0.06 * 2.536e12);
  EXPECT_NEAR(bytes_per_second(gib, 0, 4 * 4, 4), 1.384e12, 0.06 * 1.384e12);
  EXPECT_NEAR(bytes_per_second(gib, 0, 4 * 1, 4), 0.364e12, 0.06 * 0.364e12);
}

TEST(TimeModel, CopiesReachWhatWasMeasured) {
  EXPECT_NEAR(bytes_per_second(gib, gib, 4 * 16, 16), 4.27e12, 0.06 * 4.27e12);
  const std::uint64_t one_a_thread = gib / 4 / 256 / scale;
  EXPECT_NEAR(bytes_per_second(gib, gib, one_a_thread, 4), 2.672e12, 0.06 * 2.672e12);
}

TEST(TimeModel, ABandwidthBoundKernelComesNearEachProfilesBandwidth) {
  for (const std::string& name : profile_names()) {
    const DeviceProfile profile = profile_named(name);
    // Grid-stride reads of 16 bytes a thread and round, four rounds in flight.
    GridResult grid;
    Counters& c = grid.counters;
    c.global_load_sectors = c.dram_read_sectors = 1 << 22;
    c.sass_instructions = 6 * (c.global_load_sectors / 16);
    const double rounds =
        static_cast<double>(c.global_load_sectors) * 32 / (4.0 * profile.limits.threads * 64);
    grid.block_latency_cycles = rounds * (profile.latency.global_dram + 50);
    const std::uint32_t resident = profile.limits.threads / 256;
    const LaunchShape shape{
        .blocks = 4 * resident, .block_threads = 256, .resident_blocks = resident};
    const double seconds = estimate(profile, shape, grid).seconds - profile.launch_seconds;
    const double rate = 32.0 * (1 << 22) / seconds;
    EXPECT_GT(rate, 0.8 * profile.throughput.dram_read) << name;
    EXPECT_LE(rate, profile.throughput.dram_read) << name;
  }
}

TEST(TimeModel, ReadingFromTheL2ReachesWhatWasMeasured) {
  constexpr std::uint64_t sectors = 1 << 22;
  GridResult read;
  read.counters.global_load_sectors = read.counters.l2_hit_sectors = sectors;
  EXPECT_NEAR(rate_of(32.0 * sectors, read), 8.3e12, 0.05 * 8.3e12);
}

TEST(TimeModel, AtomicsOnOneAddressAreAsSlowAsMeasured) {
  constexpr std::uint64_t operations = 1 << 20;
  GridResult atomics;
  atomics.counters.global_atomic_sectors = operations;
  atomics.atomic_queues.float_sector = atomics.atomic_queues.piece = operations;
  EXPECT_NEAR(rate_of(operations, atomics), 0.5696e9, 0.01 * 0.5696e9);
  atomics.atomic_queues = {.sector = operations, .piece = operations};
  EXPECT_NEAR(rate_of(operations, atomics), 1.366e9, 0.01 * 1.366e9);
  // 64 neighbouring floats: 13 operations a request in 8 sectors of one piece.
  atomics.atomic_queues = {.float_sector = operations / 8, .piece = operations};
  EXPECT_NEAR(rate_of(operations, atomics) * 32 / 13, 3.448e9, 0.05 * 3.448e9);
}

TEST(TimeModel, ArithmeticGoesOnBesideAQueue) {
  const DeviceProfile profile = profile_named("h200-whole");
  const auto microseconds = [&](double additions, double operations, double dram = 0) {
    GridResult grid;
    Counters& c = grid.counters;
    c.sass_instructions = static_cast<std::uint64_t>(additions * 1e-6 * profile.throughput.issue);
    c.dram_read_sectors =
        static_cast<std::uint64_t>(dram * 1e-6 * profile.throughput.dram_read / 32);
    c.global_atomic_sectors = c.global_atomic_serial =
        static_cast<std::uint64_t>(operations * 1e-6 * profile.throughput.l2_atomics_sector);
    grid.atomic_queues = {.sector = c.global_atomic_sectors,
                          .piece = c.global_atomic_sectors,
                          .all = c.global_atomic_sectors,
                          .pieces = 1};
    const LaunchShape shape{.blocks = 1056, .block_threads = 256, .resident_blocks = 8};
    return 1e6 * (estimate(profile, shape, grid).seconds - profile.launch_seconds);
  };
  // measure/phases.csv, fma and dram beside one address, less the launch.
  EXPECT_NEAR(microseconds(41, 33), 43, 1.5);
  EXPECT_NEAR(microseconds(0, 34, 35), 70, 5);
  EXPECT_NEAR(microseconds(0, 17.5, 35), 48, 5);
}

TEST(TimeModel, WaitsAreHiddenWhenBlocksHaveDriftedApart) {
  const DeviceProfile profile = profile_named("h200-whole");
  // 20 us of work, and as long to wait for in all, in so many waits of each of `rounds` blocks.
  const auto microseconds = [&](double waits, double rounds) {
    GridResult grid;
    grid.counters.sass_instructions = static_cast<std::uint64_t>(20e-6 * profile.throughput.issue);
    grid.block_latency_cycles = waits * profile.latency.global_dram;
    const double clocks = grid.block_latency_cycles * rounds;
    const LaunchShape shape{.blocks = static_cast<std::uint64_t>(1056 * rounds),
                            .block_threads = 256,
                            .resident_blocks = 8};
    return (1e6 * (estimate(profile, shape, grid).seconds - profile.launch_seconds) - 20) /
           (1e6 * clocks / profile.clock_hz);
  };
  EXPECT_GT(microseconds(1, 1), 0.5);
  EXPECT_GT(microseconds(2, 1), microseconds(2, 4));
}

TEST(TimeModel, EmptyBlocksStartAsFastAsMeasured) {
  const DeviceProfile profile = default_profile();
  constexpr std::uint64_t blocks = 4'000'000 / scale;
  const LaunchShape many{.blocks = blocks, .block_threads = 256, .resident_blocks = 8};
  EXPECT_NEAR(estimate(profile, many, {}).seconds, 2407e-6, 0.03 * 2407e-6);
}

TEST(TimeModel, FusedMultiplyAddsReachTheMeasuredPeak) {
  constexpr std::uint64_t instructions = 1 << 24;
  GridResult fma;
  fma.counters.sass_instructions = fma.counters.float_instructions = instructions;
  EXPECT_NEAR(rate_of(64.0 * instructions, fma), 63.8e12, 0.02 * 63.8e12);
}

TEST(TimeModel, AnEmptyKernelCostsItsLaunch) {
  const DeviceProfile profile = default_profile();
  const TimeEstimate empty = estimate(profile, {.blocks = 1, .block_threads = 32}, {});
  EXPECT_NEAR(empty.seconds, profile.launch_seconds, 0.1 * profile.launch_seconds);
  EXPECT_EQ(empty.limiter, "launch");
}

TEST(TimeModel, AnAtomicInSharedMemoryTakesOneClock) {
  GridResult result;
  result.counters.shared_atomic_requests = result.counters.shared_atomic_wavefronts = 1 << 24;
  EXPECT_NEAR(rate_of(1 << 24, result), 132 * 1.98e9, 0.01 * 132 * 1.98e9);
}

TEST(TimeModel, NamesTheLimiter) {
  const auto limiter = [](auto fill) {
    GridResult result;
    fill(result);
    return estimate(default_profile(), wide, result).limiter;
  };
  EXPECT_EQ(limiter([](GridResult& r) { r.counters.dram_read_sectors = 1 << 24; }), "dram");
  EXPECT_EQ(limiter([](GridResult& r) { r.counters.global_load_sectors = 1 << 24; }), "l2");
  EXPECT_EQ(limiter([](GridResult& r) { r.counters.shared_load_wavefronts = 1 << 24; }), "shared");
  EXPECT_EQ(limiter([](GridResult& r) { r.counters.sass_instructions = 1 << 24; }), "issue");
  EXPECT_EQ(limiter([](GridResult& r) { r.counters.float_instructions = 1 << 24; }), "float");
  EXPECT_EQ(limiter([](GridResult& r) { r.counters.shared_cas_iterations = 1 << 24; }), "shared");
  EXPECT_EQ(limiter([](GridResult& r) { r.counters.special_slots = 1 << 24; }), "special");
  EXPECT_EQ(limiter([](GridResult& r) { r.counters.logic_slots = 1 << 24; }), "integer");
  EXPECT_EQ(limiter([](GridResult& r) { r.counters.product_slots = 1 << 24; }), "integer");
  EXPECT_EQ(limiter([](GridResult& r) { r.counters.sum_slots = 1 << 24; }), "integer");
  EXPECT_EQ(limiter([](GridResult& r) { r.counters.double_instructions = 1 << 24; }), "fp64");
  EXPECT_EQ(limiter([](GridResult& r) { r.counters.constant_passes = 1 << 24; }), "constant");
  EXPECT_EQ(limiter([](GridResult& r) { r.counters.global_atomic_sectors = 1 << 24; }), "atomics");
  EXPECT_EQ(limiter([](GridResult& r) { r.atomic_queues.piece = 1 << 20; }), "atomics");
  EXPECT_EQ(limiter([](GridResult& r) { r.block_latency_cycles = 1e6; }), "latency");
}

/// Seconds, without the launch, of a 33rd of rows of measure/queued_atomics.csv: minima anywhere in
/// 4 MB, and additions to one address.
double with_queue(std::uint64_t anywhere, std::uint64_t queued) {
  GridResult result;
  result.counters.global_atomic_sectors = (anywhere + queued) / scale;
  result.counters.global_atomic_serial = (anywhere + queued) / scale;
  result.atomic_queues.sector = result.atomic_queues.piece = queued / scale;
  result.atomic_queues.all = (anywhere + queued) / scale;
  result.atomic_queues.pieces = (anywhere == 0 ? 0 : 8192) + (queued == 0 ? 0 : 1);
  const DeviceProfile profile = default_profile();
  return estimate(profile, wide, result).seconds - profile.launch_seconds;
}

TEST(TimeModel, AtomicsElsewhereWaitBehindAQueue) {
  const double minima = with_queue(1 << 20, 0), additions = with_queue(0, 1 << 15);
  EXPECT_NEAR(with_queue(1 << 20, 1 << 15), minima + additions, 0.1 * (minima + additions));
}

TEST(TimeModel, EquallyBusyPlacesHoldNothingUp) {
  GridResult result;
  result.counters.global_atomic_sectors = result.counters.global_atomic_serial = 64 << 15;
  result.atomic_queues = {.sector = 1 << 15, .piece = 1 << 15, .all = 64 << 15, .pieces = 64};
  const double even = estimate(default_profile(), wide, result).seconds;
  result.atomic_queues.pieces = 128;  // of which half have next to nothing to do
  EXPECT_GT(estimate(default_profile(), wide, result).seconds, 1.2 * even);
}

TEST(TimeModel, UnequalBlocksKeepTheBusiestMultiprocessorLonger) {
  GridResult result;
  result.counters.sass_instructions = 1 << 26;
  const double alike = estimate(default_profile(), wide, result).seconds;
  result.imbalance = 1.5;
  EXPECT_NEAR(estimate(default_profile(), wide, result).seconds, 1.5 * alike, 0.03 * alike);
}

TEST(TimeModel, BlocksLongerThanTheSampledOnesTakeLonger) {
  GridResult result;
  result.block_latency_cycles = 1e6;
  const double alike = estimate(default_profile(), wide, result).seconds;
  result.latency_spread = 2;
  EXPECT_NEAR(estimate(default_profile(), wide, result).seconds, 2 * alike, 0.03 * alike);
}

TEST(TimeModel, OneBlockHasOneMultiprocessor) {
  GridResult result;
  result.counters.shared_load_wavefronts = 1 << 24;
  const auto seconds = [&](std::uint64_t blocks) {
    return estimate(default_profile(),
                    {.blocks = blocks, .block_threads = 128, .resident_blocks = 8}, result)
        .seconds;
  };
  EXPECT_NEAR(seconds(1), 4 * seconds(4), 0.01 * seconds(1));
  const LaunchShape one{.blocks = 1, .block_threads = 128, .resident_blocks = 8};
  EXPECT_NEAR(estimate(default_profile(), one, result).share, 0.25, 0.01);
  EXPECT_NEAR(seconds(5), 8.0 / 5 * seconds(4), 0.01 * seconds(5));
  EXPECT_NEAR(seconds(33), seconds(4), 0.01 * seconds(4));  // the last one goes where there is room
}

TEST(TimeModel, AStoreOfManyLinesIsAsSlowAsMeasured) {
  // 8 warps of one block, a line for each lane, 1032 words apart: 1.8 clocks a line.
  GridResult result;
  result.counters.global_store_sectors = result.counters.l2_write_lines = 1 << 24;
  const double seconds =
      estimate(default_profile(), {.blocks = 1, .block_threads = 256, .resident_blocks = 8}, result)
          .seconds;
  EXPECT_NEAR(seconds * default_profile().clock_hz / (1 << 24), 1.8, 0.1);
  // Of the whole device: single words all over 16 MB, 7.65e10 a second.
  EXPECT_NEAR(rate_of(1 << 24, result), 7.65e10, 0.03 * 7.65e10);
}

TEST(TimeModel, AppendedWordsTakeLongerThanWordsAnywhere) {
  GridResult result;
  result.counters.global_store_sectors = result.counters.l2_write_lines = 1 << 24;
  result.counters.rewritten_sectors = (1 << 24) / 8 * 7;
  EXPECT_NEAR(rate_of(1 << 24, result), 5.98e10, 0.03 * 5.98e10);  // 8 words to each of 256 rows
}

TEST(TimeModel, StoresThatMergeTakeAsLongAsOne) {
  GridResult apart, merged;
  apart.counters.l2_write_lines = 2 << 20;
  apart.counters.global_store_sectors = merged.counters.global_store_sectors = 8 << 20;
  merged.counters.l2_write_lines = 1 << 20;
  merged.counters.merged_sectors = 4 << 20;
  EXPECT_NEAR(rate_of(1 << 20, merged), 2 * rate_of(1 << 20, apart),
              1e-2 * rate_of(1 << 20, apart));
}

TEST(TimeModel, FurtherWordsOfABankMakeACasLoopLonger) {
  // measure/cas_loops.csv: floats to words 16 apart, 169 clocks for each addition of a warp.
  GridResult result;
  result.counters.shared_cas_iterations = result.counters.shared_atomic_wavefronts = 16 << 16;
  result.counters.shared_cas_passes = 120 << 16;
  EXPECT_NEAR(132 * 1.98e9 / rate_of(1 << 16, result), 169, 0.2 * 169);
  // … and 2.8 clocks to words next to one another.
  result.counters.shared_cas_iterations = result.counters.shared_atomic_wavefronts = 1 << 20;
  result.counters.shared_cas_passes = 0;
  EXPECT_NEAR(132 * 1.98e9 / rate_of(1 << 20, result), 2.8, 0.2 * 2.8);
}

TEST(TimeModel, AConstantThatLanesWantApartTakesTwoClocks) {
  GridResult result;
  result.counters.constant_passes = 1 << 24;
  EXPECT_NEAR(rate_of(1 << 24, result), 0.5 * 132 * 1.98e9, 0.01 * 0.5 * 132 * 1.98e9);
}

TEST(TimeModel, ManyWarpsWantEachLineOfConstantsForThemselves) {
  // 60 warps of 64 threads a block go through 4 KiB, float by float: 456 us on an H200; 16 go in step.
  GridResult result;
  result.counters.constant_lines = 132 * 60 * 64;
  result.counters.constant_line_loads = 132 * 60 * 64 * 16;
  const DeviceProfile profile = default_profile();
  const auto seconds = [&](std::uint64_t blocks) {
    const LaunchShape shape{.blocks = 4 * blocks, .block_threads = 64, .resident_blocks = 32};
    return estimate(profile, shape, result).seconds - profile.launch_seconds;
  };
  EXPECT_NEAR(seconds(30) / 33, 456e-6, 20e-6);
  EXPECT_LT(seconds(8) / 33, 20e-6);
}

TEST(TimeModel, ALineThatLanesWantApartTakesLess) {
  // 12.7 of the 25 lines that 32 places in 4 KiB lie in: 309 clocks with the 28 addresses.
  GridResult result;
  result.counters.constant_passes = 28 << 16;
  result.counters.constant_misses_apart = (127u << 16) / 10;
  EXPECT_NEAR(132 * 1.98e9 / rate_of(1 << 16, result), 309, 0.25 * 309);
}

TEST(TimeModel, AMatchTakesTwoClocksForEachValue) {
  GridResult result;
  result.counters.match_values = 1 << 24;
  EXPECT_NEAR(rate_of(1 << 24, result), 0.5 * 132 * 1.98e9, 0.01 * 0.5 * 132 * 1.98e9);
}

TEST(TimeModel, MoreResidentBlocksHideLatency) {
  GridResult result;
  result.block_latency_cycles = 1e4;
  const auto seconds = [&](std::uint32_t resident) {
    return estimate(default_profile(),
                    {.blocks = 512, .block_threads = 128, .resident_blocks = resident}, result)
        .seconds;
  };
  EXPECT_GT(seconds(1), 3 * seconds(4));
  EXPECT_GT(seconds(4), 2 * seconds(16));
}

/// 138 MB from the DRAM, then as many wavefronts of shared memory as take that long (a 33rd of
/// both), by `resident` blocks on each multiprocessor in `waves`. Microseconds without the launch.
double read_then_load_shared(std::uint32_t resident, std::uint32_t waves, bool barrier) {
  const DeviceProfile profile = default_profile();
  GridResult result;
  result.phases.resize(2);
  result.phases[0].counters.dram_read_sectors = 138'412'032 / 32 / scale;
  result.phases[1].counters.shared_load_wavefronts = 132 * 64 * 896 / scale;
  result.phases[1].behind_barrier = barrier;
  for (const Phase& phase : result.phases) result.counters += phase.counters;
  const LaunchShape shape{
      .blocks = 4 * resident * waves, .block_threads = 256, .resident_blocks = resident};
  return (estimate(profile, shape, result).seconds - profile.launch_seconds) * 1e6;
}

TEST(TimeModel, PhasesOverlapAsFarAsWasMeasured) {
  // measure/phases.csv, "dram" and "shared": both of them less what the slower takes alone. Seven
  // microseconds either way are what the rule is exact to, over all kinds of work.
  const auto added = [](std::uint32_t resident, std::uint32_t waves, bool barrier) {
    return read_then_load_shared(resident, waves, barrier) - 30.1;
  };
  EXPECT_NEAR(added(8, 1, false), 58.94 - 37.54, 7);
  EXPECT_NEAR(added(8, 2, false), 51.20 - 37.54, 7);
  EXPECT_NEAR(added(8, 8, false), 48.13 - 36.10, 7);
  EXPECT_NEAR(added(2, 4, true), 56.35 - 37.28, 7);
  EXPECT_NEAR(added(1, 1, true), 66.18 - 37.18, 7);
  EXPECT_NEAR(added(1, 4, true), 69.22 - 39.17, 7);
}

TEST(TimeModel, OnePhaseIsWhatAllOfItIs) {
  GridResult result;
  result.counters.dram_read_sectors = result.counters.shared_load_wavefronts = 1 << 20;
  const double whole = estimate(default_profile(), wide, result).seconds;
  result.phases.resize(1);
  result.phases[0].counters = result.counters;
  EXPECT_EQ(estimate(default_profile(), wide, result).seconds, whole);
}

TEST(TimeModel, AQueueInTheL2HoldsUpTheDramInAnyNumberOfWaves) {
  // measure/phases.csv, "dram" and "one address": 37 us, 36 us, and 66 to 76 for both.
  GridResult result;
  result.phases.resize(2);
  result.phases[0].counters.dram_read_sectors = 138'412'032 / 32;
  result.phases[1].counters.global_atomic_sectors = 42240;
  result.phases[1].counters.global_atomic_serial = 42240;
  result.atomic_queues = {.sector = 42240, .piece = 42240};
  for (const Phase& phase : result.phases) result.counters += phase.counters;
  for (const std::uint64_t waves : {1, 8}) {
    const LaunchShape shape{.blocks = 1056 * waves, .block_threads = 256, .resident_blocks = 8};
    EXPECT_NEAR(estimate(profile_named("h200-whole"), shape, result).seconds, 68e-6, 8e-6) << waves;
  }
}

TEST(TimeModel, MoreWarpsAtOnePlaceOfSharedMemoryTakeLonger) {
  // measure/l2_places.csv: clocks for one addition of 64 bits on a multiprocessor full of blocks.
  const auto clocks = [](std::uint32_t threads) {
    const DeviceProfile profile = default_profile();
    GridResult result;
    result.counters.shared_cas_iterations = result.counters.shared_cas_contended = 1 << 22;
    const std::uint32_t resident = 2048 / threads;
    const LaunchShape shape{
        .blocks = 4 * resident, .block_threads = threads, .resident_blocks = resident};
    const double seconds = estimate(profile, shape, result).seconds - profile.launch_seconds;
    return seconds * 4 * profile.clock_hz / (1 << 22);
  };
  EXPECT_NEAR(clocks(128), 14.9, 1.5);
  EXPECT_NEAR(clocks(256), 21.1, 1.5);
  EXPECT_NEAR(clocks(512), 35.6, 1.5);
  EXPECT_NEAR(clocks(1024), 64.2, 1.5);
}

TEST(TimeModel, AddingWorkNeverSavesTime) {
  GridResult result;
  result.counters.dram_read_sectors = 1 << 20;
  const double before = estimate(default_profile(), wide, result).seconds;
  result.counters.sass_instructions = 1 << 20;
  EXPECT_GE(estimate(default_profile(), wide, result).seconds, before);
}

}  // namespace
}  // namespace gridstride::sim
