// What changes no result, clusters of one block, and the clocks.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "common/simulator/base/unsupported.h"
#include "common/simulator/exec/test_grid.h"

namespace gridstride::sim {
namespace {

using Values = std::vector<std::uint32_t>;
using Longs = std::vector<std::uint64_t>;

/// Runs `body`, which stores its results at %rd1, with one thread.
GridResult run(TestGrid& gpu, DeviceAddress out, Dim3 grid = {1}, Dim3 block = {1}) {
  GridResult result = gpu.launch(grid, block, out);
  EXPECT_EQ(result.error, 0) << first_message(result);
  return result;
}
std::string kernel(const std::string& body) {
  return kernel_text(1, 0, "ld.param.u64 %rd1, [p0];\n" + body + "\nret;");
}

TEST(Hints, PassWithoutEffect) {
  TestGrid gpu(kernel(R"(
    prefetch.global.L2 [%rd1]; prefetch.global.L1 [%rd1]; prefetchu.L1 [%rd1];
    prefetch.global.L2::evict_last [%rd1];
    applypriority.global.L2::evict_normal [%rd1], 128; discard.global.L2 [%rd1], 128;
    pmevent 3; pmevent.mask 5; brkpt;
    griddepcontrol.launch_dependents; griddepcontrol.wait;
    setmaxnreg.inc.sync.aligned.u32 96;
    createpolicy.fractional.L2::evict_first.b64 %rd5, 0.5;
    st.global.L2::cache_hint.u32 [%rd1], 7, %rd5;
    ld.global.L1::no_allocate.L2::cache_hint.L2::128B.u32 %r1, [%rd1], %rd5;
    red.global.add.L2::cache_hint.u32 [%rd1], %r1, %rd5;)"));
  const DeviceAddress out = gpu.upload(Values(32, 0));
  run(gpu, out);
  EXPECT_EQ(gpu.download<std::uint32_t>(out, 1)[0], 14u);
}

TEST(Hints, WithModifiersThatNobodyKnowsAreRefused) {
  for (const char* line : {"prefetch.tensormap [%rd1];", "griddepcontrol;", "brkpt.now;"}) {
    TestGrid gpu(kernel(line));
    EXPECT_THROW(gpu.launch({1}, {1}, gpu.upload(Values(1, 0))), Unsupported) << line;
  }
}

TEST(Cluster, HasOneBlock) {
  TestGrid gpu(kernel(R"(
    .shared .align 4 .b8 word[4];
    mov.u32 %r1, %cluster_ctarank; mov.u32 %r2, %cluster_nctarank;
    mov.u32 %r3, %cluster_nctaid.x; mov.u32 %r4, %clusterid.x; mov.u32 %r5, %nclusterid.x;
    mov.pred %p1, %is_explicit_cluster; selp.u32 %r6, 1, 0, %p1;
    mov.u64 %rd5, word; cvta.shared.u64 %rd5, %rd5;
    mapa.u64 %rd6, %rd5, %r1; sub.u64 %rd6, %rd6, %rd5; cvt.u32.u64 %r7, %rd6;
    getctarank.u64 %r8, %rd5;
    mov.u32 %r9, %ctaid.x; mul.wide.u32 %rd7, %r9, 32; add.u64 %rd1, %rd1, %rd7;
    st.global.v4.u32 [%rd1], {%r1, %r2, %r3, %r4};
    st.global.v4.u32 [%rd1+16], {%r5, %r6, %r7, %r8};)"));
  const DeviceAddress out = gpu.upload(Values(16, 77));
  run(gpu, out, {2});
  EXPECT_EQ(gpu.download<std::uint32_t>(out, 16),
            (Values{0, 1, 1, 0, 2, 0, 0, 0, 0, 1, 1, 1, 2, 0, 0, 0}));
}

TEST(Cluster, AnotherBlocksMemoryIsNotThere) {
  TestGrid gpu(kernel("mapa.shared::cluster.u32 %r1, %r1, 1;"));
  const GridResult result = gpu.launch({1}, {1}, gpu.upload(Values(1, 0)));
  EXPECT_EQ(result.error, 719);
  EXPECT_NE(first_message(result).find("block 1 of a cluster"), std::string::npos);
}

TEST(Cluster, OfSeveralBlocksIsRefusedWithoutTheRestOfTheFile) {
  TestGrid gpu(R"(.version 9.0
.target sm_90
.address_size 64
.visible .entry several() .explicitcluster .reqnctapercluster 2, 1, 1 { ret; }
.visible .entry one() .explicitcluster .reqnctapercluster 1, 1, 1 { ret; }
.visible .entry newer() .maxfoo 7 { ret; }
.visible .entry plain() { ret; })");
  for (const char* name : {"plain", "one"}) {
    EXPECT_TRUE(gpu.launch_named(name, {2}, {32}).findings.empty()) << name;
  }
  const auto refusal = [&](const char* name) -> std::string {
    try {
      gpu.launch_named(name, {2}, {32});
    } catch (const Unsupported& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_TRUE(refusal("several").starts_with(
      "a cluster of 2 blocks (__cluster_dims__) in several is not supported"))
      << refusal("several");
  EXPECT_NE(refusal("newer").find("'.maxfoo'"), std::string::npos) << refusal("newer");
}

TEST(Clock, CountsTheCyclesOfTheModel) {
  // A chain of 16 additions, each of which waits for the one before.
  std::string chain;
  for (int i = 0; i < 16; ++i) chain += "add.u32 %r1, %r1, %r2;\n";
  TestGrid gpu(
      kernel("mov.u32 %r1, 1; mov.u32 %r2, 3; mov.u64 %rd5, %clock64;\n" + chain +
             "and.b32 %r3, %r1, 0; cvt.u64.u32 %rd8, %r3;\n"
             "setp.ne.u32 %p1, %r3, 0; @%p1 bra $end;\n"
             "mov.u64 %rd6, %clock64; sub.u64 %rd7, %rd6, %rd5; st.global.u64 [%rd1], %rd7;\n"
             "$end:\n"));
  const DeviceAddress out = gpu.upload(Longs{0});
  run(gpu, out);
  const std::uint64_t cycles = gpu.download<std::uint64_t>(out, 1)[0];
  const double chained = 16 * gpu.request.latencies.arithmetic;
  EXPECT_GE(static_cast<double>(cycles), chained);
  EXPECT_LE(static_cast<double>(cycles), chained + 40);
}

TEST(Clock, GoesOnFromBlockToBlock) {
  TestGrid gpu(kernel(R"(
    mov.u32 %r1, %ctaid.x; mul.wide.u32 %rd5, %r1, 8; add.u64 %rd1, %rd1, %rd5;
    mov.u64 %rd6, %clock64; st.global.u64 [%rd1], %rd6;)"));
  gpu.request.resident_blocks = 1;
  const DeviceAddress out = gpu.upload(Longs(3, 0));
  run(gpu, out, {3});
  const Longs times = gpu.download<std::uint64_t>(out, 3);
  EXPECT_LT(times[0], times[1]);
  EXPECT_LT(times[1], times[2]);
}

TEST(Clock, TheTimeIsTheDevicesAndSleepingTakesTime) {
  TestGrid gpu(kernel(R"(
    mov.u64 %rd5, %globaltimer; nanosleep.u32 5000; mov.u64 %rd6, %globaltimer;
    st.global.u64 [%rd1], %rd5; sub.u64 %rd6, %rd6, %rd5; st.global.u64 [%rd1+8], %rd6;)"));
  gpu.request.clock_hz = 2e9;
  gpu.request.start_seconds = 3;
  const DeviceAddress out = gpu.upload(Longs(2, 0));
  run(gpu, out);
  const Longs times = gpu.download<std::uint64_t>(out, 2);
  EXPECT_GE(times[0], 3'000'000'000u);
  EXPECT_LT(times[0], 3'000'001'000u);
  EXPECT_GE(times[1], 5000u);
  EXPECT_LT(times[1], 5100u);
}

}  // namespace
}  // namespace gridstride::sim
