// The page: nothing of a student's text acts in it, nothing is loaded, every figure is there
// without the plot.
#include <gtest/gtest.h>

#include <string>

#include "common/simulator/explain/explained.h"
#include "common/simulator/explain/html.h"
#include "common/simulator/explain/sample.h"

namespace gridstride::sim {
namespace {

bool page_holds(const std::string& page, const std::string& text) {
  return page.find(text) != std::string::npos;
}

TEST(Html, EscapesWhatCouldAct) {
  EXPECT_EQ(escaped("<b a=\"1\" c='2'>&"), "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;");
}

TEST(Html, EmbeddedFiguresCannotEndTheirElement) {
  EXPECT_EQ(embedded({{"k", "</script><!--"}}), "{\"k\":\"\\u003c/script>\\u003c!--\"}");
}

TEST(Page, TextOfTheStudentDoesNotAct) {
  const std::string evil = "</script><script>alert(1)</script><img src=x onerror=alert(2)>";
  Explained one = sample_explained();
  one.title = one.verdict = one.message = evil;
  one.sources.begin()->second = "\n\n\n" + evil + "\n";
  one.comparison = {evil};
  nlohmann::json& kernel = one.report["kernels"][0];
  kernel["kernel"] = kernel["parent"] = evil;
  kernel["achieved"]["flops"] = 1000000;
  kernel["headline"] = kernel["occupancy_limiter"] = evil;
  kernel["advice"][0]["text"] = kernel["advice"][0]["repair"] = evil;
  kernel["advice"][0]["file"] = evil;
  kernel["findings"] = {
      {{"kind", evil}, {"file", evil}, {"line", 4}, {"message", evil}, {"occurrences", 1}}};
  one.report["refusals"] = {evil};
  one.report["device"]["name"] = evil;
  const std::string page = to_page({one});
  EXPECT_FALSE(page_holds(page, "<script>alert"));
  EXPECT_FALSE(page_holds(page, "<img"));
  EXPECT_TRUE(page_holds(page, "&lt;img src=x onerror=alert(2)&gt;"));
}

TEST(Page, OfASkeletonNothingIsShown) {
  Explained one = sample_explained();
  one.verdict = "todo";
  EXPECT_FALSE(page_holds(to_page({one}), "neighbouring threads write"));
}

TEST(Page, LoadsNothing) {
  const std::string page = to_page({sample_explained()});
  EXPECT_TRUE(page_holds(page, "default-src 'none'"));
  for (const char* loads : {" src=", "<link", "@import", "url("})
    EXPECT_FALSE(page_holds(page, loads)) << loads;
}

TEST(Page, ShowsSourceAdviceAndFigures) {
  const std::string page = to_page({sample_explained()});
  EXPECT_TRUE(page_holds(page, "out[x * n + y] = in[y * n + x];"));
  EXPECT_TRUE(page_holds(page, "--heat:0.900"));
  EXPECT_TRUE(page_holds(page, "line 4: neighbouring threads write 4 KiB apart"));
  EXPECT_TRUE(page_holds(page, "MIT License")) << "the chart library's licence travels with it";
}

TEST(Page, ColumnsWithoutAFigureAreLeftOut) {
  const std::string page = to_page({sample_explained()});
  EXPECT_TRUE(page_holds(page, ">sectors</th>"));
  EXPECT_FALSE(page_holds(page, ">banks</th>"));
}

TEST(Page, KernelsWithoutArithmeticHaveNoPlot) {
  const std::string page = to_page({sample_explained()});
  EXPECT_FALSE(page_holds(page, "<canvas"));
  EXPECT_TRUE(page_holds(page, "there is no point to draw"));
}

TEST(Page, FiguresOfThePlotStandInATable) {
  Explained one = sample_explained();
  one.report["kernels"][0]["achieved"]["flops"] = 4'000'000;
  const std::string page = to_page({one});
  EXPECT_TRUE(page_holds(page, "<canvas"));
  EXPECT_TRUE(page_holds(page, "<td>2</td><td>200 GFLOP/s</td><td>260 GFLOP/s</td>"));
}

TEST(Page, SeveralStagesHaveATableOfContents) {
  Explained crashed;
  crashed.title = "a/2_c";
  crashed.verdict = "crash";
  const std::string page = to_page({sample_explained(), crashed});
  EXPECT_TRUE(page_holds(page, "<a href=\"#stage-1\">a/2_c</a>"));
  EXPECT_TRUE(page_holds(page, "Nothing ran on the simulated GPU."));
}

}  // namespace
}  // namespace gridstride::sim
