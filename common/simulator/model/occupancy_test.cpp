// Occupancy, against figures of the CUDA occupancy calculator for compute capability 9.0.
#include "common/simulator/model/occupancy.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace gridstride::sim {
namespace {

struct Row {
  std::uint32_t threads, registers;
  std::uint64_t shared;
  std::uint32_t blocks;
  const char* limiter;
};

class OccupancyTable : public testing::TestWithParam<Row> {};

TEST_P(OccupancyTable, CountsResidentBlocks) {
  const Row row = GetParam();
  const Occupancy found =
      occupancy(default_profile().limits, row.threads, row.registers, row.shared);
  EXPECT_EQ(found.blocks, row.blocks);
  EXPECT_STREQ(found.limiter, row.limiter);
}

INSTANTIATE_TEST_SUITE_P(Rows, OccupancyTable,
                         testing::Values(Row{256, 32, 0, 8, "threads"},     // 2048 threads
                                         Row{32, 16, 0, 32, "blocks"},      // 32 blocks
                                         Row{256, 64, 0, 4, "registers"},   // 64 x 256 x 4 = 65536
                                         Row{1024, 40, 0, 1, "registers"},  // 1280 a warp, 51 warps
                                         Row{128, 32, 49152, 4, "shared"},  // 4 x (48 + 1) KiB
                                         Row{128, 32, 232448, 1, "shared"},  // 227 + 1 KiB
                                         Row{33, 16, 0, 32, "blocks"},       // a block is two warps
                                         Row{32, 104, 0, 16, "registers"},   // 4 warps a quarter
                                         Row{800, 80, 0, 0, "registers"},    // 7 warps in a quarter
                                         Row{1024, 128, 0, 0, "registers"}));

TEST(Occupancy, ABlockWithoutSharedMemoryIsNotLimitedByIt) {
  MultiprocessorLimits limits = profile_named("t4").limits;  // the system takes none there
  EXPECT_EQ(occupancy(limits, 256, 32, 0).blocks, 4u);
}

/// A launch that ptxas would find room for is not to be refused for what was estimated.
TEST(Occupancy, NoBlockIsTooLargeForAnEstimate) {
  const MultiprocessorLimits limits = default_profile().limits;
  EXPECT_EQ(registers_of_launch(limits, 256, 144), 144u);
  EXPECT_EQ(registers_of_launch(limits, 1024, 40), 40u);
  EXPECT_EQ(registers_of_launch(limits, 0, 40), 40u);
  for (std::uint32_t threads = 1; threads <= 1024; ++threads) {
    const std::uint32_t registers = registers_of_launch(limits, threads, 255);
    EXPECT_GE(occupancy(limits, threads, registers, 0).blocks, 1u) << threads;
  }
  EXPECT_EQ(registers_of_launch(limits, 1024, 144), 64u);
}

TEST(Occupancy, TheLargestBlockIsTheLargestThatFits) {
  const MultiprocessorLimits limits = default_profile().limits;
  EXPECT_EQ(most_threads(limits, 0), 1024u);
  EXPECT_EQ(most_threads(limits, 64), 1024u);
  EXPECT_EQ(most_threads(limits, 80), 768u);
  EXPECT_EQ(most_threads(limits, 255), 256u);
  for (std::uint32_t registers = 1; registers <= 255; ++registers) {
    const std::uint32_t threads = most_threads(limits, registers);
    EXPECT_GE(occupancy(limits, threads, registers, 0).blocks, 1u) << registers;
    if (threads < 1024) {
      EXPECT_EQ(occupancy(limits, threads + 1, registers, 0).blocks, 0u) << registers;
    }
  }
}

/// Blocks that are not there take nothing of it; what was set aside for their shared memory is gone.
TEST(Occupancy, TheBlocksThatAreThereShareTheL1) {
  const MultiprocessorLimits limits = default_profile().limits;  // 256 KiB
  EXPECT_EQ(l1_share(limits, 16, 0, 100), 16u << 10);
  EXPECT_EQ(l1_share(limits, 16, 0, 2), 128u << 10);
  EXPECT_EQ(l1_share(limits, 16, 0, 0), 256u << 10);
  EXPECT_EQ(l1_share(limits, 16, 8192, 2), 64u << 10);
  EXPECT_EQ(l1_share(limits, 16, 1 << 20, 2), 0u);
}

TEST(Occupancy, FractionIsOfTheResidentWarps) {
  const MultiprocessorLimits limits = default_profile().limits;
  EXPECT_DOUBLE_EQ(occupancy(limits, 256, 32, 0).fraction, 1.0);
  EXPECT_DOUBLE_EQ(occupancy(limits, 256, 64, 0).fraction, 0.5);
  EXPECT_DOUBLE_EQ(occupancy(limits, 33, 16, 0).fraction, 1.0);
}

}  // namespace
}  // namespace gridstride::sim
