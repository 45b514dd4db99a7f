// Ladders from what Google Benchmark 1.7.1 writes: testdata/ has its JSON of rows that take what the
// tables in solutions/*/README.md say.
#include "grader/bench/ladder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/files.h"
#include "common/text.h"

namespace gridstride {
namespace {

Ladder recorded(const std::string& lab) {
  return read_ladder(lab, read_file(GRIDSTRIDE_TEST_DATA "/" + lab + ".json"));
}

std::string table(const std::string& lab, std::size_t width = 120) {
  return ladder_table(recorded(lab), {false, width});
}

TEST(Ladder, HasTheStagesInTheirOrderAndTheLibraryBehind) {
  const auto rungs = recorded("reduction").rungs;
  std::vector<std::string> names;
  for (const Rung& rung : rungs)
    if (rung.size == "2^28 floats") names.push_back(rung.name);
  EXPECT_EQ(names, (std::vector<std::string>{
                       "1_interleaved", "2_strided", "3_sequential", "4_first_add",
                       "5_warp_shuffle", "6_vectorized", "7_user_operation (farthest)",
                       "cub::DeviceReduce::Sum", "cub::DeviceReduce::Reduce (farthest)"}));
  EXPECT_EQ(rungs.front().size, "2^24 floats");
}

TEST(Ladder, HoldsEachRowAgainstItsLibraryAndTheMachine) {
  const auto rungs = recorded("reduction").rungs;
  const auto rung = [&](const std::string& name) {
    return *std::ranges::find_if(
        rungs, [&](const Rung& each) { return each.size == "2^28 floats" && each.name == name; });
  };
  EXPECT_NEAR(rung("6_vectorized").seconds, 249e-6, 3e-6);
  EXPECT_NEAR(*rung("6_vectorized").speed_up, 251.0 / 249, 0.02);
  EXPECT_NEAR(*rung("6_vectorized").share, 0.973, 0.02);
  EXPECT_EQ(rung("6_vectorized").roof, "read");
  EXPECT_NEAR(*rung("7_user_operation (farthest)").speed_up, 267.0 / 259, 0.02)
      << "not against the sum";
  EXPECT_NEAR(*rung("cub::DeviceReduce::Sum").speed_up, 1, 1e-9);
  EXPECT_GT(rung("6_vectorized").spread, 0);
  EXPECT_LT(rung("6_vectorized").spread, 0.01);
}

TEST(Ladder, IsATable) {
  const std::string text = table("reduction");
  EXPECT_EQ(text.find("reduction on NVIDIA H200, driver"), 0u) << text;
  EXPECT_NE(text.find("2^28 floats  1_interleaved "), std::string::npos) << text;
  EXPECT_NE(text.find("\n               6_vectorized"), std::string::npos) << text;
  EXPECT_NE(text.find("97 % of read"), std::string::npos) << text;
  EXPECT_NE(text.find(" TB/s"), std::string::npos) << text;
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  const std::string gemm = table("tiled-gemm");
  EXPECT_NE(gemm.find(" TFLOP/s"), std::string::npos) << gemm;
  EXPECT_NE(gemm.find("% of fp32"), std::string::npos) << gemm;
}

TEST(Ladder, FitsIntoANarrowTerminal) {
  std::string text = table("reduction", 60);
  text = text.substr(text.find("\n\n") + 2);
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n')) {
    EXPECT_LE(display_width(text.substr(0, end)), 60u) << text.substr(0, end);
    text = text.substr(end + 1);
  }
}

TEST(Ladder, IsAPageThatLoadsNothing) {
  Ladder ladder = recorded("reduction");
  ladder.rungs.front().name = "<script>alert(1)</script>";
  const std::string page = ladder_page({ladder, recorded("tiled-gemm")});
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_EQ(page.find("http://"), std::string::npos);
  EXPECT_EQ(page.find("https://"), std::string::npos);
  EXPECT_NE(page.find("<h2>2^28 floats</h2>"), std::string::npos);
  EXPECT_NE(page.find("<h1>tiled-gemm</h1>"), std::string::npos);
  EXPECT_NE(page.find("width: 100.0%"), std::string::npos);
}

TEST(Ladder, OfAnythingElseIsRefused) {
  EXPECT_THROW(read_ladder("scan", "no JSON"), std::runtime_error);
  EXPECT_THROW(read_ladder("scan", "{}"), std::runtime_error);
  EXPECT_TRUE(read_ladder("scan", R"({"context": {}, "benchmarks": []})").rungs.empty());
}

}  // namespace
}  // namespace gridstride
