// A page keeps all that it says, but for the words that come from a recording.
#include "grader/tools/trace/figure_page.h"

#include <gtest/gtest.h>

#include <string>

namespace gridstride::cli {
namespace {

const sim::DrawnFigure figure{"", "Eight passes.", "A caption."};

TEST(FigurePage, GetsTheWordsOfAFigureThatItShows) {
  EXPECT_EQ(with_figure("# Page\n\n![](figures/a.svg)\n\nText.\n", "a.svg", figure),
            "# Page\n\n![Eight passes.](figures/a.svg)\n\n*A caption.*\n\nText.\n");
}

TEST(FigurePage, StaysAsItIsTheSecondTime) {
  const std::string once = with_figure("![](figures/a.svg)\n\nText.\n", "a.svg", figure);
  EXPECT_EQ(with_figure(once, "a.svg", figure), once);
  const std::string at_the_end = with_figure("![](figures/a.svg)\n", "a.svg", figure);
  EXPECT_EQ(with_figure(at_the_end, "a.svg", figure), at_the_end);
}

TEST(FigurePage, AnOldCaptionGoes) {
  EXPECT_EQ(with_figure("![Old.](figures/a.svg)\n\n*Old\nlines.*\n\nText.\n", "a.svg", figure),
            "![Eight passes.](figures/a.svg)\n\n*A caption.*\n\nText.\n");
}

TEST(FigurePage, WhatIsNoCaptionStays) {
  for (const std::string after :
       {"**Predict.** What?\n", "* an item*\n", "*A word* in italics.\n", "</details>\n"})
    EXPECT_EQ(with_figure("![](figures/a.svg)\n\n" + after, "a.svg", figure),
              "![Eight passes.](figures/a.svg)\n\n*A caption.*\n\n" + after);
  EXPECT_EQ(with_figure("![](figures/a.svg)\n</details>\n", "a.svg", figure),
            "![Eight passes.](figures/a.svg)\n\n*A caption.*\n\n</details>\n");
}

TEST(FigurePage, OthersAreNotTouched) {
  EXPECT_EQ(with_figure("![](figures/b.svg)\n", "a.svg", figure), "");
  EXPECT_EQ(with_figure("See ![](figures/a.svg) here.\n", "a.svg", figure), "");
}

TEST(FigurePage, LongCaptionsAreWrapped) {
  sim::DrawnFigure longer = figure;
  for (int i = 0; i < 40; ++i) longer.caption += " More words.";
  const std::string page = with_figure("![](figures/a.svg)\n\nText.\n", "a.svg", longer);
  for (std::size_t at = 0, end = 0; (end = page.find('\n', at)) != std::string::npos; at = end + 1)
    EXPECT_LE(end - at, 116u);
  EXPECT_EQ(with_figure(page, "a.svg", longer), page);
}

}  // namespace
}  // namespace gridstride::cli
