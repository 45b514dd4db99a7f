// A page fits its terminal, whatever is on it.
#include "grader/cli/watch/page.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gridstride::cli {
namespace {

using Lines = std::vector<std::string>;

TEST(Page, FoldsWhatIsTooWide) {
  EXPECT_EQ(folded({"abcdef", "", "abc"}, 3), (Lines{"abc", "def", "", "abc"}));
  EXPECT_EQ(folded({"ääöö…"}, 2), (Lines{"ää", "öö", "…"}));
  EXPECT_EQ(folded({"\x1b[31mab\x1b[0mcd"}, 2), (Lines{"\x1b[31mab\x1b[0m", "cd"}));
  EXPECT_EQ(folded({"ab\x1b[31"}, 2), (Lines{"ab\x1b[31"})) << "an end that is none";
}

TEST(Page, IsAsHighAsTheTerminal) {
  const Page page{{"head"}, {"1", "2", "3", "4", "5"}, {"keys"}};
  EXPECT_EQ(drawn(page, {8, 10}, {}),
            "\x1b[?7l\x1b[H\x1b[Khead\r\n\x1b[K\r\n\x1b[K1\r\n\x1b[K2\r\n\x1b[K3\r\n\x1b[K4\r\n"
            "\x1b[Klines 1 to 4 of 5: arrows, space\r\n\x1b[Kkeys\x1b[?7h");
  for (const std::size_t rows : {1u, 2u, 3u, 30u}) {
    const std::string bytes = drawn(page, {rows, 10}, {});
    std::size_t feeds = 0;
    for (const char c : bytes) feeds += c == '\n' ? 1 : 0;
    EXPECT_EQ(feeds, rows - 1);
  }
}

TEST(Page, ScrollsAsFarAsThereIsSomething) {
  Page page{{"head"}, {"1", "2", "3", "4", "5"}, {"keys"}};
  const TerminalSize size{7, 10};  // three rows of the body
  scroll(page, -1, size);
  EXPECT_EQ(page.first, 0u);
  scroll(page, 1, size);
  EXPECT_EQ(page.first, 1u);
  scroll(page, 100, size);
  EXPECT_EQ(page.first, 2u);
  scroll(page, 1, {30, 10});
  EXPECT_EQ(page.first, 0u) << "all of it fits";
}

}  // namespace
}  // namespace gridstride::cli
