// The time model: it reaches the measured ceilings, and names what limits.
#include "common/simulator/model/time_model.h"

#include <gtest/gtest.h>

namespace gridstride::sim {
namespace {

constexpr double real_multiprocessors_per_simulated = 33;

/// Enough resident blocks that latency is hidden.
constexpr LaunchShape wide{.blocks = 32, .block_threads = 256, .resident_blocks = 8};

/// Bytes a second of the whole real device.
double rate_of(double bytes, const GridResult& result) {
  const DeviceProfile profile = default_profile();
  const double seconds = estimate(profile, wide, result).seconds - profile.launch_seconds;
  return bytes / seconds * real_multiprocessors_per_simulated;
}

TEST(TimeModel, CopyReachesTheMeasuredBandwidth) {
  constexpr std::uint64_t sectors = 1 << 20;
  GridResult copy;
  copy.counters.global_load_sectors = copy.counters.dram_read_sectors = sectors;
  copy.counters.global_store_sectors = copy.counters.dram_write_sectors = sectors;
  EXPECT_NEAR(rate_of(2.0 * 32 * sectors, copy), 4.27e12, 0.05 * 4.27e12);
}

TEST(TimeModel, ReadingReachesTheMeasuredBandwidth) {
  constexpr std::uint64_t sectors = 1 << 20;
  GridResult read;
  read.counters.global_load_sectors = read.counters.dram_read_sectors = sectors;
  EXPECT_NEAR(rate_of(32.0 * sectors, read), 4.43e12, 0.05 * 4.43e12);
}

TEST(TimeModel, FusedMultiplyAddsReachTheMeasuredPeak) {
  constexpr std::uint64_t instructions = 1 << 24;
  GridResult fma;
  fma.counters.warp_instructions = fma.counters.float_instructions = instructions;
  EXPECT_NEAR(rate_of(64.0 * instructions, fma), 63.8e12, 0.02 * 63.8e12);
}

TEST(TimeModel, AnEmptyKernelCostsItsLaunch) {
  const DeviceProfile profile = default_profile();
  const TimeEstimate empty = estimate(profile, {.blocks = 1, .block_threads = 32}, {});
  EXPECT_NEAR(empty.seconds, profile.launch_seconds, 0.1 * profile.launch_seconds);
  EXPECT_EQ(empty.limiter, "launch");
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
  EXPECT_EQ(limiter([](GridResult& r) { r.counters.warp_instructions = 1 << 24; }), "issue");
  EXPECT_EQ(limiter([](GridResult& r) { r.counters.special_instructions = 1 << 24; }), "special");
  EXPECT_EQ(limiter([](GridResult& r) { r.counters.double_instructions = 1 << 24; }), "fp64");
  EXPECT_EQ(limiter([](GridResult& r) { r.counters.global_atomic_sectors = 1 << 24; }), "atomics");
  EXPECT_EQ(limiter([](GridResult& r) { r.hottest_address_operations = 1 << 20; }), "atomics");
  EXPECT_EQ(limiter([](GridResult& r) { r.block_latency_cycles = 1e6; }), "latency");
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

TEST(TimeModel, AddingWorkNeverSavesTime) {
  GridResult result;
  result.counters.dram_read_sectors = 1 << 20;
  const double before = estimate(default_profile(), wide, result).seconds;
  result.counters.warp_instructions = 1 << 20;
  EXPECT_GE(estimate(default_profile(), wide, result).seconds, before);
}

}  // namespace
}  // namespace gridstride::sim
