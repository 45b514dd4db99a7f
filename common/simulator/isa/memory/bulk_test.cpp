// Bulk copies: what they move, what they cost, and what is said of those that never arrive. The rules about
// races, fences and sizes are held by a table of findings/testdata/precision.
#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "common/simulator/exec/mbarriers.h"
#include "common/simulator/exec/test_grid.h"

namespace gridstride::sim {
namespace {

using Values = std::vector<std::uint32_t>;

/// %rd1 output, %rd2 input, %r1 the thread's number, %r2 the tile, %r10 an mbarrier for one arrival that has
/// been made, %p1 in thread 0.
const char* const bulk_setup = R"(
  .shared .align 16 .b8 tile[2048]; .shared .align 8 .b64 barrier;
  ld.param.u64 %rd1, [p0]; ld.param.u64 %rd2, [p1]; mov.u32 %r1, %tid.x;
  mov.u32 %r2, tile; mov.u32 %r10, barrier; setp.eq.u32 %p1, %r1, 0;
  @%p1 mbarrier.init.shared.b64 [%r10], 1; bar.sync 0; mov.u32 %r3, 1024;)";
const char* const copy_in = R"(
  @%p1 mbarrier.arrive.expect_tx.shared.b64 %rd10, [%r10], %r3;
  @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd2], %r3, [%r10];
  $a: mbarrier.try_wait.parity.shared.b64 %p2, [%r10], 0; @!%p2 bra $a;)";
const char* const copy_out = R"(
  @%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r2], %r3;
  @%p1 cp.async.bulk.commit_group; @%p1 cp.async.bulk.wait_group 0;)";

class Bulk : public testing::Test {
 protected:
  GridResult run(const std::string& body) {
    Values numbers(512);
    std::iota(numbers.begin(), numbers.end(), 1000u);
    gpu.emplace(kernel_text(2, 0, bulk_setup + body + "\nret;", ".file 1 \"kernel.cu\"\n"));
    const DeviceAddress input = gpu->upload(numbers);
    output = gpu->upload(Values(512, 0));
    return gpu->launch({1}, {64}, output, input);
  }

  std::optional<TestGrid> gpu;
  DeviceAddress output = 0;
};

TEST_F(Bulk, ThereAndBackByOneThread) {
  const GridResult result = run(std::string(copy_in) + "bar.sync 0;" + copy_out);
  EXPECT_TRUE(result.findings.empty()) << first_message(result);
  const auto v = gpu->download<std::uint32_t>(output, 512);
  EXPECT_EQ((Values{v[0], v[255], v[256]}), (Values{1000, 1255, 0}));
}

TEST_F(Bulk, CountAsOneRequestThatMovesEachByteOnce) {
  const GridResult result = run(std::string(copy_in) + "bar.sync 0;" + copy_out);
  EXPECT_EQ(result.counters.global_load_requests, 1u);
  EXPECT_EQ(result.counters.global_load_sectors, 32u);
  EXPECT_EQ(result.counters.global_load_ideal_sectors, 32u);
  EXPECT_EQ(result.counters.shared_store_requests, 1u);
  EXPECT_EQ(result.counters.shared_store_wavefronts, 8u);
  EXPECT_EQ(result.counters.global_store_requests, 1u);
  EXPECT_EQ(result.counters.global_store_sectors, 32u);
}

TEST_F(Bulk, NoBytesAreNothing) {
  const GridResult result = run("mov.u32 %r3, 0;" + std::string(copy_in) + copy_out);
  EXPECT_TRUE(result.findings.empty()) << first_message(result);
  EXPECT_EQ(gpu->download<std::uint32_t>(output, 1)[0], 0u);
}

TEST(MbarrierText, SaysWhichBytesAreMissingOrTooMany) {
  Mbarriers::Mbarrier mbarrier;
  mbarrier.bytes = 1024;
  EXPECT_EQ(Mbarriers::missing_in(mbarrier), "1024 bytes that were announced have not come");
  mbarrier.bytes = -1024;
  EXPECT_EQ(Mbarriers::missing_in(mbarrier), "1024 bytes have come that nobody announced");
  mbarrier.expected = mbarrier.pending = 1;
  EXPECT_EQ(Mbarriers::missing_in(mbarrier),
            "1 of the 1 arrivals that it expects in a phase is missing, and 1024 bytes have come "
            "that nobody "
            "announced");
}

TEST_F(Bulk, OutsideOfAnAllocation) {
  const GridResult result = run("add.u64 %rd2, %rd2, 1536;" + std::string(copy_in));
  ASSERT_FALSE(result.findings.empty());
  EXPECT_EQ(result.findings[0].kind, FindingKind::out_of_bounds) << first_message(result);
}

}  // namespace
}  // namespace gridstride::sim
