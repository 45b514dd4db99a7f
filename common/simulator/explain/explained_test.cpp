// What a reader at a terminal gets to see of a known report.
#include "common/simulator/explain/explained.h"

#include <gtest/gtest.h>

#include <vector>

#include "common/simulator/explain/sample.h"

namespace gridstride::sim {
namespace {

TEST(Explained, TextOfATransposition) {
  EXPECT_EQ(to_text(sample_explained(), {}),
            R"text(transpose/1_plain
  Simulated, 20.00 us of modelled time
  Against 0_baseline: 40.00 us then, 20.00 us now, 2 times as fast.

transpose  1 launch, 20.00 us, grid 32 x 32, block 32 x 8
  It is bound by device memory (DRAM), at 90 % of what the device can. Occupancy 100 %, limited by
  threads.

  dram         18.00 us   90 %  ███████████████████████████
  issue         2.00 us   10 %  ███

  DRAM         100 GB/s of 130 GB/s (77 %)
  L2           300 GB/s of 250 GB/s (120 %)
  FP32        0 MFLOP/s of 1.9 TFLOP/s (0 %)
           0 operations for each byte of DRAM

   time sector   bank  lanes   line  transpose.cu
                                  1   // Turns a matrix round.
                                  2   __global__ void transpose(const float* in, float* out, int n)…
                                  3     const int x = blockIdx.x * 32 + threadIdx.x;
   90 %     8x            32      4 ▌   out[x * n + y] = in[y * n + x];
    1 %                   32      5   }

  What to mend (what the model takes off the kernel's time)
  1. -70 %  line 4: neighbouring threads write 4 KiB apart: 32 sectors a request where 4 would do.
            Let neighbouring threads take neighbouring elements.
)text");
}

TEST(Explained, TextKeepsTheTerminalSafe) {
  Explained one = sample_explained();
  one.title = "evil\x1b[2J";
  one.sources.begin()->second = "\x1b[31m\n\n\n\x1b]0;title\x07";
  EXPECT_EQ(to_text(one, {}).find('\x1b'), std::string::npos);
}

TEST(Explained, TextUsesColoursWhereItMay) {
  EXPECT_NE(to_text(sample_explained(), {.color = true}).find("\x1b[31m"), std::string::npos);
}

TEST(Explained, NothingRan) {
  Explained one;
  one.title = "a/1_b";
  one.verdict = "crash";
  one.message = "It ended.";
  EXPECT_EQ(to_text(one, {}), "a/1_b  crash\n  It ended.\n  Nothing ran on the simulated GPU.\n");
}

TEST(Explained, OfASkeletonNothingIsShown) {
  Explained one = sample_explained();
  one.verdict = "todo";
  one.message = "Not written yet.";
  EXPECT_EQ(to_text(one, {}), "transpose/1_plain  todo\n  Not written yet.\n");
}

TEST(Explained, FindingsStandInFront) {
  Explained one = sample_explained();
  one.report["kernels"][0]["findings"] = {{{"kind", "out_of_bounds"},
                                           {"file", "/src/transpose.cu"},
                                           {"line", 4},
                                           {"message", "thread 3 writes past the end."},
                                           {"occurrences", 1}}};
  EXPECT_NE(to_text(one, {}).find("Mistake: line 4: thread 3 writes past the end."),
            std::string::npos);
}

TEST(Explained, LinesWithoutASourceAreShownByNumber) {
  Explained one = sample_explained();
  one.sources.clear();
  const auto all = listings(one.report["kernels"][0], one.sources);
  ASSERT_EQ(all.size(), 1u);
  ASSERT_EQ(all[0].lines.size(), 2u);
  EXPECT_EQ(all[0].lines[0].number, 4u);
}

TEST(Explained, ComparisonNamesWhatChangedAndNoMore) {
  nlohmann::json before = {{"seconds", 2e-3}}, now = {{"seconds", 1e-3}};
  for (const char* same :
       {"dram_bytes", "global_sectors", "sectors_per_request", "shared_wavefronts",
        "bank_conflicts", "warp_instructions", "active_lanes_per_instruction", "divergent_branches",
        "barriers", "global_atomics"}) {
    before["counters"][same] = now["counters"][same] = 1000;
  }
  now["counters"]["bank_conflicts"] = 0;
  EXPECT_EQ(compare(before, now, "2_strided"),
            (std::vector<std::string>{"Against 2_strided: 2.000 ms then, 1.000 ms now, 2 times as "
                                      "fast.",
                                      "What changed: bank conflicts 1000 → 0."}));
}

}  // namespace
}  // namespace gridstride::sim
